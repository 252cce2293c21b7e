import Annotations

/// A text in the characters of the standard fonts, each in its face.
struct StyledLetters {
    struct Face {
        let style: TextStyle
        let font: StandardFont
        /// Its size as a multiple of the usual one.
        let scale: Double
    }

    let letters: [UInt8]
    /// In order of appearance. At least one.
    let faces: [Face]
    /// An index into ``faces`` for each letter.
    let face: [Int]
    /// Widths from the start, at the usual size 1000.
    private let ends: [Double]

    private static let maxLines = 2000

    /// - Parameter whole: the style of the whole text, whose size is the usual one.
    /// - Returns: nil for text that the fonts do not have.
    init?(_ text: StyledText, font: String, in whole: TextStyle) {
        var (letters, face, ends): ([UInt8], [Int], [Double]) = ([], [], [0])
        var (faces, known): ([Face], [TextStyle: Int]) = ([], [:])
        for run in text.runs {
            guard let bytes = WinAnsi.bytes(run.words) else { return nil }
            let index: Int
            if let place = known[run.style] {
                index = place
            } else {
                index = faces.count
                faces.append(Face(run.style, font: font, in: whole))
                known[run.style] = index
            }
            for byte in bytes {
                ends.append(ends[ends.count - 1] + faces[index].font.width(of: byte) * faces[index].scale)
                letters.append(byte)
                face.append(index)
            }
        }
        if faces.isEmpty { faces = [Face(whole, font: font, in: whole)] }
        (self.letters, self.faces, self.face, self.ends) = (letters, faces, face, ends)
    }

    func width(_ range: Range<Int>, size: Double) -> Double {
        (ends[range.upperBound] - ends[range.lowerBound]) * size / 1000
    }

    /// The largest scale in a line; that of the text before it in an empty one.
    func scale(_ line: Range<Int>) -> Double {
        if line.isEmpty { return faces[line.lowerBound > 0 ? face[line.lowerBound - 1] : face.first ?? 0].scale }
        return face[line].reduce(0) { max($0, faces[$1].scale) }
    }

    /// The parts of a line that have one face each.
    func parts(_ line: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        for place in line {
            if let last = parts.last, face[last.lowerBound] == face[place] {
                parts[parts.count - 1] = last.lowerBound..<(place + 1)
            } else {
                parts.append(place..<(place + 1))
            }
        }
        return parts
    }

    /// The words between spaces and line ends.
    var words: [Range<Int>] { Self.split(letters.indices, by: [0x20, 0x0A], letters) }

    /// Breaks lines at spaces, and within a word that is wider than the line.
    func lines(size: Double, width: Double) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        for paragraph in Self.split(letters.indices, by: [0x0A], letters) {
            var line = paragraph.lowerBound..<paragraph.lowerBound
            for word in Self.split(paragraph, by: [0x20], letters) {
                let longer = line.isEmpty ? word : line.lowerBound..<word.upperBound
                if self.width(longer, size: size) <= width || line.isEmpty && word.isEmpty {
                    line = longer
                    continue
                }
                if !line.isEmpty { lines.append(line) }
                line = word.lowerBound..<word.lowerBound
                for place in word {
                    if !line.isEmpty, self.width(line.lowerBound..<(place + 1), size: size) > width {
                        lines.append(line)
                        line = place..<place
                    }
                    line = line.lowerBound..<(place + 1)
                }
                if lines.count > Self.maxLines { return lines }
            }
            lines.append(line)
            if lines.count > Self.maxLines { return lines }
        }
        return lines
    }

    private static func split(_ range: Range<Int>, by breaks: Set<UInt8>, _ letters: [UInt8]) -> [Range<Int>] {
        letters[range].split(omittingEmptySubsequences: false, whereSeparator: breaks.contains)
            .map { $0.startIndex..<$0.endIndex }
    }
}

extension StyledLetters.Face {
    fileprivate init(_ style: TextStyle, font: String, in whole: TextStyle) {
        self.style = style
        self.font = StandardFont(font, bold: style.isBold, italic: style.isItalic)
        let usual = max(whole.size ?? 12, 1)
        scale = style.size == whole.size ? 1 : style.size.map { ($0 / usual).clamped(to: 0.05...20) } ?? 1
    }
}

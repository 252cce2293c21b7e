import Annotations

/// Finds lines that run up or down the page, such as axis labels and margin notes.
enum TurnedText {
    /// Splits the words of a page into upright words and turned lines.
    static func split(_ words: [PageWord]) -> (upright: [Int], turned: [[Int]]) {
        var lines: [(source: Int, words: [Int])] = []
        var places: [Int: Int] = [:]
        for (index, word) in words.enumerated() {
            if let place = places[word.sourceLine] {
                lines[place].words.append(index)
            } else {
                places[word.sourceLine] = lines.count
                lines.append((word.sourceLine, [index]))
            }
        }
        var upright: [Int] = []
        var turned: [[Int]] = []
        for line in lines {
            if isTurned(line.words, words) { turned.append(line.words) } else { upright += line.words }
        }
        return (upright.sorted(), turned)
    }

    /// A cell of upright text is about half as wide as it is high; the box of turned text is far too narrow for its
    /// letters.
    private static func isTurned(_ line: [Int], _ words: [PageWord]) -> Bool {
        let cells = line.reduce(0) { $0 + words[$1].cells }
        guard cells >= 4 else { return false }
        let box = Rect.around(line.lazy.map { words[$0].box })
        return box.width / box.height < 0.3 * 0.5 * Double(cells) && box.height > box.width * 1.5
    }
}

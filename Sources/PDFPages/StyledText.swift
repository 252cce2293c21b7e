import Annotations

/// A text whose parts may have styles of their own: the rich text of an annotation (`RC`), or the XHTML of a record.
struct StyledText: Hashable {
    struct Run: Hashable {
        var words: String
        var style: TextStyle
    }

    /// In order; neighbours have different styles.
    private(set) var runs: [Run] = []

    private static let maxDepth = 100

    private init() {}

    init(_ words: String, in style: TextStyle) { append(words, style) }

    /// Reads XHTML leniently, see ``XHTMLPieces``.
    ///
    /// - Parameter whole: the style outside of all elements.
    init(xhtml: String, in whole: TextStyle) {
        let source = Array(xhtml.utf8.prefix(10 * AnnotationReader.maxTextLength))
        var open: [(name: Substring, style: TextStyle)] = []
        var (bytes, style): ([UInt8], TextStyle) = ([], whole)
        for piece in XHTMLPieces(source).pieces {
            bytes += piece.words
            guard piece.isTag else { continue }
            let tag = String(decoding: source[piece.source].dropFirst().dropLast(), as: UTF8.self)
            let name = Substring(
                tag.unicodeScalars.drop { $0 == "/" }.prefix { !$0.properties.isWhitespace && $0 != "/" })
            var next = style
            if tag.begins(with: "/") {
                if let index = open.lastIndex(where: { $0.name == name }) {
                    next = open[index].style
                    open.removeSubrange(index...)
                }
            } else if !tag.ends(with: "/"), name != "br", open.count < Self.maxDepth {
                open.append((name, style))
                next.read(tag: tag, name: name.lowercased())
            }
            guard next != style else { continue }
            append(bytes, style)
            (bytes, style) = ([], next)
        }
        append(bytes, style)
        // The ends of paragraphs.
        while let last = runs.last, last.words.unicodeScalars.last == "\n" {
            runs[runs.count - 1].words.unicodeScalars.removeLast()
            if runs[runs.count - 1].words.isEmpty { runs.removeLast() }
        }
    }

    /// - Returns: nil for a text without styles.
    init?(of json: JSONObject, _ member: String) {
        guard case .xhtml(let value)? = json[member].flatMap(CommentText.init(json:)) else { return nil }
        self.init(xhtml: value, in: TextStyle(of: json))
    }

    /// Reads the rich text of an annotation.
    ///
    /// - Returns: nil if it has none, or if it does not say what the annotation says.
    init?(of source: PDFDictionary, saying words: String) {
        guard let rich = source["RC"].string,
            let styled = StyledText(xhtml: rich, in: TextStyle(basisOf: source)).styling(words)
        else { return nil }
        self = styled
    }

    private mutating func append(_ bytes: [UInt8], _ style: TextStyle) {
        append(String(decoding: bytes, as: UTF8.self), style)
    }

    private mutating func append(_ words: String, _ style: TextStyle) {
        guard !words.isEmpty else { return }
        if let last = runs.last, last.style == style {
            runs[runs.count - 1].words += words
        } else {
            runs.append(Run(words: words, style: style))
        }
    }

    var words: String { runs.map(\.words).joined() }

    /// Returns the text with a change in the style of each part.
    func changing(_ change: (inout TextStyle) -> Void) -> StyledText {
        var result = StyledText()
        for run in runs {
            var style = run.style
            change(&style)
            result.append(run.words, style)
        }
        return result
    }

    /// Returns a plain text in these styles; nil if it says something else. White space may differ.
    func styling(_ plain: String) -> StyledText? {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
        let own = scalars
        var (result, part, style) = (StyledText(), String.UnicodeScalarView(), runs.first?.style ?? TextStyle())
        var place = 0
        for scalar in plain.unicodeScalars {
            if !isSpace(scalar) { while place < own.count, isSpace(own[place].0) { place += 1 } }
            if place < own.count, own[place].0 == scalar || isSpace(scalar) && isSpace(own[place].0) {
                if own[place].1 != style {
                    result.append(String(part), style)
                    (part, style) = (String.UnicodeScalarView(), own[place].1)
                }
                place += 1
            } else if !isSpace(scalar) {
                return nil
            }
            part.append(scalar)
        }
        result.append(String(part), style)
        return own[place...].allSatisfy { isSpace($0.0) } ? result : nil
    }

    private var scalars: [(Unicode.Scalar, TextStyle)] {
        runs.flatMap { run in run.words.unicodeScalars.map { ($0, run.style) } }
    }

    /// Returns the text with other words. The words that both have at the beginning and at the end keep their styles;
    /// what is new has the style of what it replaces.
    func rewording(to words: String) -> StyledText {
        let old = scalars
        let new = Array(words.unicodeScalars)
        func isEdge(_ text: [Unicode.Scalar], _ place: Int) -> Bool {
            place == 0 || place == text.count || text[place].properties.isWhitespace
                || text[place - 1].properties.isWhitespace
        }
        let plain = old.map(\.0)
        var start = zip(plain, new).prefix { $0 == $1 }.count
        while !isEdge(plain, start) || !isEdge(new, start) { start -= 1 }
        let most = min(old.count, new.count) - start
        var end = zip(plain.reversed(), new.reversed()).prefix(most).prefix { $0 == $1 }.count
        while !isEdge(plain, old.count - end) || !isEdge(new, new.count - end) { end -= 1 }
        let replaced = start < old.count - end ? start : start - 1
        let usual = (old.indices.contains(replaced) ? old[replaced] : old.first)?.1 ?? TextStyle()
        var result = StyledText()
        for (place, scalar) in new.enumerated() {
            let isAtEnd = place >= new.count - end
            let style = place < start ? old[place].1 : isAtEnd ? old[old.count - new.count + place].1 : usual
            result.append(String(scalar), style)
        }
        return result
    }

    /// Whether it looks like another text with the same words.
    func looksLike(_ other: StyledText, in whole: TextStyle) -> Bool {
        func filled(_ text: StyledText) -> StyledText {
            text.changing {
                $0.color = ($0.color ?? whole.color)?.lowercased()
                $0.size = $0.size ?? whole.size
            }
        }
        return filled(self) == filled(other)
    }

    /// Whether a part has another style than the whole.
    func differs(from whole: TextStyle) -> Bool { runs.contains { !$0.style.css(within: whole).isEmpty } }

    /// Returns the text as the value of `RC`.
    ///
    /// - Parameters:
    ///   - whole: the style of the whole text.
    ///   - css: that style in CSS, if the text itself has to say it.
    func richText(in whole: TextStyle, css: String?) -> String {
        var body = ""
        for run in runs {
            let style = run.style.css(within: whole)
            for (index, line) in run.words.split(scalar: "\n", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { body += "</p><p>" }
                guard !line.isEmpty else { continue }
                let text = Self.escaped(line)
                body += style.isEmpty ? text : "<span style=\"\(style)\">\(text)</span>"
            }
        }
        let style = css.map { " style=\"\(Self.escaped($0))\"" } ?? ""
        return """
            <?xml version="1.0"?><body xmlns="http://www.w3.org/1999/xhtml" \
            xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/" xfa:APIVersion="Acrobat:11.0.0" xfa:spec="2.0.2"\
            \(style)><p>\(body)</p></body>
            """
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML has no other controls.
            case _ where scalar.value < 0x20 && scalar != "\t", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension TextStyle {
    /// Reads the style that an element has by its name, and by its attribute `style`.
    fileprivate mutating func read(tag: String, name: String) {
        switch name {
        case "b", "strong": isBold = true
        case "i", "em": isItalic = true
        case "u": isUnderlined = true
        case "s", "strike", "del": isStruckOut = true
        default: break
        }
        if let style = TextStyle.quoted(after: "style=", in: tag[...]) { read(style) }
    }
}

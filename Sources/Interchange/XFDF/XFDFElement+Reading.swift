import Annotations
import PDFPages

extension XFDFElement {
    /// Limit on the numbers of a list: one more than is read of an annotation, so that the rest is noticed.
    private static let maxNumbers = 20_001

    /// - Returns: nil for an element that is not an annotation of a known kind.
    static func annotation(_ node: XMLNode) -> PDFAnnotation? {
        guard let subtype = XFDFNames.subtypes[node.name] else { return nil }
        var entries: [String: PDFObject] = ["Subtype": .name(subtype)]
        for attribute in XFDFNames.attributes {
            entries[attribute.key] = node.attributes[attribute.name].flatMap { value($0, attribute.kind) }
        }
        // Without the attribute no flag is set, not even `print`.
        entries["F"] = entries["F"] ?? .number(0)
        border(node, &entries)
        line(node, &entries)
        children(node, &entries)
        return PDFAnnotation(entries: entries)
    }

    private static func value(_ text: String, _ kind: XFDFNames.Kind) -> PDFObject? {
        switch kind {
        case .text: return .string(text)
        case .name: return .name(text)
        case .number: return number(text).map(PDFObject.number)
        case .numbers: return numbers(text).map { .numbers($0) }
        case .color: return Color.components(text).map { .array($0.map(PDFObject.number)) }
        case .flags:
            let names = text.split(scalar: ",").map { String($0.trimming(scalars: { $0 == " " })) }
            return .number(
                Double(
                    XFDFNames.flags.enumerated().reduce(UInt32(0)) { bits, flag in
                        names.contains(flag.element) ? bits | 1 << flag.offset : bits
                    }))
        case .justification: return XFDFNames.justifications.firstIndex(of: text).map { .number(Double($0)) }
        }
    }

    private static func border(_ node: XMLNode, _ entries: inout [String: PDFObject]) {
        var style: [String: PDFObject] = [:]
        style["W"] = node.attributes["width"].flatMap(number).map(PDFObject.number)
        style["D"] = node.attributes["dashes"].flatMap(numbers).map { .numbers($0) }
        let name = node.attributes["style"]
        style["S"] = name.flatMap { XFDFNames.styles[$0] }.map(PDFObject.name)
        if !style.isEmpty { entries["BS"] = .dictionary(style) }
        if name == "cloudy" {
            entries["BE"] = .dictionary([
                "S": .name("C"), "I": .number(node.attributes["intensity"].flatMap(number) ?? 1),
            ])
        }
    }

    private static func line(_ node: XMLNode, _ entries: inout [String: PDFObject]) {
        if let start = node.attributes["start"].flatMap(numbers), let end = node.attributes["end"].flatMap(numbers) {
            entries["L"] = .numbers(start + end)
        }
        let caps = ["head", "tail"].map { node.attributes[$0] }
        if caps.contains(where: { $0 != nil }) { entries["LE"] = .array(caps.map { .name($0 ?? "None") }) }
    }

    private static func children(_ node: XMLNode, _ entries: inout [String: PDFObject]) {
        let rich = node.child("contents-richtext")?.text
        entries["Contents"] = (node.child("contents")?.text ?? rich).map(PDFObject.string)
        entries["DA"] = (node.child("defaultappearance")?.text).map(PDFObject.string)
        entries["DS"] = (node.child("defaultstyle")?.text).map(PDFObject.string)
        if let list = node.child("inklist") {
            entries["InkList"] = .array(
                list.children.filter { $0.name == "gesture" }.map { .numbers(numbers($0.text) ?? []) })
        }
        entries["Vertices"] = (node.child("vertices")?.text).flatMap(numbers).map { .numbers($0) }
        XFDFAction.read(of: node, into: &entries)
    }

    /// Parses numbers separated by commas, semicolons or spaces; nil when one is malformed.
    private static func numbers(_ text: String) -> [Double]? {
        let words = text.split(
            maxSplits: maxNumbers, whereScalar: { $0 == "," || $0 == ";" || $0.properties.isWhitespace }
        ).prefix(maxNumbers)
        let numbers = words.compactMap { number(String($0)) }
        return numbers.count == words.count ? numbers : nil
    }

    private static func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}

/// Formatted text (Instant JSON: `{"format":"xhtml","value"}`) as XFDF's `contents-richtext`.
enum RichText {
    /// Returns nil for plain or malformed text.
    static func node(_ content: Content) -> XMLNode? {
        guard case .xhtml(let value)? = content["text"].flatMap(CommentText.init(json:)) else { return nil }
        var reader = XMLReader(Array("<body>\(value)</body>".utf8))
        guard let first = try? reader.next(), case .start(let name, let attributes) = first,
            var body = try? XMLNode(name, attributes, from: &reader), (try? reader.next()) == .some(nil)
        else { return nil }
        body.attributes["xmlns"] = "http://www.w3.org/1999/xhtml"
        return XMLNode("contents-richtext", [:], [.node(body)])
    }

    static func text(_ node: XMLNode?) -> CommentText? {
        guard let node else { return nil }
        return .xhtml((node.child("body") ?? node).inside)
    }
}

import PDFPages

/// Converts an annotation's dictionary to its element.
enum XFDFElement {
    /// - Returns: nil for a kind without an XFDF element.
    static func node(_ annotation: PDFAnnotation, page: Int, name: String) -> XMLNode? {
        let entries = annotation.entries
        guard let element = entries["Subtype"]?.name.flatMap({ XFDFNames.elements[$0] }) else { return nil }
        var node = XMLNode(element, ["page": "\(page)", "name": name])
        for attribute in XFDFNames.attributes {
            node.attributes[attribute.name] = entries[attribute.key].flatMap { text($0, attribute.kind) }
        }
        border(entries, &node)
        line(entries, &node)
        children(entries, &node)
        return node
    }

    private static func text(_ value: PDFObject, _ kind: XFDFNames.Kind) -> String? {
        switch kind {
        case .text: value.string
        case .name: value.name
        case .number: value.number.map(Decimals.text)
        case .numbers: value.array.map { numbers($0) }
        case .color: value.array.flatMap { Color.hexadecimal($0.compactMap(\.number)) }?.uppercased()
        case .flags:
            value.number.flatMap { UInt32(exactly: $0) }.map { bits in
                XFDFNames.flags.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element)
                    .joined(separator: ",")
            }
        case .justification:
            value.number.flatMap { Int(exactly: $0) }.flatMap {
                XFDFNames.justifications.indices.contains($0) ? XFDFNames.justifications[$0] : nil
            }
        }
    }

    private static func numbers(_ values: [PDFObject], separator: String = ",") -> String {
        values.compactMap(\.number).map(Decimals.text).joined(separator: separator)
    }

    private static func border(_ entries: [String: PDFObject], _ node: inout XMLNode) {
        let style = entries["BS"]?.dictionary ?? [:]
        node.attributes["width"] = style["W"]?.number.map(Decimals.text)
        node.attributes["dashes"] = style["D"]?.array.map { numbers($0) }
        node.attributes["style"] = style["S"]?.name.flatMap { name in
            XFDFNames.styles.first { $0.value == name }?.key
        }
        if let effect = entries["BE"]?.dictionary, effect["S"]?.name == "C" {
            node.attributes["style"] = "cloudy"
            node.attributes["intensity"] = effect["I"]?.number.map(Decimals.text)
        }
    }

    private static func line(_ entries: [String: PDFObject], _ node: inout XMLNode) {
        if let ends = entries["L"]?.array, ends.count == 4 {
            node.attributes["start"] = numbers(Array(ends[..<2]))
            node.attributes["end"] = numbers(Array(ends[2...]))
        }
        if let caps = entries["LE"]?.array?.compactMap(\.name), caps.count == 2 {
            node.attributes["head"] = caps[0]
            node.attributes["tail"] = caps[1]
        } else {
            node.attributes["head"] = entries["LE"]?.name
        }
    }

    private static func children(_ entries: [String: PDFObject], _ node: inout XMLNode) {
        if let text = entries["Contents"]?.string { node.add("contents", text) }
        if let text = entries["DA"]?.string { node.add("defaultappearance", text) }
        if let text = entries["DS"]?.string { node.add("defaultstyle", text) }
        if let strokes = entries["InkList"]?.array {
            let gestures = strokes.compactMap(\.array).map { XMLNode("gesture", [:], [.text(pairs($0))]) }
            node.parts.append(.node(XMLNode("inklist", [:], gestures.map(XMLNode.Part.node))))
        }
        if let corners = entries["Vertices"]?.array { node.add("vertices", pairs(corners)) }
        if let action = XFDFAction.node(entries) { node.parts.append(.node(action)) }
    }

    /// `x,y;x,y`
    private static func pairs(_ values: [PDFObject]) -> String {
        stride(from: 0, to: values.count - 1, by: 2).map { numbers(Array(values[$0...($0 + 1)])) }
            .joined(separator: ";")
    }
}

extension XMLNode {
    fileprivate mutating func add(_ name: String, _ text: String) {
        parts.append(.node(XMLNode(name, [:], [.text(text)])))
    }
}

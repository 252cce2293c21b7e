import Annotations

/// An element with its content.
struct XMLNode: Hashable {
    enum Part: Hashable {
        case text(String)
        case node(XMLNode)
    }

    /// Without namespace prefix.
    var name: String
    var attributes: [String: String]
    var parts: [Part] = []

    init(_ name: String, _ attributes: [String: String] = [:], _ parts: [Part] = []) {
        self.name = name
        self.attributes = attributes
        self.parts = parts
    }

    /// Reads the rest of an element after its start.
    init(_ name: String, _ attributes: [String: String], from reader: inout XMLReader) throws(XMLError) {
        self.init(name.withoutPrefix, attributes)
        while let event = try reader.next() {
            switch event {
            case .start(let name, let attributes): parts.append(.node(try XMLNode(name, attributes, from: &reader)))
            case .text(let text): parts.append(.text(text))
            case .end: return
            }
        }
    }

    var children: [XMLNode] {
        parts.compactMap { if case .node(let node) = $0 { node } else { nil } }
    }

    func child(_ name: String) -> XMLNode? { children.first { $0.name.isExactly(name) } }

    /// The concatenated text, including that of children.
    var text: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .node(let node): node.text
            }
        }.joined()
    }

    /// The content as XML.
    var inside: String {
        parts.map { part in
            switch part {
            case .text(let text): XMLText.escaped(text)
            case .node(let node): node.xml
            }
        }.joined()
    }

    /// The element as XML, with attributes sorted by name.
    var xml: String {
        let attributes = attributes.sorted { $0.key < $1.key }.map { XMLText.attribute($0.key, $0.value) }.joined()
        return parts.isEmpty ? "<\(name)\(attributes)/>" : "<\(name)\(attributes)>\(inside)</\(name)>"
    }
}

extension String {
    /// `p` for `xhtml:p`.
    var withoutPrefix: String { split(scalar: ":").last.map(String.init) ?? self }
}

import Annotations
import PDFPages

/// Link actions in XFDF (ISO 19444-1, `OnActivation`).
enum XFDFAction {
    static func node(_ entries: [String: PDFObject]) -> XMLNode? {
        guard let inner = destination(entries["Dest"]) ?? action(entries["A"]?.dictionary) else { return nil }
        return XMLNode("OnActivation", [:], [.node(XMLNode("Action", ["Trigger": "U"], [.node(inner)]))])
    }

    private static func destination(_ destination: PDFObject?) -> XMLNode? {
        guard let page = destination?.array?.first?.number else { return nil }
        let fit = XMLNode("Fit", ["Page": Decimals.text(page)])
        return XMLNode("GoTo", [:], [.node(XMLNode("Dest", [:], [.node(fit)]))])
    }

    private static func action(_ action: [String: PDFObject]?) -> XMLNode? {
        guard let action else { return nil }
        func file(_ name: String) -> XMLNode? {
            action["F"]?.string.map { XMLNode(name, [:], [.node(XMLNode("File", ["OriginalName": $0]))]) }
        }
        switch action["S"]?.name {
        case "URI": return action["URI"]?.string.map { XMLNode("URI", ["Name": $0]) }
        case "Named": return action["N"]?.name.map { XMLNode("Named", ["Name": $0]) }
        case "GoToR": return file("GoToR")
        case "Launch": return file("Launch")
        default: return nil
        }
    }

    /// Reads what an element leads to: an action, or in the forms that the vendor's programs write, a destination
    /// directly in the element or an address as its attribute `target`.
    static func read(of element: XMLNode, into entries: inout [String: PDFObject]) {
        if let node = element.child("OnActivation") { read(node, into: &entries) }
        guard entries["A"] == nil, entries["Dest"] == nil else { return }
        if let destination = element.child("Dest") {
            read(destination: destination, into: &entries)
        } else if let target = element.attributes["target"], target.contains(scalar: ":") {
            entries["A"] = .dictionary(["S": .name("URI"), "URI": .string(target)])
        }
    }

    private static func read(_ node: XMLNode, into entries: inout [String: PDFObject]) {
        guard let action = node.child("Action")?.children.first else { return }
        let name = action.attributes["Name"]
        let file = action.child("File")?.attributes["OriginalName"].map(PDFObject.string)
        switch action.name {
        case "URI": entries["A"] = name.map { .dictionary(["S": .name("URI"), "URI": .string($0)]) }
        case "Named": entries["A"] = name.map { .dictionary(["S": .name("Named"), "N": .name($0)]) }
        case "GoToR", "Launch": entries["A"] = file.map { .dictionary(["S": .name(action.name), "F": $0]) }
        case "GoTo": read(destination: action.child("Dest"), into: &entries)
        default: break
        }
    }

    private static func read(destination: XMLNode?, into entries: inout [String: PDFObject]) {
        let page = destination?.children.first?.attributes["Page"].flatMap(Double.init)
        entries["Dest"] = page.map { .array([.number($0), .name("Fit")]) }
    }
}

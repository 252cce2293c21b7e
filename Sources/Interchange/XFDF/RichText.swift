import Annotations

/// A formatted text (Instant JSON: `{"format":"xhtml","value"}`) as XFDF's `contents-richtext`.
enum RichText {
    /// nil where the text is plain, or is not well formed.
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

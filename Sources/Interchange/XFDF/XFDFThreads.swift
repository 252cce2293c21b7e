import Annotations

/// Separates comments from notes. In XFDF, a comment is a note that replies to a markup annotation or to a note without
/// text; a reply to anything else stays a note, with its target in `postilla`.
struct XFDFThreads {
    private var found: [Found] = []
    /// Indexes in ``found``, keyed by the annotation's name.
    private var places: [ByteOrdered: Int] = [:]
    private static let maxChainLength = 32

    mutating func add(_ node: XMLNode, _ content: Content) {
        var item = InstantJSONFile.Item(content: content)
        // If two annotations have the same name, the first keeps it.
        if let name = node.attributes["name"], Record.isValidID(name), places[ByteOrdered(name)] == nil {
            item.id = name
            places[ByteOrdered(name)] = found.count
        }
        // An annotation grouped with another is part of it, not a reply.
        let repliesTo = node.attributes["replyType"] == "group" ? nil : node.attributes["inreplyto"]
        found.append(
            Found(
                item: item, repliesTo: repliesTo, isText: node.name == "text",
                rich: RichText.text(node.child("contents-richtext"))))
    }

    func sorted() -> (annotations: [InstantJSONFile.Item], comments: [InstantJSONFile.Item]) {
        let roots = found.map { $0.repliesTo == nil ? nil : root(of: $0) }
        let repliedTo = Set(roots.compactMap(\.self))
        var (annotations, comments): ([InstantJSONFile.Item], [InstantJSONFile.Item]) = ([], [])
        for (place, entry) in found.enumerated() {
            if let root = roots[place].map({ found[$0] }), let id = root.item.id, entry.isText, root.mayHaveThread {
                comments.append(entry.asComment(under: id, root.item.content))
            } else {
                annotations.append(entry.asAnnotation(isRepliedTo: repliedTo.contains(place)))
            }
        }
        return (annotations, comments)
    }

    /// Returns the root of a chain of replies, since threads are flat; nil for a missing target or a cycle.
    private func root(of entry: Found) -> Int? {
        var name = entry.repliesTo
        var place: Int?
        for _ in 0..<Self.maxChainLength {
            guard let next = name else { return place }
            guard let at = places[ByteOrdered(next)] else { return nil }
            (place, name) = (at, found[at].repliesTo)
        }
        return nil
    }
}

/// One element, before replies are resolved.
private struct Found {
    var item: InstantJSONFile.Item
    var repliesTo: String?
    var isText: Bool
    var rich: CommentText?

    private var kind: AnnotationKind { AnnotationKind(type: item.content["type"]?.string ?? "") }

    private var isSilentNote: Bool { kind == .note && item.content["text"]?.string?.isEmpty != false }

    var mayHaveThread: Bool { kind.isMarkup || isSilentNote }

    func asAnnotation(isRepliedTo: Bool) -> InstantJSONFile.Item {
        var item = item
        let isMarker = isRepliedTo && isSilentNote
        item.content = item.content.changing { object in
            if isMarker {
                object["type"] = .string(AnnotationKind.commentMarker.type)
                object["text"] = nil
                object["icon"] = nil
            }
            if isMarker || (isRepliedTo && mayHaveThread) { object["isCommentThreadRoot"] = true }
            if let repliesTo {
                var aside = object["postilla"]?.object ?? JSONObject()
                aside["inReplyTo"] = .string(repliesTo)
                object["postilla"] = .object(aside)
            }
            if object["text"] != nil, case .xhtml(let value)? = rich {
                object["v"] = 2
                object["text"] = ["format": "xhtml", "value": .string(value)]
            }
        }
        return item
    }

    func asComment(under id: Record.ID, _ root: Content) -> InstantJSONFile.Item {
        var item = item
        let said = item.content.object
        item.content = Content.comment(rich ?? .plain(said["text"]?.string ?? ""), under: id, root).changing {
            comment in
            for name in ["creatorName", "createdAt", "updatedAt", "subject"] { comment[name] = said[name] }
        }
        return item
    }
}

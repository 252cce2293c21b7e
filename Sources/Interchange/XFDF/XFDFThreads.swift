import Annotations
import PDFPages

/// Separates comments from notes. In XFDF, as in PDF, a comment is a note that answers an annotation of its page; a reply
/// of another kind, or to what is missing or takes no replies, stays an annotation with its target in `postilla`.
struct XFDFThreads {
    private var found: [Found] = []
    /// Indexes in ``found``, keyed by the annotation's name.
    private var places: [ByteOrdered: Int] = [:]

    mutating func add(_ node: XMLNode, _ content: Content, file: [UInt8]? = nil) {
        var item = InstantJSONFile.Item(content: content, file: file)
        // If two annotations have the same name, the first keeps it.
        if let name = node.attributes["name"], !name.isEmpty, places[ByteOrdered(name)] == nil {
            if Record.isValidID(name) { item.id = name }
            places[ByteOrdered(name)] = found.count
        }
        found.append(
            Found(
                item: item, repliesTo: node.attributes["inreplyto"],
                isGroup: node.attributes["replyType"] == "group", isText: node.name == "text",
                rich: RichText.text(node.child("contents-richtext"))))
    }

    /// - Parameter pages: the pages of the document, in order.
    func sorted(on pages: [PageFrame]) -> (annotations: [InstantJSONFile.Item], comments: [InstantJSONFile.Item]) {
        let found = withIDsOfTargets
        var chains = ReplyChains(found.map(link))
        let roots = found.indices.map { found[$0].repliesTo == nil ? nil : chains.root(of: $0) }
        let repliedTo = Set(roots.compactMap(\.self))
        var (annotations, comments): ([InstantJSONFile.Item], [InstantJSONFile.Item]) = ([], [])
        for (place, entry) in found.enumerated() {
            if let root = roots[place].map({ found[$0] }), let id = root.item.id {
                comments.append(entry.asComment(under: id, root.item.content, on: pages))
            } else {
                let target = entry.repliesTo.map { name in
                    places[ByteOrdered(name)].flatMap { found[$0].item.id } ?? name
                }
                annotations.append(entry.asAnnotation(isRepliedTo: repliedTo.contains(place), answering: target))
            }
        }
        return (annotations, comments)
    }

    /// An annotation that others answer needs an id, even if its name cannot be one.
    private var withIDsOfTargets: [Found] {
        var result = found
        for entry in found {
            guard let name = entry.repliesTo, let place = places[ByteOrdered(name)] else { continue }
            result[place].item.id = result[place].item.id ?? "name-" + Self.hash(name)
        }
        return result
    }

    /// FNV-1a: the same name must give the same id in each import.
    private static func hash(_ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return String(hash, radix: 16)
    }

    private func link(_ entry: Found) -> ReplyChains.Link? {
        guard let name = entry.repliesTo else { return nil }
        let target = places[ByteOrdered(name)].flatMap { place in
            let content = found[place].item.content
            return content["pageIndex"] == entry.item.content["pageIndex"] && content.noThread == nil ? place : nil
        }
        return ReplyChains.Link(target: target, isGroup: entry.isGroup, isComment: entry.isText)
    }
}

/// One element, before replies are resolved.
private struct Found {
    var item: InstantJSONFile.Item
    var repliesTo: String?
    /// Whether it is part of what it replies to.
    var isGroup: Bool
    var isText: Bool
    var rich: CommentText?

    private var kind: AnnotationKind { AnnotationKind(type: item.content["type"]?.string ?? "") }

    private var isSilentNote: Bool { kind == .note && item.content["text"]?.string?.isEmpty != false }

    /// - Parameter target: the id of what it answers, outside of a thread.
    func asAnnotation(isRepliedTo: Bool, answering target: Record.ID?) -> InstantJSONFile.Item {
        var item = item
        let isMarker = isRepliedTo && isSilentNote
        item.content = item.content.changing { object in
            if isMarker {
                object["type"] = .string(AnnotationKind.commentMarker.type)
                object["text"] = nil
                object["icon"] = nil
            }
            if isMarker || (isRepliedTo && kind.isMarkup) { object["isCommentThreadRoot"] = true }
            if let target {
                var aside = object["postilla"]?.object ?? JSONObject()
                aside["inReplyTo"] = .string(target)
                if isGroup { aside["replyType"] = "group" }
                object["postilla"] = .object(aside)
            }
            if object["text"] != nil, case .xhtml(let value)? = rich {
                object["v"] = 2
                object["text"] = ["format": "xhtml", "value": .string(value)]
            }
        }
        return item
    }

    /// - Parameter pages: the pages of the document, in order.
    func asComment(under id: Record.ID, _ root: Content, on pages: [PageFrame]) -> InstantJSONFile.Item {
        var item = item
        let said = item.content.object
        let comment = Content.comment(rich ?? .plain(said["text"]?.string ?? ""), under: id, root).changing {
            comment in
            for name in ["creatorName", "createdAt", "updatedAt", "subject", "postilla"] { comment[name] = said[name] }
        }
        let page = root["pageIndex"]?.integer.flatMap { Int(exactly: $0) } ?? 0
        let usual = PDFAnnotation(comment: comment, under: root, on: pages[page])
            .content(onPage: page, pages[page], pageCount: pages.count).0
        item.content = comment.changing { comment in
            for name in Self.looks where said[name] != usual[name] { comment[name] = said[name] }
        }
        return item
    }

    /// The members of a note that its comment keeps if they are not those that every comment is written with.
    private static let looks = ["bbox", "icon", "color", "flags"]
}

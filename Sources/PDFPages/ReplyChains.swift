import Annotations

/// What each annotation of a file answers (ISO 32000-2, 12.5.6.2): replies form chains, and groups belong together, while
/// threads of records are flat and stand under one annotation.
package struct ReplyChains {
    package struct Link: Hashable, Sendable {
        /// The place of the annotation that is answered, if the file has it and it takes replies.
        package var target: Int?
        /// Whether the annotation is part of a group with its target.
        package var isGroup: Bool
        /// Whether it is a note that only answers, and so becomes a comment.
        package var isComment: Bool

        package init(target: Int?, isGroup: Bool, isComment: Bool) {
            self.target = target
            self.isGroup = isGroup
            self.isComment = isComment
        }
    }

    private let links: [Link?]
    private var found: [Int: Int?] = [:]

    /// - Parameter links: one for each annotation of the file; nil for one that answers nothing.
    package init(_ links: [Link?]) { self.links = links }

    /// Returns the annotation under which a note stands as a comment; nil if it stays an annotation of its own: its target
    /// is missing, or its chain is a circle.
    package mutating func root(of place: Int) -> Int? {
        guard let link = links[place], link.isComment, !link.isGroup, let target = link.target else { return nil }
        return top(of: target)
    }

    /// Returns the annotation at the end of a chain of comments and groups; nil for a circle. Each chain is followed once.
    private mutating func top(of place: Int) -> Int? {
        var path: [Int] = []
        var (next, steps): (Int, Set<Int>) = (place, [])
        var result: Int?
        while true {
            if let known = found[next] {
                result = known
                break
            }
            guard steps.insert(next).inserted else { break }
            path.append(next)
            guard let link = links[next], link.isGroup || link.isComment, let target = link.target else {
                result = next
                break
            }
            next = target
        }
        for step in path { found[step] = .some(result) }
        return result
    }
}

extension Content {
    /// Returns a note of another program as a comment under the annotation that it answers. Its other members stay.
    func asComment(under root: Record.ID) -> Content {
        changing { note in
            note["type"] = .string(AnnotationKind.comment.type)
            note["rootId"] = .string(root)
            guard var aside = note["postilla"]?.object else { return }
            for name in ["inReplyTo", "replyType"] { aside[name] = nil }
            note["postilla"] = aside.members.isEmpty ? nil : .object(aside)
        }
    }

    /// What a comment's note reads as when it stands alone.
    var asNote: Content {
        guard self["type"]?.string == AnnotationKind.comment.type else { return self }
        return changing { comment in
            comment["type"] = .string(AnnotationKind.note.type)
            comment["rootId"] = nil
        }
    }
}

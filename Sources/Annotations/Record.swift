/// An annotation or a comment as the server keeps it (protocol: `{id, content, createdBy, updatedBy, group}`).
public struct Record: Hashable, Sendable, Identifiable {
    /// Any string unique in its layer: ULIDs made by clients, decimal object numbers of the PDF for base
    /// records. Hostile until cleaned for display.
    public typealias ID = String

    public var id: ID
    public var content: Content
    /// The user who made it; never changes. nil: anonymous, or part of the PDF itself.
    public var createdBy: String?
    public var updatedBy: String?
    /// The group that permissions may speak of; nil is the null group, as good a group as any.
    public var group: String?

    public init(
        id: ID, content: Content, createdBy: String? = nil, updatedBy: String? = nil, group: String? = nil
    ) {
        self.id = id
        self.content = content
        self.createdBy = createdBy
        self.updatedBy = updatedBy
        self.group = group
    }

    /// 1 to 256 bytes without space, control character or DEL, so that an id fits a header and one line. It may hold
    /// `/` and `..`: an id is never a path, and percent-encoded in a URL.
    public static func isValidID(_ id: ID) -> Bool {
        !id.isEmpty && id.utf8.count <= 256 && id.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}

/// What a permission may speak of (guide: collaboration permissions, "content-type").
public enum ContentType: String, Hashable, Sendable, CaseIterable {
    case annotations
    case comments
    /// Of other clients; kept, and nothing of ours is one.
    case formFields = "form-fields"
}

extension Record {
    public var contentType: ContentType { content.contentType }

    package func write(to json: inout JSONWriter, revision: Int64? = nil) {
        json.object {
            $0.member("id", id)
            $0.member("content", source: content.text)
            $0.member("createdBy", orNull: createdBy)
            $0.member("updatedBy", orNull: updatedBy)
            $0.member("group", orNull: group)
            if let revision { $0.member("revision", revision) }
        }
    }

    /// The same of a record whose texts lie somewhere else, and of which nothing has to be escaped.
    ///
    /// - Parameter content: JSON text that was checked.
    /// - Returns: whether it is written; else nothing is.
    package static func write(
        id: UnsafeBufferPointer<UInt8>, content: UnsafeBufferPointer<UInt8>, createdBy: UnsafeBufferPointer<UInt8>?,
        updatedBy: UnsafeBufferPointer<UInt8>?, group: UnsafeBufferPointer<UInt8>?, revision: Int64,
        to json: inout JSONWriter
    ) -> Bool {
        func isPlain(_ text: UnsafeBufferPointer<UInt8>?) -> Bool { text.map(JSONWriter.isPlain) ?? true }
        guard isPlain(id), isPlain(createdBy), isPlain(updatedBy), isPlain(group) else { return false }
        let texts = id.count + content.count + (createdBy?.count ?? 0) + (updatedBy?.count ?? 0) + (group?.count ?? 0)
        // The names of the members and what stands between them take less than 80.
        json.value(upTo: texts + 80 + JSONPieces.digits) { pieces in
            pieces.put(#"{"id":"#)
            pieces.put(string: id)
            pieces.put(#","content":"#)
            pieces.put(content)
            pieces.put(#","createdBy":"#)
            pieces.put(string: createdBy)
            pieces.put(#","updatedBy":"#)
            pieces.put(string: updatedBy)
            pieces.put(#","group":"#)
            pieces.put(string: group)
            pieces.put(#","revision":"#)
            pieces.put(revision)
            pieces.put("}")
        }
        return true
    }

    /// One record as JSON text, as `GET …/annotations/{id}` answers it.
    public var json: String {
        var writer = JSONWriter(capacity: content.text.utf8.count + 128)
        write(to: &writer)
        return writer.text
    }
}

extension Content {
    /// A comment names its root or says so in its type; all else is an annotation.
    public var contentType: ContentType { ContentOutline(self).contentType }

    /// A record stays what it is: an annotation, or a comment of its thread.
    package func isSameKind(as other: Content) -> Bool { ContentOutline(self).isSameKind(as: ContentOutline(other)) }
}

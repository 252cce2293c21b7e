/// An annotation or a comment as the server stores it (protocol: `{id, content, createdBy, updatedBy, group}`).
public struct Record: Hashable, Sendable, Identifiable {
    /// Any string unique in its layer: ULIDs created by clients, decimal object numbers of the PDF for base records.
    /// Untrusted until cleaned for display.
    public typealias ID = String

    public var id: ID
    public var content: Content
    /// The user who created it; never changes. nil: anonymous, or part of the PDF itself.
    public var createdBy: String?
    public var updatedBy: String?
    /// The group that permissions may name; nil is the null group, a group like any other.
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

    /// Compared by bytes: a record whose group only looks the same has changed.
    public static func == (one: Record, other: Record) -> Bool {
        one.id.isExactly(other.id) && one.content == other.content && one.createdBy.isExactly(other.createdBy)
            && one.updatedBy.isExactly(other.updatedBy) && one.group.isExactly(other.group)
    }

    /// Whether a record can be created under this id: 1 to 256 bytes without spaces or invisible characters, such as
    /// controls and bidi marks. It may contain `/` and `..`: an id is never a path, and percent-encoded in a URL.
    public static func isValidID(_ id: ID) -> Bool { isAcceptedID(id) && id.isVisible }

    /// Whether an existing record can have this id, so that it fits a header and one line: earlier versions did not
    /// check for all invisible characters.
    package static func isAcceptedID(_ id: ID) -> Bool {
        !id.isEmpty && id.utf8.count <= 256 && id.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// The rule for ids as part of an error.
    package static let idRule = "an id must have 1 to 256 bytes and no spaces, control or format characters"
}

/// The content type of a permission (guide: collaboration permissions, "content-type").
public enum ContentType: String, Hashable, Sendable, CaseIterable {
    case annotations
    case comments
    /// The values of form fields. Their widgets are annotations.
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

    /// Writes a record whose texts are in other memory and need no escaping.
    ///
    /// - Parameter content: Checked JSON text.
    /// - Returns: Whether the record was written; if not, nothing was.
    package static func write(
        id: UnsafeBufferPointer<UInt8>, content: UnsafeBufferPointer<UInt8>, createdBy: UnsafeBufferPointer<UInt8>?,
        updatedBy: UnsafeBufferPointer<UInt8>?, group: UnsafeBufferPointer<UInt8>?, revision: Int64,
        to json: inout JSONWriter
    ) -> Bool {
        func isPlain(_ text: UnsafeBufferPointer<UInt8>?) -> Bool { text.map(JSONWriter.isPlain) ?? true }
        guard isPlain(id), isPlain(createdBy), isPlain(updatedBy), isPlain(group) else { return false }
        let texts = id.count + content.count + (createdBy?.count ?? 0) + (updatedBy?.count ?? 0) + (group?.count ?? 0)
        // Member names and punctuation take less than 80 bytes.
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

    /// The record as JSON text, as in the response to `GET …/annotations/{id}`.
    public var json: String {
        var writer = JSONWriter(capacity: content.text.utf8.count + 128)
        write(to: &writer)
        return writer.text
    }
}

extension Content {
    /// The `type` of the value of a form field: `{"v", "type", "name", "value"}`, where the value is a string, an array
    /// of strings for a list, or null. It has no page, and comes with the PDF only.
    package static let formFieldValueType = "pspdfkit/form-field-value"

    /// The id of the record that holds the value of the field of a widget.
    package static func formFieldValueID(of widget: Record.ID) -> Record.ID { widget + ":value" }

    /// A record that names a root or has the type of a comment is a comment, one with the type of a form field or its
    /// value belongs to a form, and everything else is an annotation.
    public var contentType: ContentType { ContentOutline(self).contentType }

    /// Whether both are annotations, or comments of the same thread: an edit must not change that.
    package func isSameKind(as other: Content) -> Bool { ContentOutline(self).isSameKind(as: ContentOutline(other)) }
}

import Annotations
package import Authorization
package import SyncProtocol

/// A live record in the store's own memory, limited to what its readers receive. Valid only inside the closure that
/// receives it.
package struct LiveRow {
    package typealias Text = UnsafeBufferPointer<UInt8>

    package let id: Text
    /// JSON text that was validated on receipt.
    package let content: Text
    package let createdBy: Text?
    package let updatedBy: Text?
    package let group: Text?
    package let revision: Revision
    /// The name of a ``ContentType``.
    package let type: Text

    package init(
        id: Text, content: Text, createdBy: Text?, updatedBy: Text?, group: Text?, revision: Revision, type: Text
    ) {
        self.id = id
        self.content = content
        self.createdBy = createdBy
        self.updatedBy = updatedBy
        self.group = group
        self.revision = revision
        self.type = type
    }

    /// Writes the same JSON as ``SyncItem``.
    func write(to json: inout JSONWriter) {
        let isWritten = Record.write(
            id: id, content: content, createdBy: createdBy, updatedBy: updatedBy, group: group, revision: revision,
            to: &json)
        if !isWritten { SyncItem.record(record, revision).write(to: &json) }
    }

    private var record: Record {
        func string(_ text: Text) -> String { String(decoding: text, as: UTF8.self) }
        return Record(
            id: string(id), content: Content(checked: string(content)), createdBy: createdBy.map(string),
            updatedBy: updatedBy.map(string), group: group.map(string))
    }

    /// Returns the properties on which permissions are decided.
    ///
    /// - Throws: ``UnknownType`` if the stored type is unknown to this program.
    package func subject() throws -> Subject {
        guard let contentType = ContentType(rawValue: String(decoding: type, as: UTF8.self)) else {
            throw UnknownType()
        }
        return Subject(
            contentType, createdBy: createdBy.map { String(decoding: $0, as: UTF8.self) },
            group: group.map { String(decoding: $0, as: UTF8.self) })
    }

    struct UnknownType: Error, CustomStringConvertible {
        var description: String { "the store contains a record of an unknown type" }
    }
}

extension ServerRecord {
    /// Copies the texts into one buffer and passes pointers into it.
    package func withRow<Result>(_ body: (LiveRow) throws -> Result) rethrows -> Result {
        var bytes: [UInt8] = []
        let places = [
            id, record.content.text, contentType.rawValue, record.createdBy, record.updatedBy, record.group,
        ].map { text in
            text.map { text in
                let start = bytes.count
                bytes.append(contentsOf: text.utf8)
                return start..<bytes.count
            }
        }
        return try bytes.withUnsafeBufferPointer { all in
            let texts = places.map { place in place.map { UnsafeBufferPointer(rebasing: all[$0]) } }
            let none = UnsafeBufferPointer(rebasing: all[..<0])
            return try body(
                LiveRow(
                    id: texts[0] ?? none, content: texts[1] ?? none, createdBy: texts[3], updatedBy: texts[4],
                    group: texts[5], revision: revision, type: texts[2] ?? none))
        }
    }
}

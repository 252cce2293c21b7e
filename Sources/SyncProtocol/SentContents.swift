package import Annotations

/// The contents of the changes in a push. The answer may refer to them instead of repeating them, because a slow uplink has
/// already carried them to the server.
package struct SentContents: Sendable {
    private var changes: [Int64: Change] = [:]
    /// The number of the last content sent for each record.
    private var numbers: [ByteOrdered: Int64] = [:]

    package init(_ changes: [Change]) {
        for change in changes where change.content != nil {
            self.changes[change.n] = change
            numbers[ByteOrdered(change.id)] = change.n
        }
    }

    /// Returns the content that this change has sent for this record.
    package func content(of n: Int64, for id: Record.ID) -> Content? {
        changes[n].flatMap { $0.id.isExactly(id) ? $0.content : nil }
    }

    /// Returns the number of the change whose content the record has, byte for byte; nil if none has it.
    package func number(of record: Record) -> Int64? {
        guard let n = numbers[ByteOrdered(record.id)], changes[n]?.content == record.content else { return nil }
        return n
    }
}

package import Annotations

/// The contents of the changes in a push. Its answer may refer to them instead of repeating them, because the upload of a
/// slow link has taken them to the server already.
package struct SentContents: Sendable {
    private var contents: [Int64: Content] = [:]
    /// The number of the last content sent for each record.
    private var numbers: [ByteOrdered: Int64] = [:]

    package init(_ changes: [Change]) {
        for change in changes {
            guard let content = change.content else { continue }
            contents[change.n] = content
            numbers[ByteOrdered(change.id)] = change.n
        }
    }

    subscript(n: Int64) -> Content? { contents[n] }

    /// Returns the number of the change whose content the record has, byte for byte; nil if none has it.
    package func number(of record: Record) -> Int64? {
        guard let n = numbers[ByteOrdered(record.id)], contents[n] == record.content else { return nil }
        return n
    }
}

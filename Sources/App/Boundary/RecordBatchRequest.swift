package import Annotations
package import InstantCore

/// Which records are wanted whole, to be acted on together.
package struct RecordBatchRequest: Hashable, Sendable {
    package var ids: [Record.ID]
    package var query = ListQuery()
    /// Rows of the query that are wanted besides.
    package var span: Range<Int>?
}

/// A record that was gathered.
package struct BatchRecord: Hashable, Sendable {
    package var record: Record
    /// Comments below it.
    package var replies: Int

    package init(_ record: Record, replies: Int = 0) {
        self.record = record
        self.replies = replies
    }
}

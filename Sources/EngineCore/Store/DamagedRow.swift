package import Annotations

/// A stored row is not what was written: bytes changed on disk.
package struct DamagedRow: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is damaged, such as `record`, without ids.
    package var what: String

    package init(_ what: String) { self.what = what }

    package var description: String {
        "the server's stored \(what) is damaged; its operator has to restore or replace it"
    }
}

extension StoreReading {
    /// Returns the record, or nil if it is missing or damaged: where the rest can do without it.
    package func intactRecord(_ id: Record.ID, in layer: ServerLayer) throws -> ServerRecord? {
        do { return try record(id, in: layer) } catch is DamagedRow { return nil }
    }
}

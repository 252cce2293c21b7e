package import SyncProtocol

/// What one transaction did to one layer: all that has to be known to tell its listeners, once it is durable.
package struct Commit: Hashable, Sendable {
    /// The layer's head before.
    package var before: Revision
    /// As it stands after the transaction.
    package var layer: ServerLayer
    /// Each touched record once, in its final state, in revision order.
    package var records: [ServerRecord] = []
    package var departures: [Departure] = []

    package var isEmpty: Bool { records.isEmpty }
}

package import SyncProtocol

/// How a layer stands in the store beside what its listeners were told.
package enum CatchUp: Hashable, Sendable {
    case changed(Commit)
    /// Its listeners have to leave.
    case ended(SessionEvent)
    case same

    /// More records than this are not told but left to be pulled.
    private static let maxChanges = 1000

    package init(_ told: ServerLayer, in store: any StoreReading) throws {
        guard let now = try store.layer(told.key), now.id == told.id else {
            self = .ended(SessionEvent(.lost, reason: "the layer was deleted"))
            return
        }
        guard (now.generation, now.base) == (told.generation, told.base) else {
            self = .ended(SessionEvent(.behind, reason: "the document was replaced"))
            return
        }
        guard now.head > told.head else {
            self = .same
            return
        }
        let records = try store.changed(in: now, after: told.head, limit: Self.maxChanges + 1)
        let departures = try store.departures(in: now, after: told.head, limit: Self.maxChanges + 1)
        guard max(records.count, departures.count) <= Self.maxChanges else {
            self = .ended(SessionEvent(.behind, reason: "more changed at once than is told"))
            return
        }
        self = .changed(Commit(before: told.head, layer: now, records: records, departures: departures))
    }
}

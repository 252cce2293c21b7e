package import SyncProtocol

/// How far the listeners of each layer have been told, where other servers write to the same store. What this server
/// commits can be told at once only if it follows on that; else what lies between is read first, and told with it.
package struct PublicationCursor: Sendable {
    private struct Entry: Sendable {
        /// As it was when its listeners were told last.
        var layer: ServerLayer
        var listeners: Int
    }

    private var entries: [Int64: Entry] = [:]

    package init() {}

    /// Somebody listens to a layer, and pulls what was committed before.
    package mutating func join(_ layer: ServerLayer) {
        entries[layer.id, default: Entry(layer: layer, listeners: 0)].listeners += 1
    }

    package mutating func leave(_ layer: Int64) {
        entries[layer]?.listeners -= 1
        if entries[layer]?.listeners == 0 { entries[layer] = nil }
    }

    package func isHeard(_ layer: Int64) -> Bool { entries[layer] != nil }

    /// The layers somebody listens to.
    package var layers: [ServerLayer] { entries.values.map(\.layer) }

    /// - Returns: the layer, if its listeners may not have been told of this revision; nil also when nobody listens.
    package func layer(_ id: Int64, ifBehind revision: Revision) -> ServerLayer? {
        entries[id].flatMap { $0.layer.head < revision ? $0.layer : nil }
    }

    package enum Step: Hashable, Sendable {
        /// Everybody who listens knows it.
        case nothing
        case publish
        /// Something of others lies before it: look at the layer.
        case look
    }

    /// What is to be done with something that is durable.
    package mutating func take(_ commit: Commit) -> Step {
        guard let told = entries[commit.layer.id]?.layer.head, told < commit.layer.head else { return .nothing }
        guard commit.before <= told else { return .look }
        entries[commit.layer.id]?.layer.head = commit.layer.head
        return .publish
    }
}

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

package import SyncProtocol

/// The revision published to the listeners of each layer, for a store to which other servers also write. A commit by
/// this server is published at once only if it directly follows that revision; otherwise the commits in between are
/// read and published first.
package struct PublicationCursor: Sendable {
    private struct Entry: Sendable {
        /// The layer's state at the last publication.
        var layer: ServerLayer
        var listeners: Int
    }

    private var entries: [Int64: Entry] = [:]

    package init() {}

    /// Adds a listener of a layer, which pulls everything committed before.
    package mutating func join(_ layer: ServerLayer) {
        entries[layer.id, default: Entry(layer: layer, listeners: 0)].listeners += 1
    }

    package mutating func leave(_ layer: Int64) {
        entries[layer]?.listeners -= 1
        if entries[layer]?.listeners == 0 { entries[layer] = nil }
    }

    package func isHeard(_ layer: Int64) -> Bool { entries[layer] != nil }

    /// The layers that have listeners.
    package var layers: [ServerLayer] { entries.values.map(\.layer) }

    /// - Returns: the layer if its listeners may lack this revision; nil if not, or if it has no listeners.
    package func layer(_ id: Int64, ifBehind revision: Revision) -> ServerLayer? {
        entries[id].flatMap { $0.layer.head < revision ? $0.layer : nil }
    }

    package enum Step: Hashable, Sendable {
        /// All listeners, if any, have it.
        case nothing
        case publish
        /// Other commits come before it: read the layer.
        case look
    }

    /// Returns what to do with a durable commit.
    package mutating func take(_ commit: Commit) -> Step {
        guard let told = entries[commit.layer.id]?.layer.head, told < commit.layer.head else { return .nothing }
        guard commit.before <= told else { return .look }
        entries[commit.layer.id]?.layer.head = commit.layer.head
        return .publish
    }
}

/// A layer's state in the store compared with what was published to its listeners.
package enum CatchUp: Hashable, Sendable {
    case changed(Commit)
    /// Its streams must end.
    case ended(SessionEvent)
    case same

    /// A commit with more records than this is not published; listeners pull it.
    private static let maxChanges = 1000

    /// Reads what happened to layers since listeners were told of them. Layers without changes, which are most of them,
    /// cost one query together.
    ///
    /// - Returns: one element per layer, in order.
    package static func read(_ layers: [ServerLayer], in store: any StoreReading) throws -> [CatchUp] {
        var found: [Int64: ServerLayer] = [:]
        for layer in try store.layers(layers.map(\.key)) { found[layer.id] = layer }
        return try layers.map { try CatchUp($0, now: found[$0.id], in: store) }
    }

    private init(_ told: ServerLayer, now: ServerLayer?, in store: any StoreReading) throws {
        guard let now else {
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
            self = .ended(SessionEvent(.behind, reason: "too many changes at once"))
            return
        }
        self = .changed(Commit(before: told.head, layer: now, records: records, departures: departures))
    }
}

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

package import Annotations

/// A generation that a layer had before. The lineage of a layer is the list of them, the oldest first: it tells which
/// revisions of an earlier generation are in the layer's data.
package struct LineageEntry: Hashable, Sendable {
    package enum Ending: String, Hashable, Sendable {
        /// The server was restored from a backup: the layer's data begins with this generation, up to ``head``.
        case restored
        /// The layer, or its document, was deleted and made again: no data is left of what was there before.
        case recreated
    }

    /// nil for what was deleted: nothing is kept of it but the time.
    package var generation: String?
    /// The last revision of that generation that is in the data.
    package var head: Revision
    /// When the generation was left, by the server's clock.
    package var at: Timestamp
    package var ending: Ending

    /// Entries that a server keeps of one layer.
    package static let maxCount = 64

    package init(generation: String?, head: Revision, at: Timestamp, ending: Ending) {
        (self.generation, self.head, self.at, self.ending) = (generation, head, at, ending)
    }
}

extension LineageEntry {
    package var json: JSON {
        var object = JSONObject()
        if let generation { object["generation"] = .string(generation) }
        object["head"] = .number(JSONNumber(head))
        object["at"] = .number(JSONNumber(at.milliseconds))
        object["ending"] = .string(ending.rawValue)
        return .object(object)
    }

    /// - Parameter json: An ending that this version does not know counts as `recreated`: nothing is known of the data.
    package init?(_ json: JSON) {
        guard let head = json["head"]?.integer, let at = json["at"]?.integer else { return nil }
        let ending = json["ending"]?.string.flatMap(Ending.init)
        self.init(
            generation: ending.flatMap { _ in json["generation"]?.string }, head: ending == nil ? 0 : max(0, head),
            at: Timestamp(milliseconds: at), ending: ending ?? .recreated)
    }
}

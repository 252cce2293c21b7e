import SyncProtocol

/// What servers on one database tell each other: where to look, never what is there to be seen, but for the people, who
/// are stored nowhere. Each may be lost.
enum ClusterMessage: Hashable, Sendable {
    case changed(layer: Int64, head: Revision)
    /// A layer is gone, or its document was replaced.
    case ended(layer: Int64)
    case revoked
    case people(PresenceMessage)
    /// Somebody wants to hear of everybody's people.
    case whoIsThere

    private static let people = "people "

    var text: String {
        switch self {
        case .changed(let layer, let head): "\(layer):\(head)"
        case .ended(let layer): "\(layer)"
        case .revoked: "revoked"
        case .people(let notice): Self.people + notice.text
        case .whoIsThere: "who"
        }
    }

    /// - Returns: nil for what a newer server may have to say.
    init?(_ text: String) {
        if text.hasPrefix(Self.people) {
            guard let notice = PresenceMessage(text.dropFirst(Self.people.count)) else { return nil }
            self = .people(notice)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        switch (parts.count, Int64(parts[0]), parts.last.flatMap { Int64($0) }) {
        case (1, let layer?, _): self = .ended(layer: layer)
        case (2, let layer?, let head?): self = .changed(layer: layer, head: head)
        case (1, nil, _) where text == "revoked": self = .revoked
        case (1, nil, _) where text == "who": self = .whoIsThere
        default: return nil
        }
    }
}

/// What a server looks at because others may have changed it.
enum Lookup: Hashable, Sendable {
    case layer(Int64)
    /// Who may see the records that people of others point at.
    case people(layer: Int64)
    case tokens
    case everything
}

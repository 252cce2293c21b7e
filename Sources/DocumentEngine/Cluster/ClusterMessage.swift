import Annotations
import SyncProtocol

/// The messages between servers on one database. They name what changed, not its content, except for presence, which is
/// not stored. Any message can be lost.
enum ClusterMessage: Hashable, Sendable {
    case changed(layer: Int64, head: Revision)
    /// A layer was deleted, or its document was replaced.
    case ended(layer: Int64)
    case revoked
    case people(PresenceMessage)
    /// A server requests the participants of all other servers.
    case participantsRequested

    private static let people = "people "

    var text: String {
        switch self {
        case .changed(let layer, let head): "\(layer):\(head)"
        case .ended(let layer): "\(layer)"
        case .revoked: "revoked"
        case .people(let notice): Self.people + notice.text
        case .participantsRequested: "who"
        }
    }

    /// - Returns: nil for a message from a newer server.
    init?(_ text: String) {
        if let people = text.dropping(prefix: Self.people) {
            guard let notice = PresenceMessage(people) else { return nil }
            self = .people(notice)
            return
        }
        let parts = text.split(scalar: ":", omittingEmptySubsequences: false)
        switch (parts.count, Int64(parts[0]), parts.last.flatMap { Int64($0) }) {
        case (1, let layer?, _): self = .ended(layer: layer)
        case (2, let layer?, let head?): self = .changed(layer: layer, head: head)
        case (1, nil, _) where text == "revoked": self = .revoked
        case (1, nil, _) where text == "who": self = .participantsRequested
        default: return nil
        }
    }
}

/// What a server reads again because another server may have changed it.
enum Lookup: Hashable, Sendable {
    case layer(Int64)
    /// Who may see the records that participants of other servers point at.
    case people(layer: Int64)
    case tokens
    case everything
}

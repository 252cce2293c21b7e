import Annotations
import SyncProtocol

/// The decision on one change.
enum ChangeDecision: Hashable {
    case applied(Revision)
    /// The winning state, which the losing client receives.
    case conflict(ServerRecord, String? = nil)
    case denied(String)
    case invalid(String)
    case gone(String)

    func result(for n: Int64) -> ChangeResult {
        switch self {
        case .applied(let revision): ChangeResult(n: n, status: .applied, revision: revision)
        case .conflict(let winner, let reason):
            ChangeResult(
                n: n, status: .conflict,
                reason: reason ?? (winner.isLive ? "someone else was first" : "it was deleted"), item: winner.item)
        case .denied(let reason): ChangeResult(n: n, status: .denied, reason: reason)
        case .invalid(let reason): ChangeResult(n: n, status: .invalid, reason: reason)
        case .gone(let reason): ChangeResult(n: n, status: .gone, reason: reason)
        }
    }
}

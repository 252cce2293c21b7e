import Annotations
import InstantCore
import Screen

// The requests sent to the server, for diagnosing connection problems.
extension AppState {
    mutating func openRequests() {
        document?.requests = RequestLog(requests: [])
    }

    mutating func requestsCame(_ requests: [SentRequest]) {
        guard document?.requests.isOpen == true else { return }
        // Presence is sent every few seconds and says nothing about sync.
        let shown = requests.filter { !$0.isPresence }
        document?.requests.requests = shown
        document?.requests.leftOut = requests.count - shown.count
    }

    mutating func runInRequests(_ command: Command, count: Int?) -> [Effect] {
        guard let log = document?.requests, let requests = log.requests else { return [] }
        let last = max(0, requests.count - max(1, layout.body.rows - 1))
        guard let top = command.row(from: log.top, count: count, screen: layout.body.rows, last: last) else {
            return []
        }
        document?.requests.top = top
        return []
    }

    /// Reloads the requests after every status change.
    mutating func reconcileRequests() -> [Effect] {
        guard let document, document.requests.isOpen, document.requests.isStale else { return [] }
        self.document?.requests.isStale = false
        return [.loadRequests]
    }
}

/// The latest requests of the open layer, newest first.
struct RequestLog: Equatable, Sendable {
    /// nil while the list is closed.
    var requests: [SentRequest]?
    /// The requests about presence, which are not listed if they succeeded.
    var leftOut = 0
    var top = 0
    /// Whether they must be reloaded.
    var isStale = true

    var isOpen: Bool { requests != nil }
}

extension SentRequest {
    fileprivate var isPresence: Bool {
        path.ends(with: "presence") && (outcome ?? "").begins(with: "2")
    }
}

import InstantCore
import Screen

// What was asked of the server, for those who look into a connection that does not do as it should.
extension AppState {
    mutating func openRequests() {
        document?.requests = RequestLog(requests: [])
    }

    mutating func requestsCame(_ requests: [SentRequest]) {
        guard document?.requests.isOpen == true else { return }
        document?.requests.requests = requests
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

    /// Asked for anew whenever something was heard of the server.
    mutating func reconcileRequests() -> [Effect] {
        guard let document, document.requests.isOpen, document.requests.isStale else { return [] }
        self.document?.requests.isStale = false
        return [.loadRequests]
    }
}

/// The last requests of the open layer, the newest first.
struct RequestLog: Equatable, Sendable {
    /// nil: not shown.
    var requests: [SentRequest]?
    var top = 0
    /// They have to be asked for.
    var isStale = true

    var isOpen: Bool { requests != nil }
}

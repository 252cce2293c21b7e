import Annotations
import SyncProtocol

/// The search for an edit that something between here and the server refuses: the pushes get smaller until it stands alone,
/// and it is put aside once another edit can be sent.
struct SendingSearch: Hashable, Sendable {
    struct Suspect: Hashable, Sendable {
        var clientID: String
        var n: Int64
        var failure: SyncFailure
        /// Whether it was put aside before.
        var isTrial: Bool
    }

    /// Counts failures that are at least ``distance`` apart, so that a brief outage does not start a search.
    private var strikes = 0
    private var lastStrike: Timestamp?
    /// The most changes of a push.
    var limit = Int.max
    /// The edit that has failed alone, until it is known whether the server has it.
    var suspect: Suspect?
    /// What was put aside since the last edit that was accepted.
    var aside: Set<Int64> = []
    /// Whether an edit was accepted since the first failure.
    private(set) var hasAccepted = false

    private static let strikes = 3
    /// Milliseconds.
    private static let distance: Int64 = 5000

    /// - Returns: Whether it is time to search.
    mutating func note(at now: Timestamp) -> Bool {
        if lastStrike.map({ now - $0 >= Self.distance }) ?? true {
            strikes += 1
            lastStrike = now
        }
        return strikes >= Self.strikes
    }

    mutating func accepted() {
        guard self != SendingSearch() else { return }
        (aside, hasAccepted) = ([], true)
        limit = limit.multipliedReportingOverflow(by: 2).overflow ? .max : limit * 2
    }

    /// Ends the search without a result. What is refused stays known to be so: the next search begins at once.
    mutating func giveUp() { (limit, suspect, aside, hasAccepted) = (.max, nil, [], false) }

    mutating func clockWentBack(by milliseconds: Int64) { lastStrike = lastStrike.map { $0 + -milliseconds } }
}

extension Synchronizer {
    /// Milliseconds between two pushes of a search.
    static let searchPace: Int64 = 500

    /// Handles a push to which there was no answer of the server.
    mutating func pushFailed(
        _ pushed: PushRequest, _ failure: SyncFailure, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        if pushed.isFiller {
            if search.suspect?.isTrial == true {
                search.suspect = nil
            } else {
                try endSearch()
            }
            return pauseSending(failure, now: now, random: &random)
        }
        let alone = pushed.changes.count == 1 ? pushed.changes.first?.n : nil
        if let n = alone, try layer.isTrial(n: n) {
            search.suspect = .init(clientID: pushed.clientID, n: n, failure: failure, isTrial: true)
            return pauseSending(failure, for: Self.searchPace, now: now)
        }
        guard search.note(at: now) else { return pauseSending(failure, now: now, random: &random) }
        guard let n = alone else {
            search.limit = max(1, pushed.changes.count / 2)
            return pauseSending(failure, for: Self.searchPace, now: now)
        }
        guard try search.hasAccepted || layer.hasOthers(than: n) else {
            try endSearch()
            return pauseSending(failure, now: now, random: &random)
        }
        search.suspect = .init(clientID: pushed.clientID, n: n, failure: failure, isTrial: false)
        pauseSending(failure, for: Self.searchPace, now: now)
    }

    /// Gives the search up: no edit can be sent.
    private mutating func endSearch() throws {
        if !search.aside.isEmpty { announce(try layer.takeBack(search.aside)) }
        search.giveUp()
    }

    /// Handles the answer to a push that used up the number of the suspect, or of what depends on an edit that is put aside.
    mutating func take(filler result: ChangeResult) throws {
        let suspect = search.suspect.flatMap { $0.n == result.n ? $0 : nil }
        if suspect != nil { (search.suspect, search.limit) = (nil, .max) }
        let (changes, aside) = try layer.take(
            filler: result, because: suspect.map { "put aside: \($0.failure)" })
        if suspect?.isTrial != true { search.aside.formUnion(aside) }
        announce(changes)
    }
}

import Annotations

/// Records that other users have just added or changed, highlighted for one to two seconds.
///
/// All highlights end on whole seconds of the clock, so that the screen changes on its own at most once a second,
/// however fast changes arrive. A record that changes again meanwhile stays highlighted without a break.
struct ChangeHighlights: Equatable, Sendable {
    private var ends: [ByteOrdered: Timestamp] = [:]
    /// When the next highlight ends.
    private(set) var nextEnd: Timestamp?

    /// More than a screen shows.
    static let maxCount = 500

    mutating func add(_ ids: some Sequence<Record.ID>, at now: Timestamp) {
        drop(at: now)
        let end = now + (2000 - Self.mod(now.milliseconds))
        for id in ids.lazy.map(ByteOrdered.init) where ends.count < Self.maxCount || ends[id] != nil { ends[id] = end }
        nextEnd = ends.values.min()
    }

    var isEmpty: Bool { ends.isEmpty }

    func contains(_ id: Record.ID, at now: Timestamp) -> Bool { ends[ByteOrdered(id)].map { now < $0 } ?? false }

    /// Removes the highlights that have ended.
    mutating func drop(at now: Timestamp) {
        guard let nextEnd, nextEnd <= now else { return }
        ends = ends.filter { now < $0.value }
        self.nextEnd = ends.values.min()
    }

    mutating func clockWentBack(by milliseconds: Int64) {
        ends = ends.mapValues { $0 + -milliseconds }
        nextEnd = nextEnd.map { $0 + -milliseconds }
    }

    /// Returns the milliseconds since the last whole second.
    private static func mod(_ milliseconds: Int64) -> Int64 { ((milliseconds % 1000) + 1000) % 1000 }
}

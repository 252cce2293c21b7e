import Annotations
import FaultProxy
import Foundation
import Instant
import Synchronization

/// Two people who write a note now and then: one far away, whose notes are awaited at the slow link, and the one at it.
final class LinkWatch: Sendable {
    private struct Slowest {
        var news = Duration.zero
        var typing = Duration.zero
    }

    private let here: InstantDocumentDescriptor
    private let there: InstantDocumentDescriptor
    private let pause: Duration
    private let slowest = Mutex(Slowest())

    init(_ here: InstantDocumentDescriptor, _ there: InstantDocumentDescriptor, pause: Duration) {
        (self.here, self.there, self.pause) = (here, there, pause)
    }

    /// Until a note from there was here, the slowest.
    var news: Duration { slowest.withLock(\.news) }
    /// Until a note from here was stored, the slowest.
    var typing: Duration { slowest.withLock(\.typing) }

    /// Runs until it is cancelled.
    func run() async throws {
        while !Task.isCancelled {
            await timePassed(pause)
            let start = ContinuousClock.now
            _ = try here.create(.note(onPage: 1, at: Point(x: 72, y: 72), text: "typed here"))
            slowest.withLock { $0.typing = max($0.typing, .now - start) }
            let sent = ContinuousClock.now
            let id = try there.create(.note(onPage: 1, at: Point(x: 72, y: 72), text: "from there")).id
            // The benchmark polls; the program does not.
            while try here.layer.row(id) == nil {
                if Task.isCancelled { return }
                await timePassed(.milliseconds(20))
            }
            slowest.withLock { $0.news = max($0.news, .now - sent) }
        }
    }
}

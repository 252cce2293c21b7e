import Annotations
import Authorization
import Dispatch
import EngineCore
import SyncProtocol
import Synchronization

/// Pages of snapshots that nobody has asked for yet. Whoever loads a large layer asks for the page that follows as soon
/// as one is there, and finds it read meanwhile: the disk and the line work side by side.
///
/// A page is handed out once, only while its layer stands where it stood when it was read, and only to a view that sees
/// exactly the same. What is not asked for soon is forgotten.
final class PagesAhead: Sendable {
    /// What makes one page the same as another.
    struct Question: Hashable, Sendable {
        let layer: LayerKey
        let head: Revision
        let epoch: String
        let scope: ViewScope
        let at: Revision
        let after: ByteOrdered
        let limit: Int

        /// The page behind an answer; nil behind the last one.
        func following(_ page: WrittenPage) -> Question? {
            page.next.map {
                Question(
                    layer: layer, head: head, epoch: epoch, scope: scope, at: page.at, after: ByteOrdered($0),
                    limit: limit)
            }
        }
    }

    struct Entry: Sendable {
        let page: Promised<WrittenPage>
        let walk: PageWalk
        fileprivate let since: Timestamp
    }

    /// How far ahead of one who asks: one page is read while the one before is on its way.
    static let depth = 2
    /// Of all who ask; a page is a megabyte at most.
    static let most = 8
    /// Milliseconds after which nobody comes for it any more.
    static let life: Int64 = 3_000

    private struct State {
        var entries: [Question: Entry] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())
    /// Nobody's request stands behind a walk.
    private let threads = (0..<2).map { DispatchQueue(label: "postilla.ahead.\($0)", qos: .userInitiated) }
    private let turn = Atomic<Int>(0)

    /// How many wait to be asked for.
    var count: Int { state.withLock { $0.entries.count } }

    func take(_ question: Question) -> Entry? { state.withLock { $0.entries.removeValue(forKey: question) } }

    /// Reads on, as far as the walk may go. Whoever is told of a page finds the one behind it begun.
    ///
    /// - Parameters:
    ///   - now: the clock.
    ///   - read: in a transaction of its own.
    func proceed(
        _ walk: PageWalk, now: @escaping @Sendable () -> Timestamp,
        read: @escaping @Sendable (Question) throws -> WrittenPage
    ) {
        guard let begun = begin(walk, at: now()) else { return }
        let thread = threads[turn.wrappingAdd(1, ordering: .relaxed).oldValue & (threads.count - 1)]
        proceed(walk, begun, on: thread, now, read)
    }

    /// Page after page by turns with the other walks of its thread.
    private func proceed(
        _ walk: PageWalk, _ begun: Begun, on thread: DispatchQueue, _ now: @escaping @Sendable () -> Timestamp,
        _ read: @escaping @Sendable (Question) throws -> WrittenPage
    ) {
        thread.async { [self] in
            let answer = Result { try read(begun.question) }
            walk.go(on: (try? answer.get()).flatMap(begun.question.following))
            let next = begin(walk, at: now())
            begun.page.keep(answer)
            if let next { proceed(walk, next, on: thread, now, read) }
        }
    }

    private typealias Begun = (question: Question, page: Promised<WrittenPage>)

    private func begin(_ walk: PageWalk, at now: Timestamp) -> Begun? {
        while let question = walk.proceed() {
            // Somebody else may be on the same way, or there are too many.
            if let page = prepare(question, walk, at: now) { return (question, page) }
        }
        return nil
    }

    private func prepare(_ question: Question, _ walk: PageWalk, at now: Timestamp) -> Promised<WrittenPage>? {
        state.withLock { state in
            guard !state.isStopped, state.entries.count < Self.most, state.entries[question] == nil else { return nil }
            let entry = Entry(page: Promised(), walk: walk, since: now)
            state.entries[question] = entry
            return entry.page
        }
    }

    func timePassed(at now: Timestamp) {
        state.withLock { state in
            state.entries = state.entries.filter { abs(now - $0.value.since) < Self.life }
        }
    }

    /// Nothing is read any more when it returns.
    func stop() async {
        let entries = state.withLock { state in
            state.isStopped = true
            defer { state.entries = [:] }
            return Array(state.entries.values)
        }
        for entry in entries { _ = try? await entry.page.value }
    }
}

import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Synchronization

/// Pages of snapshots that nobody has asked for yet. Whoever loads a large layer asks for the page that follows as soon
/// as one is there, and finds it read and written out meanwhile: the disk, the writing of JSON and the line work side by
/// side.
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
        func following(_ page: SnapshotPage) -> Question? {
            page.next.map {
                Question(
                    layer: layer, head: head, epoch: epoch, scope: scope, at: page.at, after: ByteOrdered($0),
                    limit: limit)
            }
        }
    }

    struct Entry: Sendable {
        let page: Task<SnapshotPage, any Error>
        let bytes: Task<[UInt8], any Error>
        fileprivate let since: Timestamp
    }

    /// How far ahead of one who asks: one page is read while the one before is written out.
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

    /// How many wait to be asked for.
    var count: Int { state.withLock { $0.entries.count } }

    func take(_ question: Question) -> Entry? { state.withLock { $0.entries.removeValue(forKey: question) } }

    /// - Parameter read: in a transaction of its own.
    /// - Returns: the page, begun if it was not; nil when there are too many of others.
    func prepare(
        _ question: Question, at now: Timestamp, read: @escaping @Sendable () async throws -> SnapshotPage
    ) -> Entry? {
        state.withLock { state in
            if let known = state.entries[question] { return known }
            guard !state.isStopped, state.entries.count < Self.most else { return nil }
            let page = Task { try await read() }
            let entry = Entry(page: page, bytes: Task { try await page.value.bytes }, since: now)
            state.entries[question] = entry
            return entry
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
        for entry in entries { _ = await entry.bytes.result }
    }
}

extension Engine {
    /// A page of a layer's snapshot as it goes over the wire.
    ///
    /// - Throws: ``Refusal``, as ``LayerView/snapshot(after:at:epoch:limit:)``.
    func snapshot(
        _ claims: Claims, after: Record.ID?, at: Revision?, epoch: String?, limit: Int
    ) async throws -> [UInt8] {
        enum Found {
            case ahead(PagesAhead.Entry)
            case read(SnapshotPage)
        }
        let (question, found) = try await view(claims) { [ahead] view in
            try view.checkSnapshot(at: at, epoch: epoch)
            let question = PagesAhead.Question(
                layer: view.layer.key, head: view.layer.head, epoch: view.epoch, scope: view.scope,
                at: at ?? view.layer.head, after: ByteOrdered(after ?? ""), limit: limit)
            if let entry = ahead.take(question) { return (question, Found.ahead(entry)) }
            return (question, .read(try view.snapshot(after: after, at: at, epoch: epoch, limit: limit)))
        }
        switch found {
        case .ahead(let entry):
            if let next = question.following(try await entry.page.value) { readAhead(next) }
            return try await entry.bytes.value
        case .read(let page):
            if let next = question.following(page) { readAhead(next) }
            return page.bytes
        }
    }

    private func readAhead(_ question: PagesAhead.Question, depth: Int = PagesAhead.depth) {
        let entry = ahead.prepare(question, at: now()) { [self] in
            try await read { store in
                guard let layer = try store.layer(question.layer), layer.head == question.head else {
                    throw LayerView.startOver
                }
                return try LayerView(layer, scope: question.scope, in: store).snapshot(
                    after: question.after.text, at: question.at, epoch: question.epoch, limit: question.limit)
            }
        }
        guard let entry, depth > 1 else { return }
        Task {
            if let page = try? await entry.page.value, let next = question.following(page) {
                readAhead(next, depth: depth - 1)
            }
        }
    }
}

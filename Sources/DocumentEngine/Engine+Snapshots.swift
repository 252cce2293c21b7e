import Annotations
import Authorization
import EngineCore
import SyncProtocol

extension Engine {
    /// A page of a layer's snapshot as it goes over the wire.
    ///
    /// - Throws: ``Refusal``, as ``LayerView/snapshot(after:at:epoch:limit:)``.
    func snapshot(
        _ claims: Claims, after: Record.ID?, at: Revision?, epoch: String?, limit: Int
    ) async throws -> [UInt8] {
        enum Found {
            case ahead(PagesAhead.Entry)
            case read(WrittenPage)
        }
        func look(takingAhead: Bool) async throws -> (PagesAhead.Question, Found) {
            try await view(claims) { [ahead] view in
                try view.checkSnapshot(at: at, epoch: epoch)
                let question = PagesAhead.Question(
                    layer: view.layer.key, head: view.layer.head, epoch: view.epoch, scope: view.scope,
                    at: at ?? view.layer.head, after: ByteOrdered(after ?? ""), limit: limit)
                if takingAhead, let entry = ahead.take(question) { return (question, .ahead(entry)) }
                return (question, .read(try view.snapshot(after: after, at: at, epoch: epoch, limit: limit)))
            }
        }
        var (question, found) = try await look(takingAhead: true)
        if case .ahead(let entry) = found {
            readAhead(entry.walk, taken: true)
            // Somebody wrote before it was read, or it cannot be read: what is wrong with that is said below.
            if let page = try? await entry.page.value { return page.bytes }
            (question, found) = try await look(takingAhead: false)
        }
        guard case .read(let page) = found else { throw LayerView.startOver }
        if let next = question.following(page) { readAhead(PageWalk(from: next), taken: false) }
        return page.bytes
    }

    private func readAhead(_ walk: PageWalk, taken: Bool) {
        guard walk.begin(taken: taken) else { return }
        ahead.proceed(walk, now: now) { [store] question in
            try store.read { store in
                guard let layer = try store.layer(question.layer), layer.head == question.head else {
                    throw LayerView.startOver
                }
                return try LayerView(layer, scope: question.scope, in: store).snapshot(
                    after: question.after.text, at: question.at, epoch: question.epoch, limit: question.limit)
            }
        }
    }
}

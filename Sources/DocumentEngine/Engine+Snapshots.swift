import Annotations
import Authorization
import EngineCore
import SyncProtocol

extension Engine {
    /// A page of a layer's snapshot as it goes over the wire.
    ///
    /// - Parameter mayBeAhead: a page that was read before it was asked for will do.
    /// - Throws: ``Refusal``, as ``LayerView/snapshot(after:at:epoch:limit:)``.
    func snapshot(
        _ claims: Claims, after: Record.ID?, at: Revision?, epoch: String?, limit: Int, mayBeAhead: Bool = true
    ) async throws -> [UInt8] {
        enum Found {
            case ahead(PagesAhead.Entry)
            case read(WrittenPage, next: PagesAhead.Question?)
        }
        let found = try await view(claims) { [ahead] view -> Found in
            try view.checkSnapshot(at: at, epoch: epoch)
            let question = PagesAhead.Question(
                layer: view.layer.key, head: view.layer.head, epoch: view.epoch, scope: view.scope,
                at: at ?? view.layer.head, after: ByteOrdered(after ?? ""), limit: limit)
            if mayBeAhead, let entry = ahead.take(question) { return .ahead(entry) }
            let page = try view.snapshot(after: after, at: at, epoch: epoch, limit: limit)
            return .read(page, next: question.following(page))
        }
        switch found {
        case .ahead(let entry):
            readAhead(entry.walk, taken: true)
            if let page = try? await entry.page.value { return page.bytes }
            // Somebody wrote before it was read, or it cannot be read: what is wrong with it then is said here.
            return try await snapshot(claims, after: after, at: at, epoch: epoch, limit: limit, mayBeAhead: false)
        case .read(let page, let next):
            if let next { readAhead(PageWalk(from: next), taken: false) }
            return page.bytes
        }
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

import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

extension Host {
    /// Answers one request. Returns nil if the process died during it; then there is no answer.
    func answer(_ request: SyncRequest.Kind, body: [UInt8], token: IssuedToken, at time: Timestamp) throws -> Reply? {
        do {
            return try take(request, body, token, now(time))
        } catch is ProcessDied {
            trace("the server died and starts again")
            restart()
            return nil
        } catch is FragileLayerStore.DiskFull {
            return Reply(APIError(.internalError, "the disk is full"))
        } catch let refusal as APIError {
            return Reply(refusal)
        }
    }

    private func take(
        _ request: SyncRequest.Kind, _ body: [UInt8], _ token: IssuedToken, _ now: Timestamp
    ) throws -> Reply {
        guard token.rights.reads else { throw APIError(.insufficientScope, "this token lacks read-document") }
        switch request {
        case .session: return Reply(try session(token, now))
        case .push:
            guard body.count <= limits.batchBytes else { throw APIError(.payloadTooLarge, "too much at once") }
            let push: PushRequest
            do { push = try PushRequest(bytes: body) } catch { throw APIError(.badRequest, "\(error)") }
            return Reply(try take(push, token, now), to: push)
        case .pull(let cursor):
            return try view(token, now) { view, inspector in
                let delta = try view.delta(since: cursor, limit: self.limits.pageRecords)
                try inspector.check(delta.changes)
                return Reply(delta)
            }
        case .page(let page):
            return try view(token, now) { view, inspector in
                let page = try view.page(
                    after: page.after, at: page.at, epoch: page.epoch, limit: self.limits.pageRecords)
                try inspector.check(page)
                return Reply(page)
            }
        case .upload(let file):
            try receive(file, token, now)
            return .received
        case .presence: throw APIError(.notFound, "the simulation has no presence")
        case .digest(let epoch): return try view(token, now) { view, _ in Reply(try view.digest(epoch: epoch)) }
        }
    }

    func view<T>(
        _ token: IssuedToken, _ now: Timestamp, _ body: (LayerView, Inspector) throws -> T
    ) throws -> T {
        let layer = try open(token, now)
        let inspector = Inspector(book: book(layer), rights: token.rights)
        var result: T?
        try store.read { store in
            try admit(token, at: now, in: store)
            result = try body(LayerView(layer, scope: token.grant.viewScope, in: store), inspector)
        }
        guard let result else { throw Violation("a reading transaction did not run") }
        return result
    }

    private func open(_ token: IssuedToken, _ now: Timestamp) throws -> EngineCore.ServerLayer {
        let found = try store.read { store in
            try admit(token, at: now, in: store)
            return try Layers.find(token.grant, issuedAt: token.issuedAt, in: store)
        }
        if let found { return found }
        return try store.write {
            try Layers.open(token.grant, issuedAt: token.issuedAt, in: $0, using: &dice)
        }
    }

    private func receive(_ file: AttachmentID, _ token: IssuedToken, _ now: Timestamp) throws {
        guard token.rights.writes else { throw APIError(.insufficientScope, "this token lacks write") }
        let layer = try open(token, now)
        // Before the write, which may be durable even if the process dies in it.
        uploads.insert(SentFile(file: file, layer: layer.key.name, user: token.rights.user))
        try store.write { store in
            try admit(token, at: now, in: store)
            try store.put(StoredAttachment(file, document: Self.document, bytes: 1, at: now))
            try store.addUpload(of: file, by: token.rights.user, in: layer)
        }
    }

    private func session(_ token: IssuedToken, _ now: Timestamp) throws -> SessionAnswer {
        try view(token, now) { view, _ in
            guard let document = try view.store.document(Self.document) else {
                throw APIError(.documentNotFound, "the document is gone")
            }
            return SessionAnswer(
                grant: token.grant, now: now, generation: view.layer.generation, epoch: view.epoch,
                head: view.layer.head, lineage: try Layers.lineage(of: view.layer, in: view.store),
                pdfSHA256: document.pdfSHA256, pdfBytes: document.pdfBytes,
                title: document.title, limits: limits)
        }
    }

    private func take(_ push: PushRequest, _ token: IssuedToken, _ now: Timestamp) throws -> PushAnswer {
        let layer = try open(token, now)
        let known = try disk.read { try $0.client(push.clientID, in: layer)?.lastN ?? 0 }
        var done: (answer: PushAnswer, commit: Commit)?
        // A durable commit is part of the history, even if the process died before answering.
        func keep() throws {
            guard let done else { return }
            let fresh = zip(push.changes, done.answer.results).filter {
                $0.n > known && $1.status != .gap && $1.status != .mismatch
            }
            let audit = Audit(
                book: book(layer), rights: token.rights, client: push.clientID, commit: done.commit,
                fresh: fresh.map { ($0, $1) }, uploads: uploads.filter { $0.layer == layer.key.name })
            try audit.check()
            // Before its first snapshot a client names no history: if such a request arrives again after the server was
            // restored, it cannot be distinguished from a new one (decision 12).
            let isUnplaced = push.cursor == nil && isRestored
            let applied = fresh.filter { !isUnplaced && $1.status == .applied }.map { $0.0 }
            write(done.commit, by: push.clientID, applied: applied)
        }
        do {
            try store.write { store in
                try admit(token, at: now, in: store)
                let taking = PushProcessor(grant: token.grant, limits: limits, forgottenAtOnce: 1)
                done = try taking.perform(push, on: layer, in: store, now: now)
            }
        } catch {
            let after = try disk.read { try $0.client(push.clientID, in: layer)?.lastN ?? 0 }
            let head = try self.layer(layer.key.name)?.head ?? 0
            if let commit = done?.commit, after > known, head == commit.layer.head { try keep() }
            throw error
        }
        guard let done else { throw Violation("a writing transaction did not run") }
        try keep()
        publish(done.commit)
        try Inspector(book: book(done.commit.layer), rights: token.rights).check(done.answer)
        return done.answer
    }
}

import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

/// A client without the library: it obeys the protocol, but claims to have seen what it has not, and omits whatever is
/// optional.
struct Stranger {
    var rights = Rights.all("dan")

    /// One for each user, because a clientID belongs to the first user who sends it.
    var clientID: String { "stranger-\(rights.user ?? "")" }
}

extension Universe {
    func strangerPushes() throws {
        if later.chance(1, of: 3) {
            stranger.rights = Rights.random(later.pick(["ana", "bo", "dan"]), withRules: profile.hasRules, &later)
        }
        guard stranger.rights.writes, let layer = try host.layer(later.pick(profile.layers)) else { return }
        let now = host.now(time)
        let grant = stranger.rights.grant(
            layer: layer.key.name, expiresAt: Timestamp(milliseconds: now.milliseconds + 1000))
        let token = IssuedToken(number: 0, rights: stranger.rights, grant: grant, issuedAt: now)
        let n = try host.lastNumber(of: stranger.clientID, in: layer) + 1
        guard let change = try strangeChange(n, in: layer) else { return }
        trace("a stranger (\(stranger.rights)) pushes \(change)")
        let push = PushRequest(clientID: stranger.clientID, acked: n - 1, cursor: nil, changes: [change])
        _ = try host.answer(.push(push), body: push.bytes, token: token, at: time)
    }

    private func strangeChange(_ n: Int64, in layer: EngineCore.ServerLayer) throws -> Change? {
        let book = host.book(layer)
        let all = (Array(book.base.keys) + book.states.keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard !all.isEmpty, let record = book.present(later.pick(all)) else { return nil }
        let group: String?? = later.chance(1, of: 2) ? nil : .some(later.pick(Rights.groups + [""]))
        let base = later.pick([record.revision, record.revision, record.revision, book.head, 0, 1 << 53])
        switch later.pick(["create", "comment", "state", "update", "turn", "delete", "delete", "delete", "restore"]) {
        case "create":
            let type = later.pick(["pspdfkit/markup/underline", "pspdfkit/comment-marker", "pspdfkit/note"])
            let text = newText()
            var content = Remark.claiming(Remark.annotation(type, text), saying: text)
            if later.chance(1, of: 2) { content = content.asCommentThreadRoot }
            let id = later.chance(1, of: 6) ? record.id : ULID.make(at: time, using: &later)
            return Change(n: n, kind: .create, id: id, baseRevision: 0, group: group, content: content)
        case "comment":
            return Change(
                n: n, kind: .create, id: ULID.make(at: time, using: &later), baseRevision: 0, group: group,
                content: Remark.comment(on: record.rootID ?? record.id, newText()))
        case "state":
            let root = record.rootID ?? record.id
            return Change(
                n: n, kind: .create, id: ULID.make(at: time, using: &later), baseRevision: 0, group: group,
                content: Remark.state(later.pick(Remark.states), on: root, newText()))
        case "turn":
            // A comment into a state, and a state into a comment.
            let text = newText()
            let root = record.rootID ?? record.id
            let content =
                Remark.isState(record.record.content)
                ? Remark.comment(on: root, text) : Remark.state("completed", on: root, text)
            return Change(n: n, kind: .update, id: record.id, baseRevision: base, group: group, content: content)
        case "update":
            let text = newText()
            return Change(
                n: n, kind: .update, id: record.id, baseRevision: base, group: group,
                content: Remark.careless(Remark.changed(record.record.content, to: text), saying: text))
        case "delete":
            let seen: Revision? = later.pick([nil, 0, -1, record.revision, book.head, 1 << 53])
            return Change(n: n, kind: .delete, id: record.id, baseRevision: base, threadRevision: seen)
        default: return Change(n: n, kind: .restore, id: record.id, baseRevision: base)
        }
    }
}

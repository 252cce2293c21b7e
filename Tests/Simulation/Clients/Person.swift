import Annotations
import InstantCore
import SyncProtocol
import TestSupport

/// A user who edits what the screen shows and records the intention.
struct Person {
    let device: Device
    let process: Process
    let now: Timestamp

    private var layer: Layer { process.layer }

    /// A description of an action, for the trace.
    typealias Deed = String

    func edit(_ text: String, _ dice: inout SeededRandom) throws -> Deed? {
        let rows = try rows()
        guard !rows.isEmpty, !dice.chance(1, of: 3) else { return try create(text, &dice) }
        let id = dice.pick(rows)
        guard let record = try layer.record(id) else { return nil }
        var content = Remark.changed(record.content, to: text)
        // What the root says later changes nothing.
        if device.startsThreads, dice.chance(1, of: 3) {
            content = content.changing { $0["isCommentThreadRoot"] = dice.chance(1, of: 2) ? true : nil }
        }
        content = Remark.careless(content, saying: text)
        return try doing("updates \(id) to \(text)", .text(text), id) {
            let receipt = try layer.update(id, content: content, at: now)
            if let before = receipt.before, let after = receipt.after {
                try Remark.checkOrigin(before.content, after.content, id)
            }
            return Done(receipt)
        }
    }

    private func create(_ text: String, _ dice: inout SeededRandom) throws -> Deed? {
        if device.startsThreads, dice.chance(1, of: 3) { return try beginThread(text, &dice) }
        let id = ULID.make(at: now, using: &dice)
        let type = dice.pick(["pspdfkit/markup/highlight", "pspdfkit/note", "pspdfkit/comment-marker"])
        if dice.chance(1, of: 12) {
            let group = dice.pick(Rights.groups)
            try layer.overrideGroup(dice.chance(1, of: 2) ? nil : .init(group: group))
        }
        var content = Remark.annotation(type, text)
        let file = dice.chance(1, of: 12) ? dice.pick(Remark.files) : nil
        if let file { content = content.changing { $0["imageAttachmentId"] = .string(file.hex) } }
        return try doing("creates \(id): \(text)", .text(text), id) {
            if let file { try layer.addUpload(file) }
            return Done(try layer.create(content, id: id, author: nil, at: now))
        }
    }

    private func beginThread(_ text: String, _ dice: inout SeededRandom) throws -> Deed? {
        let (id, commentID) = (ULID.make(at: now, using: &dice), ULID.make(at: now, using: &dice))
        let root = Remark.annotation(dice.pick(["pspdfkit/markup/highlight", "pspdfkit/comment-marker"]), text)
        let words = text + ", more"
        var comment: EditReceipt?
        let deed = try doing("begins a thread at \(id) with \(commentID): \(text)", .text(text), id) {
            let made = try layer.beginThread(
                root, id: id, .plain(words), commentID: commentID, author: nil, at: now)
            comment = made.comment
            return Done(made.root)
        }
        if let comment { try note(Done(comment), .text(words)) }
        return deed
    }

    func reply(_ text: String, _ dice: inout SeededRandom) throws -> Deed? {
        let roots = try layer.rows(ListQuery(), offset: 0, limit: 1000).filter {
            $0.kind.isMarkup || $0.kind == .commentMarker || $0.kind == .note
        }
        guard !roots.isEmpty else { return nil }
        let root = dice.pick(roots).id
        let id = ULID.make(at: now, using: &dice)
        if dice.chance(1, of: 4) {
            let state = dice.pick(Remark.states)
            return try doing("sets \(root) to \(state) with \(id): \(text)", .text(text), id) {
                Done(try layer.create(Remark.state(state, on: root, text), id: id, author: nil, at: now))
            }
        }
        return try doing("replies to \(root) with \(id): \(text)", .text(text), id) {
            Done(try layer.create(Remark.comment(on: root, text), id: id, author: nil, at: now))
        }
    }

    func delete(_ dice: inout SeededRandom) throws -> Deed? {
        let rows = try rows()
        guard !rows.isEmpty else { return nil }
        let id = dice.pick(rows)
        let thread = try layer.thread(under: id)
        // A record that is visible again can be deleted again, and this time it must go.
        if try process.store.read({ try $0.record(id) }) != nil { device.ledger.isBack(id) }
        return try doing("deletes \(id)", .gone, id, with: thread.map(\.id)) {
            let done = Done(try layer.delete(id, at: now))
            if try isStillToBeMade(id) { mayGo(thread.map(\.id)) }
            return done
        }
    }

    /// Whether the creation of a record that was deleted is on its way, or waits because the server may have it.
    private func isStillToBeMade(_ id: Record.ID) throws -> Bool {
        try layer.outbox().contains { $0.id == id && $0.kind == .create }
    }

    /// Notes that comments go with the root that the person has deleted, if its creation turns out never to have arrived.
    private func mayGo(_ thread: [Record.ID]) {
        for comment in thread { device.ledger.wants(.gone, of: comment, isCertain: false) }
    }

    func undo() throws -> Deed? {
        guard let done = device.history.popLast() else { return nil }
        let receipt = done.receipt
        if let before = receipt.before { device.ledger.sendsAgain(Remark.text(of: before.content)) }
        // Undoing the restoration of a root deletes the root again, with its thread.
        let thread = done.wantedGoneBefore ? try layer.thread(under: receipt.id).map(\.id) : []
        return try doing("undoes \(receipt.kind) of \(receipt.id)", nil, receipt.id, with: thread) {
            let undone = Done(try layer.undo(receipt, at: now), takingBack: done)
            try wantAgain(receipt.swallowed)
            if try isStillToBeMade(receipt.id) { mayGo(thread) }
            return undone
        }
    }

    /// Renews the wishes for a thread whose edits wait again.
    private func wantAgain(_ swallowed: [OutboxEntry]) throws {
        let waiting = try layer.outbox()
        for entry in swallowed where waiting.contains(where: { $0.id == entry.id }) {
            if let content = entry.content { device.ledger.wants(.text(Remark.text(of: content)), of: entry.id) }
        }
    }

    /// Resolves a conflict or a refusal.
    func settle(_ dice: inout SeededRandom) throws -> Deed? {
        let conflicts = try layer.conflicts()
        guard !conflicts.isEmpty else { return nil }
        let conflict = dice.pick(conflicts)
        let newID = ULID.make(at: now, using: &dice)
        if dice.chance(1, of: 2) {
            device.ledger.forget(conflict.recordID)
            try layer.resolve(conflict.id, .theirs, newID: newID, at: now)
            return "gives up \(conflict.recordID)"
        }
        if let mine = conflict.mine { device.ledger.sendsAgain(Remark.text(of: mine)) }
        // After a crash here, the id under which the edit continues, if at all, is unknown.
        device.ledger.forget(conflict.recordID)
        let thread = conflict.mine == nil ? try layer.thread(under: conflict.recordID).map(\.id) : []
        let receipt = try layer.resolve(conflict.id, .mine, newID: newID, at: now)
        guard let receipt else { return "gives up \(conflict.recordID)" }
        try note(Done(receipt), nil)
        if try isStillToBeMade(conflict.recordID) { mayGo(thread) }
        return "sends \(conflict.recordID) again as \(receipt.id)"
    }

    func discard(_ dice: inout SeededRandom) throws -> Deed? {
        let waiting = try layer.outbox().filter { $0.stage != .sealed }
        guard !waiting.isEmpty else { return nil }
        let entry = dice.pick(waiting)
        device.ledger.forget(entry.id)
        try layer.discard(entry.seq)
        if let content = entry.content { device.ledger.discards(Remark.text(of: content)) }
        return "discards \(entry.kind) of \(entry.id)"
    }

    private func rows() throws -> [Record.ID] {
        let rows = try layer.rows(ListQuery(), offset: 0, limit: 1000)
        return try rows.filter { !$0.isDeletedRoot }.map(\.id)
            + rows.flatMap { root in try layer.thread(under: root.id).map(\.id) }
    }

    /// - Parameters:
    ///   - wish: nil to use the record's state afterwards.
    ///   - thread: The comments that may be deleted with it.
    private func doing(
        _ what: Deed, _ wish: Ledger.Wish?, _ id: Record.ID, with thread: [Record.ID] = [],
        _ edit: () throws -> Done
    ) throws -> Deed {
        do {
            try note(try edit(), wish)
            return what
        } catch is ProcessDied {
            // It may be on disk: the outcome was not reported.
            if let wish { device.ledger.wants(wish, of: id, isCertain: false) } else { device.ledger.forget(id) }
            for comment in thread { device.ledger.wants(.gone, of: comment, isCertain: false) }
            return what + " and dies"
        }
    }

    private func note(_ done: Done, _ wish: Ledger.Wish?) throws {
        let receipt = done.receipt
        device.history.append(done)
        // An edit hidden by a conflict's winner is not shown, but still stored.
        let newest = try layer.outbox().last { $0.id == receipt.id }
        let kept = newest.flatMap { $0.stage == .conflict || $0.stage == .refused ? $0.content : nil }
        if let wish = wish ?? (kept ?? receipt.after?.content).map({ .text(Remark.text(of: $0)) }) {
            device.ledger.wants(wish, of: receipt.id)
        } else if done.wantsGone {
            device.ledger.wants(.gone, of: receipt.id)
        } else {
            device.ledger.forget(receipt.id)
        }
        // Deleting a thread that was never sent drops its comments.
        for entry in receipt.swallowed { device.ledger.forget(entry.id) }
    }
}

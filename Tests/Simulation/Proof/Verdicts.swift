import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

/// The checks for a system at rest.
extension Universe {
    func checkQuiet() throws {
        for device in devices where device.isInUse {
            try checkRows(device)
            try checkShown(device)
            for process in device.processes {
                try require(process.begun == 0, "\(device.name): a sync began and never ended")
            }
        }
        try checkKept()
        for device in devices {
            // For the client that deleted it, a record out of sight is gone for good; it may reappear with more rights.
            let outbox = try Layer(store: device.disk).outbox()
            for id in device.ledger.wishes.keys where !outbox.contains(where: { $0.id == id }) {
                device.ledger.isGone(id)
            }
        }
    }

    /// The checks after each step: no edit is lost or doubled, and each store has an owner.
    func checkKept() throws {
        for device in devices {
            try checkWishes(device)
            guard device.isInUse, let id = try Layer(store: device.disk).metadata().handover else { continue }
            // What is edited in a store that is being handed over would be forgotten at the end of the handover.
            throw Violation("\(device.name) is in use during the handover \(id)")
        }
        try checkRepeats()
    }

    private func book(_ device: Device) throws -> Chronicle {
        guard let layer = try host.layer(device.layerName) else { throw Violation("the layer is gone") }
        return host.book(layer)
    }

    /// Checks that the client holds exactly what its grant allows of the server's state.
    private func checkRows(_ device: Device) throws {
        let wanted = try book(device).live.filter { device.rights.sees($0.subject) }
        let rows = try device.disk.read { try $0.records(after: nil, limit: .max) }
        let byID = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        for record in wanted {
            guard let row = byID[record.id] else { throw Violation("\(device.name) lacks \(record.id)") }
            try require(
                row.record == record.record && row.revision == record.revision,
                "\(device.name) has \(record.id) at \(row.revision), the server at \(record.revision)")
        }
        let ids = Set(wanted.map(\.id))
        for row in rows { try require(ids.contains(row.id), "\(device.name) still has \(row.id)") }
    }

    /// Checks that the screen shows these records with the waiting edits overlaid.
    private func checkShown(_ device: Device) throws {
        let layer = device.leader.layer
        let book = try book(device)
        let tally = try layer.tally()
        try require(tally[.applied, default: 0] == 0, "\(device.name) keeps edits that were applied")
        let outbox = try layer.outbox()
        // One that was undone while its answer was awaited hides nothing. Nor does one whose restore was discarded while an
        // edit of the restored record waits: the screen shows that edit.
        let deletions = outbox.filter { entry in
            entry.kind == .delete && entry.isPending
                && !outbox.contains { $0.id == entry.id && $0.kind != .delete && $0.isPending && $0.seq > entry.seq }
        }
        var left: Set<Record.ID> = []
        for record in book.live where device.rights.sees(record.subject) {
            let entries = outbox.filter { $0.id == record.id }
            // Conflicting and refused edits do not hide the winner; parked ones do.
            guard entries.allSatisfy({ $0.stage == .conflict || $0.stage == .refused }) else { continue }
            // Nor does a parked deletion of the root, or one of the last comment that also deletes its root.
            let isTaken =
                try deletions.contains { $0.takenRoot == record.id } && layer.thread(under: record.id).isEmpty
            if isTaken || deletions.contains(where: { $0.id == record.rootID }) {
                try require(try layer.record(record.id) == nil, "\(device.name) shows \(record.id), also deleted")
                continue
            }
            if let root = record.rootID { left.insert(root) }
            try require(try layer.record(record.id) == record.record, "\(device.name) shows a different \(record.id)")
            guard let row = try layer.row(record.id) else {
                throw Violation("\(device.name) does not list \(record.id)")
            }
            let isMarked = row.delivery == .conflict || row.delivery == .refused
            try require(isMarked == !entries.isEmpty, "\(device.name) marks \(record.id) as \(row.delivery)")
            try require(
                row.text == Remark.text(of: record.record.content), "\(device.name) lists wrong text for \(record.id)")
        }
        try checkHeadings(device, left)
    }

    /// Checks that comments are listed even if their root is not.
    ///
    /// - Parameter roots: The roots of the shown comments.
    private func checkHeadings(_ device: Device, _ roots: Set<Record.ID>) throws {
        let layer = device.leader.layer
        for root in roots {
            guard let row = try layer.row(root) else { throw Violation("\(device.name) hides the comments of \(root)") }
            try require(
                try row.isDeletedRoot == (layer.record(root) == nil), "\(device.name) lists \(root) as what it is not")
        }
        for row in try layer.rows(ListQuery(), offset: 0, limit: .max) where row.isDeletedRoot {
            try require(
                try !layer.thread(under: row.id).isEmpty, "\(device.name) lists \(row.id), which has no comments")
        }
    }

    /// Checks that every edit by a person was applied, waits, or is visible as a conflict or a refusal.
    private func checkWishes(_ device: Device) throws {
        guard !device.ledger.wishes.isEmpty else { return }
        let book = try book(device)
        var waiting: Waiting?
        for (id, all) in device.ledger.wishes {
            for wishes in all.map({ newest($0, of: id) })
            where !wishes.contains(where: { isDone($0, id, book, device) }) {
                let kept = try waiting ?? Waiting(Layer(store: device.disk).outbox())
                waiting = kept
                let isKept = wishes.contains { wish in
                    switch wish {
                    case .text(let text): kept.texts.contains(text)
                    case .gone: kept.deletions.contains(id)
                    }
                }
                try require(isKept, "\(device.name) lost an edit of \(id): \(wishes)")
            }
        }
    }

    /// Returns the wishes of which one is to come true, with those that the person has made since in the store from which these
    /// moved here: an edit may be undone there although nothing of it is left to move.
    private func newest(_ alternatives: Ledger.Alternatives, of id: Record.ID) -> [Ledger.Wish] {
        let origin = alternatives.origin.flatMap { number in devices.first { $0.number == number } }
        return alternatives.wishes + (origin?.ledger.wishes[id] ?? []).flatMap(\.wishes)
    }

    /// What the edits of an outbox want, computed once for all wishes: this check runs after each step.
    private struct Waiting {
        let texts: Set<String>
        let deletions: Set<Record.ID>

        init(_ outbox: [OutboxEntry]) {
            texts = Set(
                outbox.compactMap { entry in
                    // A restore brings back what the record was.
                    (entry.content ?? (entry.kind == .restore ? entry.base?.content : nil)).map(Remark.text)
                })
            deletions = Set(outbox.lazy.filter { $0.kind == .delete }.map(\.id))
        }
    }

    /// Whether the server ever had what the person wanted.
    private func isDone(_ wish: Ledger.Wish, _ id: Record.ID, _ book: Chronicle, _ device: Device) -> Bool {
        switch wish {
        case .text(let text): host.texts.contains(text)
        case .gone:
            host.lost.contains(id) || host.books.values.contains { $0.wasEverGone(id) }
                || book.present(id).map { !device.rights.sees($0.subject) } ?? true
        }
    }

    /// Checks that nothing was applied twice.
    private func checkRepeats() throws {
        for book in host.books.values {
            for (text, times) in book.applied where times > 1 {
                let most = devices.reduce(1) { $0 + $1.ledger.repeats[text, default: 0] }
                try require(times <= most, "\(text) was applied \(times) times")
            }
        }
    }
}

extension Chronicle {
    func wasEverGone(_ id: Record.ID) -> Bool { states[id]?.contains { !$0.record.isLive } ?? false }
}

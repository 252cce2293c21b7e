import Annotations
import Authorization
package import SyncProtocol

/// Edits that something between here and the server refuses, such as a firewall that takes a text for an attack.
///
/// Such an edit is put aside: it is parked with the reason, and what depends on it waits with it. First its number is given
/// to a deletion of nothing. The answer to that shows whether the server has the edit and only the answer to it was lost, and
/// a copy that is still on its way can do nothing any more.
extension Layer {
    /// How many edits are put aside.
    package func asideCount() throws -> Int { try store.read { try $0.asideCount() } }

    /// Whether this edit was put aside before and is tried again.
    func isTrial(n: Int64) throws -> Bool { try store.read { try $0.sealed(n: n)?.isAside ?? false } }

    /// Whether the edits that need a file were put aside before and are tried again.
    func isTrial(of file: AttachmentID) throws -> Bool {
        try store.read { store in
            let needing = try store.entries(in: [.waiting], limit: .max).filter {
                $0.kind != .delete && $0.content?.attachmentID == file
            }
            return needing.allSatisfy(\.isAside) && !needing.isEmpty
        }
    }

    /// Puts the edits aside that wait for a file which is refused on the way.
    func putAside(_ files: [AttachmentID: SyncFailure]) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            let metadata = try store.metadata()
            for entry in try store.entries(in: [.waiting], limit: .max) {
                guard let file = metadata.missingFile(of: entry), let failure = files[file] else { continue }
                changes.touch(entry)
                for other in try store.park(entry, because: "put aside: its file: \(failure)") { changes.touch(other) }
            }
            try store.show(changes)
            return changes
        }
    }

    /// Whether something else can be sent than this edit and what depends on it.
    func hasOthers(than n: Int64) throws -> Bool {
        try store.read { store in
            guard let entry = try store.sealed(n: n) else { return true }
            return try store.entries(in: [.waiting, .sealed], limit: .max).contains {
                $0.seq != entry.seq && !$0.isAside && !$0.depends(on: entry)
            }
        }
    }

    /// Returns the push that uses up the number of an edit; nil if the edit was answered, or the token allows no writes.
    package func filler(of n: Int64, clientID id: String) throws -> PushRequest? {
        try store.read { store in
            let metadata = try store.metadata()
            guard metadata.grant?.mayWrite == true, metadata.clientID.isExactly(id), try store.sealed(n: n) != nil
            else { return nil }
            return PushRequest(clientID: id, acked: n - 1, cursor: nil, changes: [.filler(of: id, n: n)])
        }
    }

    /// Puts an edit aside, or notes that the server has it.
    ///
    /// - Parameters:
    ///   - result: the answer to ``filler(of:clientID:)``.
    ///   - reason: why the edit is put aside; nil if it depends on another edit, or waits for its root.
    /// - Returns: The changes, and which entries were put aside.
    package func take(
        filler result: ChangeResult, because reason: String?
    ) throws -> (changes: LayerChanges, aside: [Int64]) {
        try store.write { store in
            var (changes, aside): (LayerChanges, [Int64]) = (LayerChanges(), [])
            guard let entry = try store.sealed(n: result.n) else { return (changes, []) }
            if result.status == .mismatch {
                try store.lostAnswer(of: entry, revision: result.revision, into: &changes)
            } else {
                let reason =
                    try reason ?? store.asides().first { entry.depends(on: $0) }?.state.reason
                    ?? store.reasonRootIsParked(of: entry)
                aside = try store.putAside(entry, because: reason, into: &changes)
            }
            try store.show(changes)
            return (changes, aside)
        }
    }

    /// Lets what was put aside be tried again, one edit at a time and after everything else. Like an edit, it may be called in any
    /// process; the leading one sends.
    @discardableResult
    package func retryAside() throws -> LayerChanges {
        try changeAside { store, changes in
            if let grant = try store.metadata().grant {
                try store.parkDenied(grant, retriesAside: true, into: &changes)
            }
        }
    }

    /// Takes back that these entries were put aside, because nothing else can be sent either.
    func takeBack(_ aside: Set<Int64>) throws -> LayerChanges {
        try changeAside { store, changes in
            for entry in try store.asides() where aside.contains(entry.seq) {
                for waiting in try store.wait(entry) { changes.touch(waiting) }
            }
            if let grant = try store.metadata().grant { try store.parkDenied(grant, into: &changes) }
        }
    }

    private func changeAside(
        _ body: (any WritableLayer, inout LayerChanges) throws -> Void
    ) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            guard try store.entries(in: [.parked], limit: .max).contains(where: \.isAside) else { return changes }
            try body(store, &changes)
            try store.show(changes)
            return changes
        }
    }
}

extension WritableLayer {
    /// Lets an edit that was put aside wait like any other, and with it what was put aside because it depends on it.
    ///
    /// - Returns: All of them.
    fileprivate func wait(_ entry: OutboxEntry) throws -> [OutboxEntry] {
        guard var entry = try self.entry(entry.seq), entry.isAside else { return [] }
        (entry.state, entry.isAside) = (.waiting, false)
        try replace(entry)
        return [entry] + (try wait(behind: entry))
    }

    private func wait(behind entry: OutboxEntry) throws -> [OutboxEntry] {
        try asides().filter { $0.seq > entry.seq && $0.depends(on: entry) }.flatMap { try wait($0) }
    }

    /// Replaces an entry. If that puts the edit aside, or lets it wait again, what depends on it follows.
    func put(_ entry: OutboxEntry, inPlaceOf former: OutboxEntry, metadata: LayerMetadata) throws {
        var others: [OutboxEntry] = []
        if entry.isAside, case .parked(let why) = entry.state {
            others = try park(entry, because: why)
        } else {
            try replace(entry)
            if former.isAside { others = try wait(behind: entry) }
        }
        let grant = try self.metadata().grant
        for other in others where other.seq != entry.seq {
            try parkDenied(other.seq, by: grant, metadata: metadata)
            try refresh(other.id, metadata: metadata)
        }
    }
}

extension OutboxEntry.State {
    fileprivate var reason: String? { if case .parked(let why) = self { why } else { nil } }
}

extension StoredLayer {
    /// What is put aside.
    func asides() throws -> [OutboxEntry] { try entries(in: [.parked], limit: .max).filter(\.isAside) }

    /// Returns a new or changed edit as it is stored: put aside, if it depends on an earlier one that is.
    func waitingBehindAsides(_ entry: OutboxEntry) throws -> OutboxEntry {
        guard entry.isUnsealed else { return entry }
        let before = try entries(of: entry.id).filter { entry.seq == 0 || $0.seq < entry.seq }
        let earlier = try (before + (entry.root.map { try entries(of: $0) } ?? [])).first {
            $0.isAside && $0.stage == .parked && entry.depends(on: $0)
        }
        guard let earlier else { return entry }
        var entry = entry
        (entry.state, entry.isAside) = (earlier.state, true)
        return entry
    }

    fileprivate func sealed(n: Int64) throws -> OutboxEntry? {
        try entries(in: [.sealed], limit: .max).first { $0.n == n }
    }
}

extension WritableLayer {
    /// - Parameter reason: nil if it only waits for its root, which is waiting again.
    /// - Returns: The entries that were put aside.
    fileprivate func putAside(
        _ sealed: OutboxEntry, because reason: String?, into changes: inout LayerChanges
    ) throws -> [Int64] {
        var entry = sealed
        // The server will never have it under this number. It may have it under an earlier one, out of sight.
        let isStored = try record(entry.id) != nil
        (entry.state, entry.isAside) = (.waiting, false)
        entry.wasSent = sealed.wasSent && entry.kind == .create && !isStored
        changes.touch(entry)
        let later = try mergedEntries(behind: entry, into: &changes).first
        // A deletion behind a restore, or behind a creation that was sent before, waits with it: the server may have the record,
        // although it has answered that it is gone. It may have been out of sight then.
        if let later, entry.kind != .restore, later.kind != .delete || !entry.wasSent,
            let merged = entry.merged(with: later, isStored: isStored)
        {
            // The user has edited it since, and the result was never sent. A root that was to go along is shown again.
            changes.touch(later)
            switch merged {
            case .replaced(var merged) where later.kind == .delete:
                // The receipt of the deletion refers to its seq. Only here is the text left that an undo of the deletion shows.
                try removeEntry(entry.seq)
                if entry.kind == .update { merged.content = later.content ?? entry.content }
                try replace(merged.inPlace(of: later))
            case .replaced(let merged):
                try removeEntry(later.seq)
                try replace(waitingBehindAsides(merged))
            case .nothing:
                try removeEntry(later.seq)
                try removeEntry(entry.seq)
                if entry.kind == .create { try dropThread(of: entry.id, into: &changes) }
            }
            return []
        }
        guard let reason else {
            try replace(entry)
            return []
        }
        let parked = try park(entry, because: reason)
        for entry in parked { changes.touch(entry) }
        return parked.map(\.seq)
    }

    /// Merges the edits of a record that wait behind one among themselves. Behind an edit on its way, or while the layer recovers,
    /// they were only appended: a deletion that was undone must not take that edit along.
    ///
    /// - Returns: The edits that are left.
    private func mergedEntries(
        behind entry: OutboxEntry, into changes: inout LayerChanges
    ) throws -> [OutboxEntry] {
        var left: [OutboxEntry] = []
        for next in try entries(of: entry.id) where next.seq > entry.seq && next.isUnsealed {
            guard let last = left.last, !last.wasSent, !next.wasSent, try !mustFollow(next, last),
                let merged = try last.merged(with: next, isStored: record(entry.id) != nil)
            else {
                left.append(next)
                continue
            }
            try removeEntry(next.seq)
            changes.touch(next)
            switch merged {
            case .replaced(var entry):
                // Where both were only appended, nothing else has the text for an undo of the deletion.
                if last.kind == .update, next.kind == .delete { entry.content = last.content }
                try replace(entry)
                left[left.count - 1] = entry
            case .nothing:
                try removeEntry(last.seq)
                changes.touch(last)
                left.removeLast()
            }
        }
        return left
    }

    /// Parks an edit, and with it what depends on it.
    ///
    /// - Returns: The entries that were put aside.
    fileprivate func park(_ entry: OutboxEntry, because reason: String) throws -> [OutboxEntry] {
        let waiting = try entries(in: [.waiting], limit: .max).filter { $0.depends(on: entry) }
        return try ([entry] + waiting).map { entry in
            var entry = entry
            (entry.state, entry.isAside) = (.parked(reason), true)
            try replace(entry)
            return entry
        }
    }
}

extension OutboxEntry {
    /// Whether this creates or restores the record.
    var bringsRecord: Bool { kind == .create || kind == .restore }

    /// Whether this cannot be sent before another entry.
    func depends(on other: OutboxEntry) -> Bool {
        guard seq != other.seq else { return false }
        return id.isExactly(other.id) || other.bringsRecord && root.isExactly(other.id)
    }
}

extension Change {
    /// A change that does nothing, always the same for a number.
    static func filler(of clientID: String, n: Int64) -> Change {
        Change(n: n, kind: .delete, id: fillerID(of: clientID, n: n), baseRevision: 0)
    }

    private static func fillerID(of clientID: String, n: Int64) -> Record.ID { "aside-\(clientID)-\(n)" }
}

extension PushRequest {
    /// Whether this only uses up the number of another change.
    package var isFiller: Bool {
        changes.count == 1 && changes[0].kind == .delete && changes[0].id.starts(with: "aside-\(clientID)-")
    }
}

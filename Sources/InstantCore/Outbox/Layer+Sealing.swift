import Authorization
package import SyncProtocol

/// What is sent next.
extension Layer {
    /// The next push: what was sealed and never answered, exactly as it was, then what waits and now gets its `n`,
    /// in one transaction just before it is sent. nil when there is nothing that may be sent.
    ///
    /// What names a file that the server does not have yet is left out (``nextUpload()``).
    /// A record with an unanswered change holds back its next one: only the answer tells the revision it is based on.
    package func seal(maximum: Int = .max) throws -> PushRequest? { try store.write { try $0.seal(maximum: maximum) } }
}

extension WritableLayer {
    /// Writes nothing when nothing gets a number.
    func seal(maximum: Int = .max) throws -> PushRequest? {
        var facts = try metadata()
        guard facts.grant?.mayWrite == true, !facts.isRecovering else { return nil }
        let sealed = try entries(in: [.sealed], limit: .max)
        var batch = Batch(limits: facts.limits, maximum: maximum)
        for entry in sealed.sorted(by: { $0.n < $1.n }) { guard batch.add(entry) else { break } }
        var busy = Set(sealed.map(\.id))
        let acked = (sealed.map(\.n).min() ?? facts.lastN + 1) - 1
        let last = facts.lastN
        if batch.entries.count == sealed.count {
            for var entry in try entries(in: [.waiting], limit: max(0, batch.room)) {
                guard busy.insert(entry.id).inserted, facts.missingFile(of: entry) == nil else { continue }
                entry.state = .sealed(n: facts.lastN + 1)
                guard batch.add(entry) else { break }
                facts.lastN += 1
                try mark(entry.seq, entry.state)
            }
        }
        guard !batch.entries.isEmpty else { return nil }
        if facts.lastN != last { try setLastN(facts.lastN) }
        return PushRequest(
            clientID: facts.clientID, acked: acked, cursor: facts.cursor, changes: batch.entries.map(\.change))
    }
}

/// As many changes as one request may carry. One that is too large alone goes alone: the server says what it thinks.
private struct Batch {
    let limits: ServerLimits
    let maximum: Int
    var entries: [OutboxEntry] = []
    var bytes = 256

    init(limits: ServerLimits, maximum: Int) {
        self.limits = limits
        self.maximum = max(1, min(maximum, limits.batchChanges))
    }

    var room: Int { maximum - entries.count }

    mutating func add(_ entry: OutboxEntry) -> Bool {
        let size = entry.change.canonicalBytes.count + 1
        guard entries.isEmpty || (room > 0 && bytes + size <= limits.batchBytes) else { return false }
        entries.append(entry)
        bytes += size
        return true
    }
}

extension OutboxEntry {
    /// Of a sealed or applied entry; 0 before.
    var n: Int64 {
        switch state {
        case .sealed(let n), .applied(let n, _): n
        default: 0
        }
    }

    var change: Change {
        let carries = kind == .create || kind == .update
        return Change(
            n: n, kind: kind, id: id, baseRevision: baseRevision,
            threadRevision: kind == .delete ? threadRevision : nil, group: carries ? group : nil,
            content: carries ? content : nil)
    }
}

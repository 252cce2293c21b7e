import Annotations
import Authorization
package import SyncProtocol

/// Selects what to send next.
extension Layer {
    /// Returns the next push: first the unanswered sealed entries, unchanged, then waiting entries, which get their `n`
    /// in one transaction just before sending. Returns nil if nothing may be sent.
    ///
    /// Leaves out entries whose file the server lacks (``nextUpload()``). An unanswered change holds back the next
    /// change to the same record, because only the response gives its base revision.
    ///
    /// - Parameters:
    ///   - maximum: How many changes it may have.
    ///   - bytes: How large it may be; a single change may be larger.
    package func seal(maximum: Int = .max, bytes: Int = .max) throws -> PushRequest? {
        try store.write { try $0.seal(maximum: maximum, bytes: bytes) }
    }
}

extension WritableLayer {
    /// Writes only if an entry gets a number.
    func seal(maximum: Int, bytes: Int) throws -> PushRequest? {
        var metadata = try metadata()
        guard metadata.grant?.mayWrite == true, !metadata.isRecovering else { return nil }
        let sealed = try entries(in: [.sealed], limit: .max)
        var batch = Batch(limits: metadata.limits, maximum: maximum, most: bytes)
        let aside = try asides()
        for entry in sealed.sorted(by: { $0.n < $1.n }) {
            if try aside.contains(where: { entry.depends(on: $0) }) || isBeforeItsRoot(entry) {
                // It waits for its root or for an edit that is put aside. Its number precedes the others, so a filler uses it up.
                guard batch.entries.isEmpty else { break }
                return PushRequest(
                    clientID: metadata.clientID, acked: entry.n - 1, cursor: nil,
                    changes: [.filler(of: metadata.clientID, n: entry.n)])
            }
            guard batch.add(entry) else { break }
        }
        var busy = Set(sealed.map { ByteOrdered($0.id) })
        let acked = (sealed.map(\.n).min() ?? metadata.lastN + 1) - 1
        let last = metadata.lastN
        if batch.entries.count == sealed.count {
            let waiting = try entries(in: [.waiting], limit: max(0, batch.room))
            let tried = waiting.filter(\.isAside)
            for var entry in waiting where !entry.isAside && !tried.contains(where: { entry.depends(on: $0) }) {
                guard busy.insert(ByteOrdered(entry.id)).inserted, try !waitsForFile(entry, metadata) else { continue }
                entry.state = .sealed(n: metadata.lastN + 1)
                guard batch.add(entry) else { break }
                metadata.lastN += 1
                // Only the whole entry says that it was sent before.
                if entry.wasSent { try replace(entry) } else { try mark(entry.seq, entry.state) }
            }
        }
        if batch.entries.isEmpty, var entry = try entries(in: [.waiting], limit: .max).first(where: \.isAside),
            metadata.missingFile(of: entry) == nil
        {
            // What was put aside is tried alone, and after everything else.
            entry.state = .sealed(n: metadata.lastN + 1)
            metadata.lastN += 1
            try replace(entry)
            _ = batch.add(entry)
        }
        guard !batch.entries.isEmpty else { return nil }
        if metadata.lastN != last { try setLastN(metadata.lastN) }
        return PushRequest(
            clientID: metadata.clientID, acked: acked, cursor: metadata.cursor, changes: batch.entries.map(\.change),
            omitsSent: true)
    }
}

extension StoredLayer {
    /// Whether the root of a new comment is to be created or restored under a later number.
    fileprivate func isBeforeItsRoot(_ entry: OutboxEntry) throws -> Bool {
        guard let root = entry.root else { return false }
        return try entries(of: root).contains { $0.bringsRecord && $0.isUnsealed }
    }
}

/// A batch of as many changes as one request may carry. A change that is too large is sent alone, and the server
/// decides.
private struct Batch {
    let limits: ServerLimits
    let maximum: Int
    let mostBytes: Int
    var entries: [OutboxEntry] = []
    var bytes = 256

    init(limits: ServerLimits, maximum: Int, most bytes: Int) {
        self.limits = limits
        mostBytes = min(limits.batchBytes, bytes)
        self.maximum = max(1, min(maximum, limits.batchChanges))
    }

    var room: Int { maximum - entries.count }

    mutating func add(_ entry: OutboxEntry) -> Bool {
        let size = entry.change.canonicalBytes.count + 1
        guard entries.isEmpty || (room > 0 && bytes + size <= mostBytes) else { return false }
        entries.append(entry)
        bytes += size
        return true
    }
}

extension OutboxEntry {
    /// The number of a sealed or applied entry; otherwise 0.
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
            threadRevision: kind == .delete ? threadRevision : nil, group: .some(carries ? group : nil),
            content: carries ? content : nil)
    }
}

import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

/// Checks one device after each step for invariants that must hold at all times.
struct Watch {
    /// The highest revision of a cursor, in each epoch.
    private var highest: [String: Revision] = [:]
    /// The bytes sent under each number of each clientID.
    private var sent: [String: [[UInt8]]] = [:]
    /// The changes that only used up a number.
    private var fillers: Set<[UInt8]> = []
    private var last: LayerMetadata?

    /// Checks that numbers grow by one, and that a repeated change is identical.
    mutating func sees(_ push: PushRequest) throws {
        var texts = sent[push.clientID] ?? []
        for change in push.changes {
            if change.n == texts.count + 1 {
                texts.append(change.canonicalBytes)
            } else {
                try require((1...Int64(texts.count)).contains(change.n), "n \(change.n) follows \(texts.count)")
                let before = texts[Int(change.n) - 1]
                // A deletion of nothing may take the number of a change whose answer does not arrive, and may be lost.
                let isFilled = push.isFiller || fillers.contains(before)
                try require(
                    isFilled || before == change.canonicalBytes, "change \(change.n) was altered after it was sent")
                if push.isFiller { fillers.insert(change.canonicalBytes) }
                texts[Int(change.n) - 1] = change.canonicalBytes
            }
        }
        sent[push.clientID] = texts
    }

    /// Resets the cursors: what the server sends again may be missing, and the cursor is before it.
    mutating func lostPower() { highest = [:] }

    mutating func looks(at device: Device, _ host: Host, rights: (Grant) -> Rights?) throws {
        let metadata = try device.disk.read { try $0.metadata() }
        if let cursor = metadata.cursor {
            try require(cursor.revision >= highest[cursor.epoch] ?? 0, "the cursor moved back")
            highest[cursor.epoch] = cursor.revision
        }
        guard metadata.cursor != last?.cursor || metadata.grant != last?.grant else { return }
        last = metadata
        guard let grant = metadata.grant, let rights = rights(grant) else { return }
        let rows = try device.disk.read { try $0.records(after: nil, limit: .max) }
        for row in rows {
            try require(rights.sees(Subject(row.record)), "\(row.id) is shown against the rules")
        }
        if let cursor = metadata.cursor, let book = try host.book(ofEpoch: cursor.epoch) {
            try compare(rows, with: book, at: cursor, rights, host)
        }
    }

    /// Checks that everything up to the cursor is present, and that every row existed at some time.
    private func compare(
        _ rows: [InstantCore.StoredRecord], with book: Chronicle, at cursor: Cursor, _ rights: Rights, _ host: Host
    ) throws {
        let byID = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        for row in rows {
            let was = ([book] + host.books.values).contains { $0.state(row.id, at: row.revision)?.record == row.record }
            try require(was, "\(row.id) is shown in a state that never existed")
        }
        for id in Set(book.states.keys).union(book.base.keys) {
            // A record changed again since may arrive with its newest change only.
            guard let state = book.present(id), state.revision <= cursor.revision else { continue }
            if state.isLive, rights.sees(state.subject) {
                // Newer than this whole book: the PDF was replaced, and an answer brought a row of the next book.
                let newer =
                    byID[id].map { $0.revision > book.head && host.hasFollower(of: cursor.epoch, with: $0) } ?? false
                try require(
                    newer || byID[id]?.revision == state.revision,
                    "the cursor is past revision \(state.revision) of \(id), which is not here")
            } else {
                try require(byID[id] == nil, "\(id) is here but was removed at revision \(state.revision)")
            }
        }
    }
}

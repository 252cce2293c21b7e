import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

/// Looks at one device after each step: what may never be the case, not even for a moment.
struct Watch {
    /// The highest revision a cursor stood at, in each epoch.
    private var highest: [String: Revision] = [:]
    /// What was sent under each number of each clientID.
    private var sent: [String: [[UInt8]]] = [:]
    private var last: LayerMetadata?

    /// Numbers grow by one, and what was sent once is sent again exactly so.
    mutating func sees(_ push: PushRequest) throws {
        var texts = sent[push.clientID] ?? []
        for change in push.changes {
            if change.n == texts.count + 1 {
                texts.append(change.canonicalBytes)
            } else {
                try require((1...Int64(texts.count)).contains(change.n), "n \(change.n) follows \(texts.count)")
                let before = texts[Int(change.n) - 1]
                try require(before == change.canonicalBytes, "change \(change.n) was altered after it was sent")
            }
        }
        sent[push.clientID] = texts
    }

    /// What the server tells again may be missing again, and the cursor stands before it.
    mutating func lostPower() { highest = [:] }

    mutating func looks(at device: Device, _ host: Host, rights: (Grant) -> Rights?) throws {
        let metadata = try device.disk.read { try $0.metadata() }
        if let cursor = metadata.cursor {
            try require(cursor.revision >= highest[cursor.epoch] ?? 0, "the cursor fell")
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

    /// Everything up to the cursor is here, and nothing that never was.
    private func compare(
        _ rows: [InstantCore.StoredRecord], with book: Chronicle, at cursor: Cursor, _ rights: Rights, _ host: Host
    ) throws {
        let byID = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        for row in rows {
            let was = ([book] + host.books.values).contains { $0.state(row.id, at: row.revision)?.record == row.record }
            try require(was, "\(row.id) is shown as it never was")
        }
        for id in Set(book.states.keys).union(book.base.keys) {
            // What was changed again since may come with its newest change only.
            guard let state = book.present(id), state.revision <= cursor.revision else { continue }
            if state.isLive, rights.sees(state.subject) {
                // Newer than all of this book: the PDF was replaced, and an answer brought a row of what follows.
                let newer =
                    byID[id].map { $0.revision > book.head && host.hasFollower(of: cursor.epoch, with: $0) } ?? false
                try require(
                    newer || byID[id]?.revision == state.revision,
                    "the cursor is past revision \(state.revision) of \(id), which is not here")
            } else {
                try require(byID[id] == nil, "\(id) is here, and gone since revision \(state.revision)")
            }
        }
    }
}

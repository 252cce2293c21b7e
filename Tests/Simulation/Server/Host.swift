import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

/// A file that a user uploaded in a layer.
struct SentFile: Hashable {
    var file: AttachmentID
    var layer: String
    var user: String?
}

/// The server process: its core behind bytes, a separate clock, and a store that outlives it.
final class Host {
    static let document = "doc"

    private(set) var disk = MemoryLayerStore()
    private(set) var store: FragileLayerStore
    /// The chronicle of each generation of a layer, by the first two parts of its epochs.
    private(set) var books: [String: Chronicle] = [:]
    /// Every text that a record ever had.
    private(set) var texts: Set<String> = []
    /// Records that a backup lacked, or had in another group. Some client saw them gone, which satisfies a deletion,
    /// whoever creates or moves them later.
    private(set) var lost: Set<Record.ID> = []
    private(set) var isRestored = false
    /// Every file that was ever accepted.
    var uploads: Set<SentFile> = []
    var connections: [Connection] = []
    var fanout = EventBroadcaster(frames: 6, bytes: 1 << 20)
    var limits: ServerLimits
    /// Its clock, in milliseconds ahead of the true time.
    var clockOffset: Int64 = 0
    var dice: SeededRandom
    let trace: Trace
    private var base: [Record] = []
    private var backup: Backup?

    private struct Backup {
        var disk: MemoryLayerStore
        var books: [String: Chronicle]
        var base: [Record]
    }

    init(_ profile: Profile, _ dice: inout SeededRandom, trace: Trace) throws {
        self.trace = trace
        self.dice = SeededRandom(seed: dice.next())
        limits = ServerLimits(
            recordBytes: 2000, batchChanges: dice.pick([1, 3, 5, 1000]), batchBytes: dice.pick([2600, 4 << 20]),
            pageRecords: dice.pick([2, 4, 1000]))
        store = FragileLayerStore(disk)
        try put(pdf: "first")
        for name in profile.layers {
            _ = try disk.write { store in
                try Layers.make(LayerKey(document: Self.document, name: name), in: store, using: &self.dice)
            }
        }
    }

    func now(_ time: Timestamp) -> Timestamp { time + clockOffset }

    /// Returns the newest change number that a client used.
    func lastNumber(of client: String, in layer: EngineCore.ServerLayer) throws -> Int64 {
        try disk.read { try $0.client(client, in: layer)?.lastN ?? 0 }
    }

    // MARK: Documents and layers

    /// Uploads another PDF with annotations.
    func put(pdf name: String) throws {
        let old = base
        base = ["highlight", "markup/underline", "note", "comment-marker"].enumerated().map { index, kind in
            let type = kind == "highlight" ? "markup/highlight" : kind
            return Record(id: "\(index + 1)", content: Remark.annotation("pspdfkit/\(type)", "\(name) \(index)"))
        }
        // The value of a form field: nothing changes it, and few see it.
        let value = Remark.annotation("pspdfkit/form-field-value", "").changing {
            $0["value"] = .string("\(name) value")
        }
        base.append(Record(id: "1:value", content: value))
        texts.formUnion(base.map { Remark.text(of: $0.content) })
        let layers = try storedLayers()
        let base = base
        try disk.write { store in
            let number = try store.addBase(base)
            try store.put(
                ServerDocument(
                    id: Self.document, title: "Title", pdfSHA256: Fingerprint.of(name) + Fingerprint.of(name),
                    pdfBytes: 10, createdAt: Timestamp(seconds: 0), base: number,
                    pages: [.init(width: 600, height: 800)]))
        }
        for layer in layers {
            let before = books[layer.bookName] ?? Chronicle(base: old)
            guard let after = try self.layer(layer.key.name) else { continue }
            books[after.bookName] = Chronicle(before, base: base)
            _ = fanout.close(layer: layer.id, with: SessionEvent(.behind))
        }
    }

    func storedLayers() throws -> [EngineCore.ServerLayer] {
        try disk.read { store in
            try store.layerNames(of: Self.document).compactMap {
                try store.layer(LayerKey(document: Self.document, name: $0))
            }
        }
    }

    func layer(_ name: String) throws -> EngineCore.ServerLayer? {
        try disk.read { try $0.layer(LayerKey(document: Self.document, name: name)) }
    }

    /// Notes that these texts are sent again under another clientID.
    func loseAnswers(to texts: [String]) { for name in books.keys { books[name]?.loseAnswers(to: texts) } }

    func book(_ layer: EngineCore.ServerLayer) -> Chronicle { books[layer.bookName] ?? Chronicle(base: base) }

    /// Returns the book of an epoch; nil when the epoch never existed.
    func book(ofEpoch epoch: String) throws -> Chronicle? {
        guard let end = epoch.lastIndex(of: "-") else { return nil }
        if let book = books[String(epoch[..<end])] { return book }
        return try storedLayers().first { $0.bookName == epoch[..<end] }.map(book)
    }

    /// Whether another book of the same generation has the record in this state: the PDF was replaced.
    func hasFollower(of epoch: String, with row: InstantCore.StoredRecord) -> Bool {
        guard let end = epoch.firstIndex(of: "-") else { return false }
        return books.contains { name, book in
            name.hasPrefix(epoch[...end]) && book.state(row.id, at: row.revision)?.record == row.record
        }
    }

    func write(_ commit: Commit, by client: String?, applied: [Change] = []) {
        var book = book(commit.layer)
        for change in applied { book.apply(change) }
        book.write(commit, by: client)
        texts.formUnion(commit.records.map { Remark.text(of: $0.record.content) })
        books[commit.layer.bookName] = book
    }

    // MARK: Its life

    /// Kills the process and starts it again: the store remains, connections do not.
    func restart() {
        store = FragileLayerStore(disk)
        fanout = EventBroadcaster(frames: 6, bytes: 1 << 20)
        for connection in connections { connection.isCut = true }
    }

    func backUp() { backup = Backup(disk: MemoryLayerStore(copying: disk), books: books, base: base) }

    /// Restarts from the last backup: later data is lost, and every layer has another generation.
    func restoreBackup() throws {
        guard let backup else { return }
        trace("the server is restored from its backup")
        isRestored = true
        disk = MemoryLayerStore(copying: backup.disk)
        base = backup.base
        let before = try storedLayers()
        let known = books.values.flatMap { $0.states.values.compactMap(\.last?.record) }
        try disk.write { try Layers.renew(in: $0, at: .startOfTime, using: &dice) }
        for layer in before {
            guard let after = try self.layer(layer.key.name) else { continue }
            var book = backup.books[layer.bookName] ?? Chronicle(base: base)
            book.forgetClients()
            books[after.bookName] = book
            lost.formUnion(known.filter { book.present($0.id)?.subject != $0.subject }.map(\.id))
        }
        restart()
    }

    /// Woken listeners read their queues when the schedule reaches them.
    func publish(_ commit: Commit) { _ = fanout.publish(commit) }

    func admit(_ token: IssuedToken, at now: Timestamp, in store: any StoreReading) throws {
        guard now < token.grant.expiresAt else { throw APIError(.tokenExpired, "the token has expired") }
        guard try !store.isRevoked(tokenID: token.name) else { throw APIError(.tokenRevoked, "the token was revoked") }
    }

    func revoke(_ token: IssuedToken) throws {
        try disk.write { try $0.revoke(tokenID: token.name, until: token.grant.expiresAt) }
        _ = fanout.revoke([token.name])
    }

    func prune(before moment: Timestamp) throws {
        for layer in try storedLayers() {
            try disk.write { try $0.prune(layer, before: moment) }
            var book = book(layer)
            book.prune(before: moment)
            books[layer.bookName] = book
        }
    }
}

extension EngineCore.ServerLayer {
    /// The prefix of the epochs of all its views.
    var bookName: String { "\(generation)-\(base)" }
}

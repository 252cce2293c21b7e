import Annotations
import Authorization
import Crypto
import Foundation
import GRDB
import SyncProtocol
import TestSupport

@testable import Instant
@testable import InstantCore

/// The folder of a client with one layer in every state that a store knows, a PDF and an attachment.
struct StoredClient {
    static let identity = LayerIdentity(
        server: "https://a.example", documentID: "doc", layer: "review", userID: "ana")
    static let now = Timestamp(seconds: 1_000_000)
    static let ids = (0..<30).map { "id \($0)" } + (0..<6).map { "new \($0)" }

    /// Every file by its path in the folder.
    var files: [String: Data] = [:]
    /// The numbers of the edits on each page of the database, as far as they are in the file itself.
    var editsOfPages: [Int: Set<Int64>] = [:]

    /// - Parameter isKilled: Whether the process ended without closing the store: the write-ahead log is there.
    init(isKilled: Bool) throws {
        let folder = try TemporaryFolder()
        let folders = try Folders(root: folder.path)
        let home = folders.layer(Self.identity)
        try Folders.make(home)
        let pdf = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let sha256 = Crypto.SHA256.hash(data: pdf).hexadecimal
        try pdf.write(to: URL(fileURLWithPath: folders.pdf(sha256)))
        let attachment = try AttachmentFiles(layer: home).add(Data("a picture".utf8))
        let store = try LocalSQLiteStore(path: Folders.database(in: home))
        var metadata = LayerMetadata(identity: Self.identity, clientID: "client-1")
        metadata.grant = Grant(
            documentID: "doc", layer: "review", userID: "ana", general: [.readDocument, .write, .download],
            expiresAt: Timestamp(seconds: 4_000_000_000))
        metadata.cursor = Cursor(epoch: "e", revision: 40)
        (metadata.generation, metadata.lastN, metadata.title, metadata.pdfSHA256) = ("g", 3, "A title", sha256)
        metadata.uploads = [attachment]
        try store.write { [metadata] in try $0.set(metadata) }
        store.putLabel(Self.identity, pdf: sha256)
        var random = SeededRandom(seed: 3)
        try store.write { try Self.fill($0, &random, attachment) }
        try store.checkpoint()
        for number in 0..<6 {
            try store.write { layer in
                let content = note("written late \(number)")
                _ = try layer.append(
                    OutboxEntry(id: "new \(number)", kind: .create, baseRevision: 0, content: content, madeAt: Self.now)
                )
                try layer.show(
                    ShownRow(
                        Record(id: "new \(number)", content: content, createdBy: "ana", updatedBy: "ana", group: nil),
                        delivery: .unsent))
            }
        }
        if isKilled {
            files = try Self.files(of: folder.path)
            store.close()
        } else {
            try store.checkpoint()
            store.close()
            files = try Self.files(of: folder.path).filter { !$0.key.hasSuffix("-wal") && !$0.key.hasSuffix("-shm") }
        }
        files = files.filter { !$0.key.hasSuffix(".lock") }
        editsOfPages = try Self.edits(in: Folders.database(in: home))
    }

    private static func fill(
        _ layer: any WritableLayer, _ random: inout SeededRandom, _ attachment: AttachmentID
    ) throws {
        let metadata = try layer.metadata()
        for number in 0..<30 {
            var object = note("\(number) " + text(&random)).object
            if number % 5 == 4 {
                object["type"] = "pspdfkit/comment"
                object["rootId"] = .string("id \(number - 1)")
            } else if number % 5 == 1 {
                object["type"] = "pspdfkit/markup/highlight"
            }
            object["creatorName"] = .string(random.pick(["Ana", "Bo"]))
            object["pageIndex"] = .number(JSONNumber(Int64(number % 3)))
            let record = Record(
                id: "id \(number)", content: Content(object), createdBy: random.pick(["ana", "bo"]), updatedBy: "bo",
                group: random.pick([nil, "crew"]))
            try layer.put(StoredRecord(record, Int64(number + 1)))
            try layer.show(ShownRow(record, delivery: .delivered))
        }
        try layer.setUnread(["id 2", "id 8"], true)
        try layer.setQuotes([ByteOrdered("id 1"): "some marked words"])
        try layer.note(OwnWrite(id: "id 3", seq: 1, revision: 4))
        let states: [OutboxEntry.State] = [
            .waiting, .sealed(n: 3), .parked("no right"), .conflict("someone was first"), .refused("too large"),
            .applied(n: 2, revision: 9),
        ]
        for number in 0..<24 {
            let id = "id \(number)"
            var object = note("my version \(number) " + text(&random)).object
            if number == 6 { object["imageAttachmentId"] = .string(attachment.hex) }
            _ = try layer.append(
                OutboxEntry(
                    id: id, kind: .update, baseRevision: Int64(number + 1), content: Content(object),
                    base: try layer.record(id)?.record, state: states[number % states.count], madeAt: now))
            try layer.refresh(id, metadata: metadata)
        }
        for number in 0..<3 {
            try layer.stage(
                StoredRecord(
                    Record(
                        id: "staged \(number)", content: note("later"), createdBy: nil, updatedBy: nil, group: nil), 50)
            )
        }
    }

    /// Some texts need several pages of the file.
    private static func text(_ random: inout SeededRandom) -> String {
        let length = random.chance(1, of: 10) ? 9_000 : Int.random(in: 0..<300, using: &random)
        return (0..<length).map { _ in String(random.pick(Array("abcdefghij "))) }.joined()
    }

    private static func files(of folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
        where Folders.isFile(folder + "/" + path) {
            files[path] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path))
        }
        return files
    }

    private static func edits(in database: String) throws -> [Int: Set<Int64>] {
        let image = try DatabaseImage(path: database)
        var edits: [Int: Set<Int64>] = [:]
        for number in 1...image.pageCount {
            guard let page = TreePage(image.page(number), number: number), page.kind == .tableLeaf else { continue }
            var further: [Int] = []
            for cell in page.contents(of: image, used: { further.append($0) }) where cell.values?.count == 15 {
                for used in [number] + further { edits[used, default: []].insert(cell.number) }
                further = []
            }
        }
        return edits
    }

    /// Writes the files to a folder.
    func put(in folder: String) throws {
        for (path, data) in files {
            let file = URL(fileURLWithPath: folder + "/" + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try data.write(to: file)
        }
    }

    static func database(in folder: String) throws -> String {
        Folders.database(in: try Folders(root: folder).layer(identity))
    }
}

/// The outcome of every read by its name: its result, or ``failed``.
struct StoredLook: Equatable {
    static let failed = "error"
    /// Values that belong to one record or edit, by what they are and its id.
    var values: [String: String] = [:]
    /// Lists of ids.
    var lists: [String: [String]] = [:]
    /// What each edit would change, by its number: not whether it was sent.
    var edits: [Int64: String] = [:]
    /// What was named while reading.
    var damage: [StoredDamage] = []

    static func == (one: Self, other: Self) -> Bool { one.values == other.values && one.lists == other.lists }

    /// Whether the read of a value failed: its own, or that of a list which contains it.
    func isFailure(_ name: String) -> Bool {
        let isInFailedList = values[name] == nil && lists.values.contains([Self.failed])
        return isInFailedList || values[name] == Self.failed || lists[name] == [Self.failed]
    }

    /// The names of what differs.
    func differences(from other: StoredLook) -> [String] {
        Set(values.keys).union(other.values.keys).filter { values[$0] != other.values[$0] }.sorted()
            + Set(lists.keys).union(other.lists.keys).filter { lists[$0] != other.lists[$0] }.sorted()
    }

    init(at path: String) {
        guard let store = try? LocalSQLiteStore(path: path) else {
            damage = [.structure("it does not open")]
            return
        }
        defer { store.close() }
        let layer = Layer(store: store)
        note("metadata") { try layer.metadata().json }
        for id in StoredClient.ids {
            note("record \(id)") { try layer.record(id)?.json ?? "nil" }
            note("server \(id)") { try store.read { try $0.record(id) }.map { "\($0)" } ?? "nil" }
            note("row \(id)") { try layer.row(id).map { Self.text($0) } ?? "nil" }
            note("replies \(id)") { "\(try layer.row(id)?.replies ?? 0)" }
        }
        for order in [ListQuery.Order.page, .newest, .author, .group] {
            for (name, filter) in Self.filters {
                var query = ListQuery(order: order)
                filter(&query.filter)
                list("\(order) \(name)", "listed") {
                    try layer.rows(query, offset: 0, limit: 100).map { ($0.id, Self.text($0)) }
                }
                if name != "all" { continue }
                list("\(order) \(name) in parts", "listed") {
                    var rows: [(String, String)] = []
                    while case let part = try layer.rows(query, offset: rows.count, limit: 7), !part.isEmpty {
                        rows += part.map { ($0.id, Self.text($0)) }
                    }
                    return rows
                }
            }
        }
        for page in 0..<3 {
            list("page \(page)", "listed") { try layer.rows(onPage: page).map { ($0.id, Self.text($0)) } }
        }
        list("records", "server") {
            var found: [(String, String)] = []
            while case let part = try store.read({ try $0.records(after: found.last?.0, limit: 7) }), !part.isEmpty {
                found += part.map { ($0.id, "\($0)") }
            }
            return found
        }
        list("staged", "staged") {
            try store.read { try $0.staged(after: nil, limit: 100) }.map { ($0.id, "\($0)") }
        }
        list("outbox", "edit") { try layer.outbox().map { ("\($0.seq)", "\($0)") } }
        for entry in (try? layer.outbox()) ?? [] {
            edits[entry.seq] = "\(entry.kind) \(entry.id) \(entry.content?.text ?? "") \(entry.base?.json ?? "")"
        }
        list("threads", "thread") { try layer.thread(under: "id 3").map { ($0.id, $0.json) } }
        note("own") { try store.read { try $0.ownWrites(after: nil, limit: 9) }.map { "\($0)" }.joined() }
        store.noteGaps()
        damage = store.damage
    }

    private static let filters: [(String, @Sendable (inout ListFilter) -> Void)] = [
        ("all", { _ in }), ("with text", { $0.text = "version" }),
        ("marked", { ($0.text, $0.inQuotes) = ("marked", true) }),
        ("unread", { $0.unreadOnly = true }), ("pending", { $0.pendingOnly = true }), ("by Bo", { $0.author = "Bo" }),
    ]

    /// Without the number of replies, which is not stored in the row.
    private static func text(_ row: ListRow) -> String {
        var row = row
        row.replies = 0
        return "\(row)"
    }

    private mutating func note(_ name: String, _ read: () throws -> String) {
        do { values[name] = try read() } catch { values[name] = Self.failed }
    }

    private mutating func list(_ name: String, _ kind: String, _ read: () throws -> [(String, String)]) {
        do {
            let found = try read()
            lists[name] = found.map(\.0)
            for (id, value) in found { values["\(kind) \(id)"] = value }
        } catch { lists[name] = [Self.failed] }
    }
}

import Authorization
import Foundation
import GRDB
import TestSupport
import TestThreads
import Testing

@testable import Instant
@testable import InstantCore

/// Stores of one layer under several addresses: other spellings of the same one, as earlier programs kept them, and other
/// names.
@Suite(.onDatabaseThreads) struct LayerCopyTests {
    private let folder: TemporaryFolder
    private let folders: Folders
    private let stores: LayerStores

    init() throws {
        folder = try TemporaryFolder()
        folders = try Folders(root: folder.path)
        stores = LayerStores(Self.identity("http://localhost:8080"), folders: folders, environment: .system)
    }

    private static func identity(_ server: String, user: String? = "ana") -> LayerIdentity {
        LayerIdentity(server: server, documentID: "doc", layer: "review", userID: user)
    }

    private static let grant = Grant(
        documentID: "doc", layer: "review", userID: "ana", general: [.readDocument, .write],
        expiresAt: Timestamp(seconds: 4_000_000_000))

    private static let now = Timestamp(seconds: 1_000_000)

    /// Stores a layer as an earlier program did.
    ///
    /// - Parameter view: The folder of a side store; nil for the main store.
    @discardableResult
    private func store(
        _ edits: String..., under server: String, user: String? = "ana", generation: String? = "g",
        grant: Grant? = Self.grant, view: ViewScope? = nil, uploads: Set<AttachmentID> = []
    ) throws -> String {
        let identity = Self.identity(server, user: user)
        let layer = folders.layer(identity)
        let home = view.map { Folders.side(in: layer, view: $0) } ?? layer
        try Folders.make(home)
        let store = try LocalSQLiteStore(path: Folders.database(in: home))
        defer { store.close() }
        try store.found(identity, now: Self.now)
        try store.write { store in
            var metadata = try store.metadata()
            (metadata.grant, metadata.generation, metadata.uploads) = (grant, generation, uploads)
            try store.set(metadata)
            for edit in edits {
                var content = note(edit)
                if let file = uploads.first {
                    content = content.changing { $0["imageAttachmentId"] = .string(file.hex) }
                }
                _ = try store.append(
                    OutboxEntry(id: edit, kind: .create, baseRevision: 0, content: content, madeAt: Self.now))
            }
        }
        return home
    }

    /// The edits of a store, in the order in which they are sent.
    private func edits(in open: OpenStore) throws -> [String] { try open.layer.outbox().map(\.id) }

    private func edits(in home: String) throws -> [String] {
        let store = try LocalSQLiteStore(lookingInto: Folders.database(in: home))
        defer { store.close() }
        return try Layer(store: store).outbox().map(\.id)
    }

    // MARK: Another spelling

    @Test(arguments: [
        "http://LOCALHOST:8080", "HTTP://localhost:8080", "http://localhost.:8080", "http://localhost:08080",
    ])
    func anEarlierFolderIsTakenOver(spelling: String) throws {
        let file = try AttachmentFiles(layer: folders.layer(Self.identity(spelling))).add(Data("a picture".utf8))
        let old = try store("one", "two", under: spelling)
        try store("three", under: spelling, view: .everything)
        let open = try stores.open(stores.main)
        defer { open.close() }
        #expect(try edits(in: open) == ["one", "two"])
        #expect(try open.layer.metadata().identity == stores.identity)
        #expect(LayerLabel.read(LayerLabel.path(besides: open.store.path)).label?.identity == stores.identity)
        #expect(AttachmentFiles(layer: stores.main).holds(file))
        #expect(!Folders.isFile(Folders.database(in: old)))
        #expect(stores.takeLeftovers(into: open, grant: Self.grant).hasReceived)
        #expect(try edits(in: open) == ["one", "two", "three"])
        #expect(stores.sides.isEmpty && stores.folders.copies(of: stores.identity).isEmpty)
    }

    @Test func itsEditsMoveIfThisAddressHasAStore() throws {
        try store("mine", under: "http://localhost:8080")
        let spelling = "http://LOCALHOST:8080"
        let file = try AttachmentFiles(layer: folders.layer(Self.identity(spelling))).add(Data("a picture".utf8))
        let old = try store("one", under: spelling, uploads: [file])
        let side = try store("two", under: spelling, view: .everything)
        let open = try stores.open(stores.main)
        defer { open.close() }
        #expect(stores.takeLeftovers(into: open, grant: Self.grant) == LayerStores.Leftovers(hasReceived: true))
        #expect(try Set(edits(in: open)) == ["mine", "one", "two"])
        #expect(AttachmentFiles(layer: stores.main).holds(file))
        #expect(try open.layer.metadata().uploads == [file])
        #expect(!FileManager.default.fileExists(atPath: side) && !FileManager.default.fileExists(atPath: old))
        #expect(stores.takeLeftovers(into: open, grant: Self.grant) == LayerStores.Leftovers())
        #expect(try edits(in: open).count == 3)
    }

    @Test func aCopyThatAProgramHasOpenStays() throws {
        let old = try store("one", under: "http://LOCALHOST:8080")
        let use = try #require(FileLock(path: Folders.use(in: old), shared: true))
        let open = try stores.open(stores.main)
        defer { open.close() }
        #expect(try edits(in: open).isEmpty)
        #expect(stores.takeLeftovers(into: open, grant: Self.grant) == LayerStores.Leftovers())
        #expect(try edits(in: old) == ["one"])
        withExtendedLifetime(use) {}
    }

    @Test func aCopyOfAnotherViewOrUserStays() throws {
        try store(under: "http://localhost:8080")
        var other = Self.grant
        other.collaboration = [Permission(.annotations, .view, .own)]
        let viewed = try store("one", under: "http://LOCALHOST:8080", grant: other)
        let users = try store("two", under: "HTTP://localhost:8080", user: "bo")
        let open = try stores.open(stores.main)
        defer { open.close() }
        #expect(stores.takeLeftovers(into: open, grant: Self.grant) == LayerStores.Leftovers())
        #expect(try edits(in: viewed) == ["one"])
        #expect(try edits(in: users) == ["two"])
        #expect(stores.folders.copies(of: stores.identity).map(\.folder) == [viewed])
    }

    // MARK: Another name

    @Test func theEditsOfAnotherNameMoveWhenThePersonSaysSo() throws {
        let old = try store("one", "two", under: "http://127.0.0.1:8080")
        let open = try stores.open(stores.main)
        defer { open.close() }
        try open.store.write { store in
            var metadata = try store.metadata()
            metadata.generation = "g"
            try store.set(metadata)
        }
        #expect(stores.takeLeftovers(into: open, grant: Self.grant) == LayerStores.Leftovers())
        let copies = stores.folders.copies(of: stores.identity)
        #expect(copies.map(\.server) == ["http://127.0.0.1:8080"] && copies.allSatisfy { !$0.isSpelling })
        for copy in copies { #expect(try stores.take(copy, into: open, grant: Self.grant) == 2) }
        #expect(try edits(in: open) == ["one", "two"])
        // The layer under the other name stays, as it was downloaded.
        #expect(try edits(in: old).isEmpty)
        for copy in copies { #expect(try stores.take(copy, into: open, grant: Self.grant) == 0) }
        #expect(try edits(in: open) == ["one", "two"])
    }

    /// Nothing has moved then.
    @Test(arguments: [
        ("here", "there", false, "they are not the same server"), (nil, "here", false, "was not synced yet"),
        ("here", "here", true, "another program has the copy"),
    ])
    func aCopyThatDoesNotFitStaysWhole(mine: String?, theirs: String, isOpen: Bool, why: String) throws {
        try store(under: "http://localhost:8080", generation: mine)
        let old = try store("one", under: "https://test.example", generation: theirs)
        let side = try store("two", under: "https://test.example", generation: theirs, view: .everything)
        // The side store is looked at first, and the other one is open.
        let use = isOpen ? FileLock(path: Folders.use(in: old), shared: true) : nil
        let open = try stores.open(stores.main)
        defer { open.close() }
        let copy = try #require(stores.folders.copies(of: stores.identity).first)
        #expect {
            try stores.take(copy, into: open, grant: Self.grant)
        } throws: {
            ($0 as? InstantError)?.message.contains(why) == true
        }
        #expect(try edits(in: open).isEmpty)
        #expect(try edits(in: old) == ["one"] && edits(in: side) == ["two"])
        withExtendedLifetime(use) {}
    }

    /// A revision of another generation may be that of another version of the record.
    @Test func editsOfAnotherGenerationOverwriteNothing() throws {
        try store(under: "http://localhost:8080", generation: "restored")
        let old = try store("new", under: "http://LOCALHOST:8080", generation: "before")
        let giving = try LocalSQLiteStore(path: Folders.database(in: old))
        try giving.write { layer in
            _ = try layer.append(
                OutboxEntry(id: "known", kind: .update, baseRevision: 7, content: note("changed"), madeAt: Self.now))
        }
        giving.close()
        let open = try stores.open(stores.main)
        defer { open.close() }
        #expect(stores.takeLeftovers(into: open, grant: Self.grant).hasReceived)
        #expect(try open.layer.outbox().map(\.id) == ["new", "known"])
        #expect(try open.layer.outbox().map(\.baseRevision) == [0, 0])
    }

    // MARK: Damage and earlier versions

    /// It has no label, either.
    @Test func aStoreOfAnEarlierVersionIsRead() throws {
        func identity(_ server: String) -> LayerIdentity {
            LayerIdentity(server: server, documentID: "reading-machines", layer: "review", userID: "ana")
        }
        let old = folders.layer(identity("http://127.0.0.1:38011"))
        try Folders.make(old)
        let sql = try Repository.text("Resources/vectors/layer-v8.sql")
        let none = Array(repeating: LocalSchema.Step(sql: ""), count: 7)
        try LocalSQLiteStore(path: Folders.database(in: old), schema: LocalSchema(steps: [.init(sql: sql)] + none))
            .close()
        try #require(LayerLabel.read(LayerLabel.path(besides: Folders.database(in: old))).label?.identity == nil)
        let stores = LayerStores(identity("http://localhost:38011"), folders: folders, environment: .system)
        let open = try stores.open(stores.main)
        defer { open.close() }
        let grant = try #require(
            try open.store.write { store -> Grant? in
                var metadata = try store.metadata()
                metadata.generation = "9f1b1f824e1f65d3"
                try store.set(metadata)
                let seen = try LocalSQLiteStore(lookingInto: Folders.database(in: old))
                defer { seen.close() }
                return try Layer(store: seen).metadata().grant
            })
        let copy = try #require(folders.copies(of: stores.identity).first)
        #expect(try stores.take(copy, into: open, grant: grant) == 1)
        #expect(try open.layer.outbox().map { $0.content?["text"]?.string } == ["Waits"])
    }

    @Test func aDamagedStoreKeepsItsPlaceAndItsName() throws {
        let old = try store("one", under: "http://LOCALHOST:8080")
        let database = Folders.database(in: old)
        for path in [database, database + "-wal"] where Folders.isFile(path) {
            try Data(repeating: 0x55, count: 9000).write(to: URL(filePath: path))
        }
        let open = try stores.open(stores.main)
        defer { open.close() }
        #expect(stores.takeLeftovers(into: open, grant: Self.grant).damage.count == 1)
        let listed = try InstantClient.listCacheEntries(in: folder.url).filter { $0.problem != nil }
        #expect(listed.map(\.server) == ["http://LOCALHOST:8080"])
    }

    /// The side store could be read, and would move first.
    @Test func nothingMovesIfOneStoreOfACopyIsDamaged() throws {
        try store(under: "http://localhost:8080", generation: "g")
        let old = try store("one", under: "http://127.0.0.1:8080")
        let side = try store("two", under: "http://127.0.0.1:8080", view: .everything)
        let database = try DatabaseQueue(path: Folders.database(in: old))
        try database.writeWithoutTransaction { try $0.execute(sql: "UPDATE outbox SET content = substr(content, 2)") }
        try database.close()
        let open = try stores.open(stores.main)
        defer { open.close() }
        let copy = try #require(stores.folders.copies(of: stores.identity).first)
        #expect(throws: InstantError.self) { try stores.take(copy, into: open, grant: Self.grant) }
        #expect(try edits(in: open).isEmpty)
        #expect(try edits(in: side) == ["two"])
    }

    @Test func aDamagedFileThatARepairKeptStays() throws {
        try store(under: "http://localhost:8080")
        let old = try store("one", under: "http://LOCALHOST:8080")
        try Folders.make(old + "/attachments")
        let kept = old + "/attachments/\(String(repeating: "a", count: 64)).damaged"
        try Data("half a picture".utf8).write(to: URL(filePath: kept))
        let open = try stores.open(stores.main)
        defer { open.close() }
        for _ in 0..<2 { #expect(stores.takeLeftovers(into: open, grant: Self.grant).damage.isEmpty) }
        #expect(try edits(in: open) == ["one"])
        #expect(Folders.isFile(kept))
    }

    /// The program is killed when the edits are here and not yet gone there.
    @Test func aMoveThatWasCutShortGoesOn() throws {
        try store("mine", under: "http://localhost:8080")
        let old = try store("one", under: "http://LOCALHOST:8080")
        let open = try stores.open(stores.main)
        defer { open.close() }
        let giving = try LocalSQLiteStore(path: Folders.database(in: old))
        let handover = try #require(try Layer(store: giving).beginHandover("h"))
        _ = try open.layer.receive(handover)
        giving.close()
        #expect(stores.takeLeftovers(into: open, grant: Self.grant).damage.isEmpty)
        #expect(try edits(in: open) == ["mine", "one"])
        #expect(stores.folders.copies(of: stores.identity).isEmpty)
    }
}

import Annotations
import EngineCore
import FileCore
import Foundation
import TestSupport
import Testing

@testable import DocumentEngine

@Suite("The database of a local PDF") struct FileDatabaseTests {
    typealias Row = LocalFileState.Row

    @Test("holds what a dictionary would", arguments: [1, 2, 3, 4, 5, 6])
    func history(_ seed: UInt64) throws {
        let scene = try FileScene()
        var history = FileHistory(seed: seed)
        var database = try scene.create(fence: "0")
        try database.write { try FileScene.takeIn(try #require(FileHistory.base), $0) }
        for round in 1...60 {
            var changes: [LocalFileState.Change] = []
            for _ in 0..<Int.random(in: 1...6, using: &history.random) {
                // Rows most of the time.
                let kind = Int.random(in: 0..<FileHistory.kinds * 2, using: &history.random)
                changes.append(try history.change(kind < FileHistory.kinds ? kind : 0))
            }
            try database.apply(changes)
            history.apply(changes)
            if round % 7 == 0 {
                database.close()
                database = try scene.open("\(round)")
            }
            try database.read { store in
                let tables = try FileTables(store)
                #expect(try tables.state() == history.state, "seed \(seed), round \(round)")
                #expect(try tables.writtenRows() == history.written)
                #expect(try tables.rows(FileHistory.ids) == history.rows)
                #expect(try tables.bases() == history.bases)
                #expect(try tables.unwritten() == history.state.unwritten)
            }
        }
        #expect(database.damagedRows == 0)
        database.close()
    }

    @Test("has every kind of change after it was opened again", arguments: 0..<FileHistory.kinds)
    func change(_ kind: Int) throws {
        let scene = try FileScene()
        for seed in 1...5 as ClosedRange<UInt64> {
            var history = FileHistory(seed: seed)
            let made = try scene.create("\(seed)")
            try made.write { try FileScene.takeIn(try #require(FileHistory.base), $0) }
            let change = try history.change(kind)
            try made.apply([change])
            history.apply([change])
            made.close()
            let database = try FileDatabase.open(document: "\(seed)", in: scene.parent, fence: "next")
            #expect(try database.state() == history.state)
            #expect(try database.read { try FileTables($0).rows(FileHistory.ids) } == history.rows)
            database.close()
        }
    }

    @Test func theNewestFactsAreThoseThatCount() throws {
        let scene = try FileScene()
        let database = try scene.create()
        let version = FileScene.version(1)
        try database.apply([
            .version(version, EarlierContents(), sharesIDs: false), .hidden(["/a"], writes: 3), .madePrivate,
        ])
        try database.write { store in
            let tables = try FileTables(store)
            try tables.setPath("/elsewhere.pdf")
            var meta = try tables.meta()
            #expect(meta.hasMarks && meta.state.version == version && meta.state.isPrivate)
            meta.hasMarks = false
            try tables.put(meta)
        }
        database.close()
        let again = try scene.open()
        try again.read { store in
            let tables = try FileTables(store)
            #expect(try tables.path() == "/elsewhere.pdf")
            #expect(try !tables.meta().hasMarks)
            #expect(try tables.state().hidden == ["/a"])
        }
        again.close()
    }

    @Test func aFileThatNobodyHasChangedHasNoRows() throws {
        let scene = try FileScene()
        let records = try (0..<500).map { try FileScene.record("\($0)") }
        let database = try scene.create()
        try database.write { store in
            try FileScene.takeIn(records, store)
            let rows = records.map { LocalFileState.Change.row(ByteOrdered($0.id), Row(base: $0, local: $0)) }
            try FileTables(store).apply(rows + [.version(FileScene.version(1), EarlierContents(), sharesIDs: true)])
        }
        #expect(try database.storedRows() == 0)
        #expect(try database.state().rows.isEmpty)
        #expect(try database.read { try FileTables($0).bases().count } == 500)
        #expect(try database.row("7") == Row(base: records[7], local: records[7]))
        let edited = try FileScene.record("7", "edited")
        let id = ByteOrdered("7")
        try database.apply([.row(id, Row(base: records[7], local: edited))])
        #expect(try database.storedRows() == 1)
        #expect(try database.state().rows == [id: Row(base: records[7], local: edited)])
        // Undone: it is as it came.
        try database.apply([.row(id, Row(base: records[7], local: records[7]))])
        #expect(try database.storedRows() == 0)
        // The same for a person, but not byte for byte.
        let touched = Record(id: "7", content: records[7].content, createdBy: "ana")
        try database.apply([.row(id, Row(base: touched, local: touched))])
        #expect(try database.row("7") == Row(base: touched, local: touched))
        #expect(try database.state().rows.isEmpty)
        database.close()
    }

    @Test func aBaseRecordThatIsGoneDoesNotComeBack() throws {
        let scene = try FileScene()
        let (one, two) = (try FileScene.record("1"), try FileScene.record("2"))
        var database = try scene.create()
        try database.write { try FileScene.takeIn([one, two], $0) }
        try database.apply([.row(ByteOrdered("1"), Row()), .row(ByteOrdered("9"), Row())])
        #expect(try database.storedRows() == 1)
        database.close()
        database = try scene.open()
        #expect(try database.row("1") == nil)
        try database.read { store in
            let tables = try FileTables(store)
            #expect(try tables.bases() == [two])
            #expect(try tables.writtenRows() == [ByteOrdered("2"): Row(base: two, local: two)])
            #expect(try tables.state().rows.isEmpty)
        }
        try database.apply([.row(ByteOrdered("1"), Row(base: one, local: one))])
        #expect(try database.storedRows() == 0)
        #expect(try database.row("1") == Row(base: one, local: one))
        database.close()
    }

    @Test func theServersTablesAreThere() throws {
        let scene = try FileScene()
        let database = try scene.create()
        let record = try FileScene.record("1")
        let key = LayerKey(document: FileScene.document, name: "")
        try database.write { store in
            try FileScene.takeIn([record], store)
            let layer = try #require(try store.layer(key))
            var writer = LayerWriter(layer, in: store, now: Timestamp(milliseconds: 1))
            _ = try writer.write(
                try FileScene.record("2"), contentType: .annotations, rootID: nil, over: nil, client: "c")
        }
        try database.read { store in
            let layer = try #require(try store.layer(key))
            #expect(try store.live(in: layer, after: nil, limit: 9).map(\.id) == ["1", "2"])
            #expect(layer.head == 1)
        }
        #expect(try database.check.problems().isEmpty)
        database.close()
    }

    /// An engine knows layers of all its databases by their numbers.
    @Test func noTwoDatabasesNumberLayersAlike() throws {
        let scene = try FileScene()
        var numbers: Set<Int64> = []
        for document in ["1", "2", "3"] {
            let database = try scene.create(document)
            try database.write { store in
                try FileScene.takeIn([], store)
                let layer = try #require(try store.layer(LayerKey(document: FileScene.document, name: "")))
                numbers.formUnion([layer.base, layer.id])
                #expect(layer.base > 0 && layer.id > 0)
            }
            database.close()
        }
        #expect(numbers.count == 6)
    }

    // MARK: Engines

    @Test func anEngineWritesNothingOnceAnotherHasOpenedTheDatabase() throws {
        let scene = try FileScene()
        let first = try scene.create(fence: "first")
        try first.apply([.shared(true)])
        let next = try scene.open("next")
        #expect(throws: FileDatabase.Problem.fenced) { try first.apply([.shared(false)]) }
        #expect(try first.read { try FileTables($0).fence() } == "next")
        #expect(try next.state().isShared)
        try next.apply([.shared(false)])
        first.close()
        next.close()
    }

    @Test func aKilledCreationIsUnfinishedNotDamaged() throws {
        let scene = try FileScene()
        // The folder, a file that is being made, and a database without its first transaction.
        try FileManager.default.createDirectory(atPath: scene.home, withIntermediateDirectories: true)
        #expect(throws: FileDatabase.Problem.unfinished) { try scene.open() }
        try Data("half".utf8).write(to: URL(filePath: scene.home + "/.file.sqlite.new"))
        #expect(throws: FileDatabase.Problem.unfinished) { try scene.open() }
        try Data(FileSchema.empty.get()).write(to: URL(filePath: scene.home + "/file.sqlite"))
        #expect(throws: FileDatabase.Problem.unfinished) { try scene.open() }
        let (files, damaged) = KeptFiles(folder: scene.parent).all()
        #expect(files.isEmpty && damaged.isEmpty)
        #expect(FileDatabase.documents(in: scene.parent) == [FileScene.document])
        #expect(FileDatabase.remove(document: FileScene.document, in: scene.parent))
        #expect(FileDatabase.documents(in: scene.parent).isEmpty)
        // What a killed creation left does not stand in the way.
        try FileManager.default.createDirectory(atPath: scene.home, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(filePath: scene.home + "/.file.sqlite.new"))
        try scene.create().close()
        try scene.open().close()
        #expect(throws: FileDatabase.Problem.exists) { try scene.create() }
    }

    // MARK: Places

    @Test func aCopyIsTheSameDatabase() throws {
        let scene = try FileScene()
        let other = scene.folder.path + "/data"
        let record = try FileScene.record("1")
        let edited = Row(base: record, local: try FileScene.record("1", "edited"))
        let database = try scene.create(fence: "mine")
        try database.write { try FileScene.takeIn([record], $0) }
        try database.apply([.row(ByteOrdered("1"), edited), .shared(true)])
        let (state, layers) = (try database.state(), try database.read { try $0.layers() })
        // A copy that a killed engine has begun.
        try FileManager.default.createDirectory(atPath: other + "/01", withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(filePath: other + "/01/.file.sqlite.new"))
        let copy = try database.copied(to: other)
        #expect(database.remove())
        #expect(try copy.state() == state)
        #expect(try copy.read { try $0.layers() } == layers)
        #expect(copy.fence == "mine" && copy.folder == other + "/01")
        try copy.apply([.row(ByteOrdered("1"), Row(base: record, local: nil))])
        let base = try copy.write { try $0.addBase([]) }
        #expect(base > 1)
        #expect(FileManager.default.contents(atPath: other + "/01/.file.sqlite.new") == nil)
        let rights = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        #expect(throws: FileDatabase.Problem.exists) { try copy.copied(to: other) }
        copy.close()
        #expect(try StoreCheck(path: copy.path).problems().isEmpty)
    }

    @Test func onlyTheOwnerMayReadIt() throws {
        let scene = try FileScene()
        let database = try scene.create()
        try database.apply([.shared(true)])
        let files = try FileManager.default.contentsOfDirectory(atPath: scene.home)
        #expect(Set(files) == ["file.sqlite", "file.sqlite-wal", "file.sqlite-shm"])
        for path in files.map({ "\(scene.home)/\($0)" }) {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        #expect(try FileManager.default.attributesOfItem(atPath: scene.home)[.posixPermissions] as? Int == 0o700)
        database.close()
    }

    @Test func removalLeavesNothing() throws {
        let scene = try FileScene()
        let database = try scene.create()
        try database.apply([.shared(true)])
        for name in ["base.pdf.0123456789abcdef", String(repeating: "a", count: 64), ".file.sqlite.new"] {
            try Data("bytes".utf8).write(to: URL(filePath: "\(scene.home)/\(name)"))
        }
        #expect(database.remove())
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.parent).isEmpty)
        // Asked once more, as after a failure.
        #expect(database.remove())
        #expect(throws: (any Error).self) { try database.state() }
    }
}

import Annotations
import EngineCore
import FileCore
import Foundation
import TestSupport
import Testing

@testable import DocumentEngine

@Suite("Damage in the database of a local PDF") struct FileDamageTests {
    typealias Row = LocalFileState.Row

    private func filled(_ scene: FileScene) throws -> FileDatabase {
        let database = try scene.create()
        let records = try (0..<4).map { try FileScene.record("\($0)") }
        try database.write { try FileScene.takeIn(records, $0) }
        try database.apply(
            try records.prefix(3).map { record in
                .row(ByteOrdered(record.id), Row(base: record, local: try FileScene.record(record.id, "edited")))
            } + [
                .conflict(ByteOrdered("1"), .init(base: nil, local: records[1], remote: nil)),
                .conflict(ByteOrdered("2"), .init(base: nil, local: records[2], remote: nil)),
                .lost([ByteOrdered("1"): FileCore.LostMark(records[1], words: ["word"])]),
                .version(FileScene.version(1), EarlierContents(), sharesIDs: true),
            ])
        return database
    }

    /// One that is read hides no other row. But an engine does not go on with the rest, as if there were no more.
    @Test func aDamagedRowIsTold() throws {
        let scene = try FileScene()
        let database = try filled(scene)
        try database.spoil("UPDATE file_row SET local = replace(local, 'edited', 'Edited') WHERE id = '0'")
        try database.spoil("UPDATE file_conflict SET days_left = 3 WHERE id = '1'")
        try database.spoil("UPDATE file_lost SET mark = '{}'")
        let state = try database.state()
        #expect(Set(state.rows.keys) == [ByteOrdered("1"), ByteOrdered("2")])
        #expect(Set(state.conflicts.keys) == [ByteOrdered("2")])
        #expect(state.lost.isEmpty)
        #expect(database.damagedRows == 3)
        // It is not read as if it were not there, and counts as waiting.
        #expect(throws: DamagedRow.self) { try database.row("0") }
        #expect(try database.read { try FileTables($0).unwritten() } == 3)
        #expect(try database.row("3") != nil)
        let (files, damaged) = KeptFiles(folder: scene.parent).all()
        #expect(files.isEmpty && damaged.map(\.pdf) == [FileScene.pdf] && damaged.allSatisfy { !$0.isPartial })
        #expect(damaged.first?.problem == "3 of its rows are damaged")
        // Stored anew it is as good as any.
        try database.apply([.row(ByteOrdered("0"), Row(base: nil, local: try FileScene.record("0", "again")))])
        #expect(try database.row("0")?.local == FileScene.record("0", "again"))
        #expect(database.damagedRows == 2)
        database.close()
    }

    @Test func damagedFactsAreNotRead() throws {
        let scene = try FileScene()
        let database = try filled(scene)
        try database.spoil("UPDATE file_meta SET value = replace(value, 'true', 'false') WHERE name = 'facts'")
        #expect(throws: DamagedRow.self) { try database.state() }
        database.close()
        let kept = KeptFiles(folder: scene.parent)
        #expect(throws: DamagedRow.self) { try scene.open() }
        let (files, damaged) = kept.all()
        #expect(files.isEmpty)
        let found = try #require(damaged.first)
        #expect(found.pdf == FileScene.pdf && found.problem == "it is damaged" && !found.isPartial)
        #expect(found.concerns(FileScene.pdf) && !found.concerns("/other.pdf"))
        #expect(kept.damage(of: FileScene.document, after: DamagedRow("state")) == found)
        let moved = kept.setAside(found)
        #expect(moved.path == scene.home + ".damaged/file.sqlite")
        // It is still listed, and not moved again.
        let left = kept.all().damaged
        #expect(left.map(\.path) == [moved.path] && left.map(\.pdf) == [FileScene.pdf])
        #expect(left.map(kept.setAside) == left)
        #expect(FileDatabase.documents(in: scene.parent).isEmpty)
    }

    @Test func whatIsNoDatabaseIsDamaged() throws {
        let scene = try FileScene()
        try filled(scene).close()
        try Data(repeating: 7, count: 9000).write(to: URL(filePath: scene.home + "/file.sqlite"))
        let (files, damaged) = KeptFiles(folder: scene.parent).all()
        #expect(files.isEmpty && damaged.map(\.problem) == ["it is damaged"])
        #expect(damaged.first?.concerns("/any.pdf") == true)
        #expect(throws: (any Error).self) { try scene.open() }
    }

    @Test func aThoroughCheckReadsEverything() throws {
        let scene = try FileScene()
        var database = try filled(scene)
        let attachment = String(repeating: "a", count: 64)
        database.close()
        let kept = KeptFiles(folder: scene.parent)
        let file = try #require(kept.all().files.first)
        #expect(kept.damage(besides: file).isEmpty)
        let copy = KeptFiles.copyName(FileScene.version(1).sha256)
        try FileManager.default.createDirectory(
            atPath: scene.home + "/attachments", withIntermediateDirectories: true)
        for name in [copy, "attachments/" + attachment] {
            try Data("x".utf8).write(to: URL(filePath: "\(scene.home)/\(name)"))
        }
        // A row that no list of changes reads.
        database = try scene.open()
        try database.spoil("UPDATE base_record SET content = '{}' WHERE id = '3'")
        try database.spoil("UPDATE file_row SET before = 'x' WHERE id = '0'")
        database.close()
        let found = kept.damage(besides: file)
        #expect(
            found.map(\.path) == [file.database, "\(scene.home)/\(copy)", "\(scene.home)/attachments/\(attachment)"])
        #expect(found.first?.problem.contains("and 1 more") == true)
        #expect(found.allSatisfy { $0.pdf == FileScene.pdf })
    }

    /// Each byte of a database, changed: whatever is read then is what was stored, or is said to be damaged.
    @Test(arguments: [1, 2, 3] as [UInt64]) func noChangedByteIsReadAsData(_ seed: UInt64) throws {
        let scene = try FileScene()
        let database = try filled(scene)
        let state = try database.state()
        database.close()
        let path = scene.home + "/file.sqlite"
        let bytes = try Data(contentsOf: URL(filePath: path))
        let kept = KeptFiles(folder: scene.parent)
        var random = SeededRandom(seed: seed)
        let whole = try #require(kept.all().files.first)
        for _ in 0..<150 {
            var changed = bytes
            let place = Int.random(in: 0..<bytes.count, using: &random)
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try changed.write(to: URL(filePath: path))
            let (files, damaged) = kept.all()
            guard damaged.isEmpty, let file = files.first else { continue }
            #expect(file.path == whole.path && file.unwrittenRecords.count <= state.rows.count, "byte \(place)")
            for record in file.unwrittenRecords {
                #expect(
                    whole.unwrittenRecords.contains { $0.file == record.file && $0.layer == record.layer },
                    "byte \(place)")
            }
        }
    }
}

import Annotations
import FileCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DocumentEngine

/// What engines of earlier versions left in a folder, read without one.
@Suite("States of earlier versions") struct EarlierStateTests {
    /// A folder that has some of the samples, each in the folder of its document.
    private struct Scene {
        let folder = try? TemporaryFolder()

        var parent: String { (folder?.path ?? "") + "/kept" }

        @discardableResult
        func put(_ bytes: [UInt8], in document: String) throws -> String {
            try FileManager.default.createDirectory(
                atPath: "\(parent)/\(document)", withIntermediateDirectories: true)
            let path = "\(parent)/\(document)/state.json"
            try Data(bytes).write(to: URL(filePath: path))
            return path
        }
    }

    private static let edits = EarlierStateSample.named("edits")

    // MARK: Reading

    @Test("Resources/vectors/earlier-states", arguments: EarlierStateSample.all)
    func sample(_ sample: EarlierStateSample) throws {
        let bytes = try sample.bytes
        #expect(bytes == sample.writer.bytes)
        let (read, state) = (try #require(EarlierState(json: bytes)), sample.state)
        #expect(read.document == state.document && read.path.isExactly(state.path))
        #expect(read.isPrivate == state.isPrivate && read.version == state.version && read.earlier == state.earlier)
        #expect(read.sharesIDs == state.sharesIDs && read.rows == state.rows && read.conflicts == state.conflicts)
        #expect(read.lost == state.lost && read.intent == state.intent && read.copying == state.copying)
        #expect(read.unwritten == state.unwritten && read.attachments == state.attachments)
        #expect(read.checksum.utf8.count == 64 && read.folder.isEmpty)
    }

    @Test func everySampleIsOfAnotherState() throws {
        let checksums = try EarlierStateSample.all.map { EarlierState(json: try $0.bytes)?.checksum }
        #expect(Set(checksums).count == EarlierStateSample.all.count)
        let files = Repository.files(below: "Resources/vectors/earlier-states", suffix: "")
        #expect(
            files.map { ($0 as NSString).lastPathComponent }
                == EarlierStateSample.all.map { "\($0.name).json" }.sorted())
    }

    @Test func whatIsCountedIsWhatIsKept() {
        let counts = EarlierStateSample.all.map { ($0.name, $0.state.unwritten) }
        #expect(
            Dictionary(uniqueKeysWithValues: counts) == [
                "edits": 6, "conflict": 3, "lost": 1, "writing": 3, "copying": 1, "unchecked": 1, "private": 1,
            ])
        #expect(Self.edits.state.attachments.map(\.hex) == [String(repeating: "c", count: 64)])
    }

    // MARK: Damage

    @Test("A changed byte is not read as data", arguments: EarlierStateSample.all.filter(\.writer.isChecked))
    func changedByte(_ sample: EarlierStateSample) throws {
        let bytes = try sample.bytes
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(EarlierState(json: changed) == nil, "byte \(place)")
        }
    }

    @Test("A state that is cut anywhere is damaged", arguments: EarlierStateSample.all)
    func cut(_ sample: EarlierStateSample) throws {
        let bytes = try sample.bytes
        for end in bytes.indices { #expect(EarlierState(json: Array(bytes[..<end])) == nil, "byte \(end)") }
        #expect(EarlierState(json: bytes + [0x7D]) == nil)
    }

    /// Only the versions that wrote none said nothing of it.
    @Test func aMissingChecksumIsDamage() throws {
        let text = String(decoding: try Self.edits.bytes, as: UTF8.self)
        let end = try #require(text.range(of: #","checksum""#)).lowerBound
        #expect(EarlierState(json: Array((text[..<end] + "}").utf8)) == nil)
        let older = text[..<end].replacing(#""checked":true,"#, with: "") + "}"
        #expect(EarlierState(json: Array(older.utf8))?.rows == Self.edits.state.rows)
    }

    @Test func anotherFormatIsNotRead() throws {
        let text = String(decoding: try Self.edits.bytes, as: UTF8.self)
        let end = try #require(text.range(of: #","checksum""#)).lowerBound
        let other = (text[..<end] + "}").replacing(#"{"format":1,"#, with: #"{"format":2,"#)
        #expect(EarlierState(json: EarlierStateWriter.checked(Array(other.utf8))) == nil)
        #expect(EarlierState(json: EarlierStateWriter.checked(Array((text[..<end] + "}").utf8))) != nil)
    }

    /// The versions without a checksum were not checked, so a record that is none must not be taken for none at all.
    @Test func aRecordThatCannotBeReadIsDamage() throws {
        let text = String(decoding: try EarlierStateSample.named("unchecked").bytes, as: UTF8.self)
        let changed = text.replacing(#""content":{"#, with: #""kontent":{"#)
        #expect(changed != text && EarlierState(json: Array(changed.utf8)) == nil)
    }

    @Test func thePathIsFoundInADamagedState() throws {
        let bytes = try Self.edits.bytes
        #expect(EarlierState.path(inDamaged: Array(bytes.dropLast(30))) == Self.edits.state.path)
        #expect(EarlierState.path(inDamaged: Array(bytes.prefix(100))) == nil)
        #expect(EarlierState.path(inDamaged: []) == nil)
        #expect(EarlierState.path(inDamaged: Array(#"{"path":"paper.pdf"}"#.utf8)) == nil)
    }

    @Test(arguments: ["changed", "cut", "format", "empty", "other document"])
    func damageIsReported(_ damage: String) throws {
        let (scene, sample) = (Scene(), Self.edits)
        var (bytes, document) = (try sample.bytes, sample.state.document)
        switch damage {
        case "changed": bytes[bytes.count / 2] ^= 1
        case "cut": bytes.removeLast(75)
        case "format": bytes = Array(String(decoding: bytes, as: UTF8.self).replacing(":1,", with: ":9,").utf8)
        case "empty": bytes = []
        default: document = "01J5Z3V6S8Q4T2W0X9Y7A1B3C9"
        }
        let path = try scene.put(bytes, in: document)
        let expected = DamagedKeptFile(
            path: path, problem: damage == "empty" ? "it is empty" : "it is damaged",
            pdf: damage == "empty" ? nil : sample.state.path, wasRead: true)
        let (states, damaged) = EarlierStates(folder: scene.parent).all()
        #expect(states.isEmpty && damaged == [expected])
        let kept = KeptFiles(folder: scene.parent)
        #expect(kept.all().files.isEmpty && kept.all().damaged == [expected])
        #expect(expected.concerns(sample.state.path) && expected.concerns("/other.pdf") == (damage == "empty"))
        // Set aside, it has a name of its own and is still listed under it.
        let moved = kept.setAside(expected)
        #expect(moved.path == "\(scene.parent)/\(document).damaged/state.json")
        #expect(try Data(contentsOf: URL(filePath: moved.path)) == Data(bytes))
        #expect(EarlierStates(folder: scene.parent).all().damaged == [moved] && kept.all().damaged == [moved])
        #expect(kept.setAside(moved) == moved)
    }

    @Test func aStateThatCannotBeReadNowIsNotSetAside() throws {
        let scene = Scene()
        let path = "\(scene.parent)/\(Self.edits.state.document)/state.json"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let damaged = EarlierStates(folder: scene.parent).all().damaged
        #expect(damaged.map(\.path) == [path] && damaged.first?.problem == "it cannot be read: not a regular file")
        #expect(damaged.first?.pdf == nil && damaged.map(KeptFiles(folder: scene.parent).setAside) == damaged)
    }

    // MARK: Lists

    @Test func allStatesAreListed() throws {
        let scene = Scene()
        #expect(EarlierStates(folder: scene.parent).all().states.isEmpty)
        for (number, sample) in EarlierStateSample.all.enumerated() {
            var writer = sample.writer
            writer.state.document = "0\(number)"
            try scene.put(writer.bytes, in: "0\(number)")
        }
        // Neither an empty folder, nor a file, nor what a kill has left is a state.
        try FileManager.default.createDirectory(atPath: scene.parent + "/empty", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: scene.parent + "/file"))
        try scene.put([], in: ".hidden")
        let (states, damaged) = EarlierStates(folder: scene.parent).all()
        #expect(damaged.isEmpty && states.map(\.document) == EarlierStateSample.all.indices.map { "0\($0)" })
        #expect(states.map(\.rows) == EarlierStateSample.all.map(\.state.rows))
        #expect(states.map(\.folder) == states.map { "\(scene.parent)/\($0.document)" })
        // Nothing of a private session is on disk.
        let folders = FileFolders(data: scene.parent, runtime: scene.parent + "/none")
        #expect(FoundFiles(folders).earlier().count == EarlierStateSample.all.count - 1)
    }

    @Test(arguments: EarlierStateSample.all)
    func aStateIsListedBeforeAnyEngineHasTakenItOver(_ sample: EarlierStateSample) throws {
        let (scene, state) = (Scene(), sample.state)
        let path = try scene.put(try sample.bytes, in: state.document)
        let (files, damaged) = KeptFiles(folder: scene.parent).all()
        let file = try #require(files.first)
        #expect(files.count == 1 && damaged.isEmpty && file.isEarlier && file.database == path)
        #expect(file.document == state.document && file.path == state.path && file.isPrivate == state.isPrivate)
        #expect(file.unwritten == state.unwritten && file.conflicts == state.conflicts.count)
        #expect(file.sha256 == state.version.sha256 && !file.isShared)
        #expect(file.isBeingWritten == ["writing", "copying"].contains(sample.name))
        let ids = state.rows.filter { !$0.value.isWritten || state.conflicts[$0.key] != nil }.keys.sorted()
        #expect(file.unwrittenRecords.map { ByteOrdered(($0.file ?? $0.layer)?.id ?? "") } == ids)
        #expect(
            file.unwrittenRecords.map(\.layer) == ids.map { state.rows[$0]?.local }
                && file.unwrittenRecords.map(\.file) == ids.map { state.rows[$0]?.base })
    }

    @Test func aCopyHasEverythingThatBelongsToIt() throws {
        let (scene, state) = (Scene(), Self.edits.state)
        let folder = "\(scene.parent)/\(state.document)"
        try scene.put(try Self.edits.bytes, in: state.document)
        let copy = KeptFiles.copyName(state.version.sha256)
        let attachment = try #require(state.attachments.first).hex
        for name in [copy, attachment, "base.pdf.new", "state.json.new"] {
            try Data(name.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
        }
        let kept = KeptFiles(folder: scene.parent)
        let file = try #require(kept.all().files.first)
        let other = (scene.folder?.path ?? "") + "/other"
        try kept.copy(file, to: other)
        let target = "\(other)/\(state.document)"
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: target).sorted()
                == [copy, attachment, "state.json"].sorted())
        for name in [copy, attachment, "state.json"] {
            #expect(FileManager.default.contentsEqual(atPath: "\(folder)/\(name)", andPath: "\(target)/\(name)"))
        }
        #expect(KeptFiles(folder: other).all().files.first?.unwritten == state.unwritten)
        // Neither has the bytes that its name says.
        #expect(kept.damage(besides: file).map(\.path) == [copy, attachment].sorted().map { "\(folder)/\($0)" })
    }
}

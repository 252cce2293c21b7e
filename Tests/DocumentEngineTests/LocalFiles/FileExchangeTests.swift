import Annotations
import FileCore
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// Other programs, failing disks and engines that are killed, between the steps of a write.
@Suite("Exchanging a local file", .onOwnThreads) struct FileExchangeTests {
    private let scene: LocalFileScene

    init() throws { scene = try LocalFileScene() }

    @Test func aFileThatChangedBeforeTheExchangeIsReadFirst() async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        try await scene.append("theirs", "theirs")
        let after = scene.bytes
        guard case .written(let written) = try await scene.write() else {
            Issue.record("not written")
            return
        }
        #expect(written.merged.added == 1 && scene.bytes.starts(with: after))
        #expect(try await scene.texts() == ["first", "ours", "theirs"])
    }

    /// Another program replaces the file between the comparison and the exchange: it goes back, and both have their notes.
    @Test func aFileThatIsReplacedInTheLastMomentGoesBack() async throws {
        try await scene.open()
        let old = scene.bytes
        try await scene.append("theirs", "theirs")
        let (path, theirs) = (scene.path, scene.bytes)
        try scene.replace(old)
        try await scene.look()
        try await scene.edit("new", "ours")
        let isFirst = Once()
        scene.work.hooks.withLock {
            $0.beforeExchange = { () throws(OwnFileError) in
                guard isFirst.isFirst else { return }
                try? Data(theirs).write(to: URL(filePath: path + "~"))
                guard rename(path + "~", path) == 0 else { throw .failed(errno) }
            }
        }
        guard case .written = try await scene.write() else {
            Issue.record("not written")
            return
        }
        #expect(try await scene.texts() == ["first", "ours", "theirs"])
        #expect(scene.unwritten == 0 && scene.hidden.isEmpty)
        #expect(scene.bytes.starts(with: theirs))
    }

    @Test(arguments: ["exchange", "sync"]) func anErrorDecidesNothing(_ step: String) async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        scene.work.hooks.withLock {
            if step == "sync" {
                $0.beforeSync = { () throws(OwnFileError) in throw .failed(EIO) }
            } else {
                $0.afterExchange = { (_: String) throws(OwnFileError) in throw .failed(EIO) }
                $0.beforeSync = { () throws(OwnFileError) in throw .failed(EIO) }
            }
        }
        guard case .failed = try await scene.write() else {
            Issue.record("it is said to be written")
            return
        }
        #expect(scene.core.state.intent != nil && scene.unwritten == 1)
        scene.work.hooks.withLock { $0 = .init() }
        try await scene.look()
        #expect(scene.core.state.intent == nil && scene.unwritten == 0)
        #expect(try await scene.texts() == ["first", "ours"])
        try await scene.send(.tick)
        #expect(scene.hidden.isEmpty)
    }

    /// Pages within the tree's own object: unusual, and no damage.
    @Test func anOddFileIsNotDamaged() async throws {
        var odd = SmallPDF(annotations: [LocalFileScene.note])
        let direct = "<</Type/Annot/Subtype/Text/Rect[1 1 9 9]>>"
        odd.pages.append((entries: "/MediaBox[0 0 100 100]/Annots[\(direct)]", content: ""))
        try scene.replace(odd.bytes)
        try await scene.open()
        guard case .read(let reading) = scene.looked?.look else {
            Issue.record("it was not read: \(String(describing: scene.error))")
            return
        }
        #expect(!reading.isDamaged)
    }

    struct Kill: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isHere: @Sendable (LocalFileCore.Effect) -> Bool
    }

    static let kills = [
        Kill(testDescription: "prepare") { if case .prepare = $0 { true } else { false } },
        Kill(testDescription: "exchange") { if case .exchange = $0 { true } else { false } },
        Kill(testDescription: "settle") { effect in
            guard case .store(_, let changes, _) = effect else { return false }
            return changes.contains(.intent(nil))
        },
        Kill(testDescription: "remove") { if case .remove = $0 { true } else { false } },
    ]

    @Test(arguments: kills) func anEngineThatIsKilledHasWrittenOrHasNot(_ kill: Kill) async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        scene.isKilled = kill.isHere
        try await scene.write()
        try await scene.restart()
        #expect(scene.core.state.intent == nil && scene.layer["new"] == "ours")
        let texts = try await scene.texts()
        #expect(texts.contains("ours") == (scene.unwritten == 0))
        try await scene.write()
        try await scene.send(.tick)
        #expect(try await scene.texts() == ["first", "ours"] && scene.unwritten == 0 && scene.hidden.isEmpty)
    }

    /// A private session that was killed has left no database.
    @Test func whatAnUnknownSessionHasLeftIsRemoved() async throws {
        let own = scene.root + "/.paper.pdf.\(scene.work.name).7.postilla"
        let others = [
            ".paper.pdf.other.7.postilla", ".other.pdf.\(scene.work.name).7.postilla", ".paper.pdf.7.postilla",
        ]
        for name in [own] + others.map({ scene.root + "/" + $0 }) {
            try Data().write(to: URL(filePath: name))
        }
        try await scene.open()
        try await scene.send(.tick)
        #expect(access(own, F_OK) != 0 && Set(scene.hidden) == Set(others))
    }

    /// What an engine of an earlier version has left is compared with this.
    @Test func theRecordsOfACopyAreRead() async throws {
        let (version, records, contents) = try await scene.work.records(of: scene.path, isPrivate: false)
        #expect(version.size == Int64(scene.bytes.count) && records.map(\.id) == ["6"] && contents.frames.count == 1)
        await #expect(throws: OwnFileError.missing) {
            try await scene.work.records(of: scene.path + "x", isPrivate: false)
        }
    }

    @Test func onlyHiddenFilesAreEverRemoved() async throws {
        #expect(await scene.work.remove([scene.path, scene.root + "/.a.pdf.other.1.postilla"]))
        #expect(access(scene.path, F_OK) == 0)
        #expect(await scene.work.remove(["\(scene.root)/gone/.a.pdf.\(scene.work.name).1.postilla"]))
    }
}

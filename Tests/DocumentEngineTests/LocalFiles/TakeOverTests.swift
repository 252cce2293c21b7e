import Annotations
import FileCore
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

@Suite("Taking over what earlier versions have kept") struct TakeOverTests {
    private let scene: TakeOverScene

    init() throws { scene = try TakeOverScene() }

    private static let all = ["edited", "kept", "second"]

    /// Writes, and checks that the PDF has everything once, and that nothing is left of the earlier version.
    private func writeAll(_ file: LocalFile, _ texts: [String] = all, records: Int? = nil) async throws {
        let written = try await file.write(.init())
        if let records { #expect(written.records == records) }
        #expect(try await scene.texts() == texts)
        #expect(file.state.unwritten == 0 && scene.isTakenOver(file))
        #expect(try scene.layerTexts(file) == texts)
        file.send(.tick)
        try await waitUntil("nothing is beside the PDF") { scene.beside.isEmpty }
    }

    // MARK: The PDF

    @Test func theLayerHasTheFileAndTheKeptEdits() async throws {
        try scene.keep(try await scene.state())
        let file = try await scene.open()
        #expect(file.document == TakeOverScene.document && file.state.unwritten == 2)
        #expect(try scene.layerTexts(file) == Self.all)
        // What the file has keeps its maker, and what was kept its own.
        let layer = try scene.layer(file)
        #expect(layer["new"]?.createdBy == "ana" && layer["second-note"]?.createdBy == nil)
        #expect(scene.isTakenOver(file) && file.inner.withLock { $0.news.problem == nil && $0.news.merges == 0 })
        try await writeAll(file, records: 2)
    }

    @Test func aFileIsTakenOverWithoutAWindow() async throws {
        try scene.keep(try await scene.state())
        try await scene.takeOver()
        let file = try #require(try await scene.engine().all.first)
        #expect(file.state.unwritten == 2 && scene.isTakenOver(file))
        // The next engine has it from the database.
        scene.stop()
        try await writeAll(try await scene.open(), records: 2)
    }

    @Test(arguments: [true, false])
    func aPDFThatHasChangedSinceIsMerged(_ hasCopy: Bool) async throws {
        try scene.keep(try await scene.state(), copy: hasCopy)
        try await scene.append("theirs")
        let file = try await scene.open()
        #expect(file.state.unwritten == 2 && file.state.conflicts.isEmpty)
        try await writeAll(file, Self.all + ["theirs"], records: 2)
    }

    @Test func whatBothHaveChangedIsInConflict() async throws {
        try scene.keep(try await scene.state())
        var notes = TakeOverScene.notes
        notes[0] = notes[0].replacing("Contents(first)", with: "Contents(theirs)")
        try scene.write(SmallPDF(annotations: notes).bytes, to: scene.path)
        let file = try await scene.open()
        #expect(file.state.conflicts.count == 1 && file.state.unwritten == 2)
        _ = try await file.write(.init())
        #expect(try await scene.texts() == ["kept", "second", "theirs"])
        try await file.decide("first-note", .local)
        try await writeAll(file, records: 1)
    }

    @Test func aConflictStaysUntilItIsDecided() async throws {
        var state = try await scene.state()
        let id = ByteOrdered("first-note")
        let row = try #require(state.rows[id])
        state.conflicts[id] = .init(base: nil, local: row.local, remote: row.base)
        try scene.keep(state)
        let file = try await scene.open()
        _ = try await file.write(.init())
        #expect(try await scene.texts() == ["first", "kept", "second"])
        #expect(file.state.conflicts == state.conflicts)
        try await file.decide("first-note", .local)
        try await writeAll(file, records: 1)
    }

    @Test func aMissingPDFIsMadeAgainFromItsCopy() async throws {
        try scene.keep(try await scene.state())
        #expect(unlink(scene.path) == 0)
        let file = try await scene.open()
        #expect(file.inner.withLock(\.news.problem) == OwnFileError.missing.reason)
        #expect(file.state.unwritten == 2 && scene.isTakenOver(file))
        #expect(try scene.layerTexts(file) == Self.all)
        await #expect(throws: OwnFileError.missing) { try await file.write(.init()) }
        #expect(try await file.write(.init(isForced: true)).records == 2)
        try await writeAll(file, records: 0)
    }

    @Test func withoutFileAndCopyTheEditsAreStillThere() async throws {
        try scene.keep(try await scene.state(), copy: false)
        let pdf = try scene.bytes(scene.path)
        #expect(unlink(scene.path) == 0)
        let file = try await scene.open()
        #expect(file.inner.withLock(\.news.problem) == OwnFileError.missing.reason)
        #expect(file.state.unwritten == 2 && scene.isTakenOver(file))
        #expect(try scene.layerTexts(file) == ["edited", "kept"])
        // It comes back.
        try scene.write(pdf, to: scene.path)
        try await writeAll(file, records: 2)
    }

    @Test func aPDFThatWasMovedMeanwhileIsFound() async throws {
        try scene.keep(try await scene.state())
        let moved = scene.root + "/moved.pdf"
        #expect(rename(scene.path, moved) == 0)
        let file = try await scene.open(moved)
        #expect(file.document == TakeOverScene.document && file.state.unwritten == 2)
        #expect(try await file.write(.init()).records == 2)
        #expect(try await scene.texts(moved) == Self.all)
    }

    @Test func whatIsKeptIsNotOpenedPrivately() async throws {
        try scene.keep(try await scene.state())
        let files = try await scene.engine()
        await #expect(throws: OwnFileError.keptOnDisk(2)) { try await files.check(scene.path, isPrivate: true) }
        scene.stop()
        try scene.keep(try await scene.state())
        await #expect(throws: OwnFileError.keptOnDisk(2)) { try await scene.open(isPrivate: true) }
    }

    // MARK: Attachments

    private func picture(in state: inout EarlierState) throws -> String {
        let record = TakeOverScene.picture("picture", of: TakeOverScene.png)
        state.rows[ByteOrdered("picture")] = .init(local: record)
        try scene.keep(state)
        let path = "\(scene.kept)/\(state.document)/\(try #require(record.content.attachmentID).hex)"
        try scene.write(TakeOverScene.png, to: path)
        return path
    }

    @Test func anAttachmentComesAlong() async throws {
        var state = try await scene.state()
        let old = try picture(in: &state)
        // Of a picture that the file has since.
        let other = "\(scene.home)/\(String(repeating: "d", count: 64))"
        try scene.write([1], to: other)
        let file = try await scene.open()
        #expect(access(old, F_OK) != 0 && access(other, F_OK) != 0)
        #expect(try await file.write(.init()).records == 3)
        #expect(try scene.hasPicture() && file.state.unwritten == 0 && scene.isTakenOver(file))
        #expect(try await scene.texts().count == 4)
    }

    @Test func aDamagedAttachmentIsNamedAndStays() async throws {
        var state = try await scene.state()
        let old = try picture(in: &state)
        try scene.write([1, 2, 3], to: old)
        let file = try await scene.open()
        #expect(try await scene.engine().damage(concerning: file).map(\.path) == [old])
        #expect(try scene.bytes(old) == [1, 2, 3] && file.state.unwritten == 3)
        _ = try await file.write(.init())
        #expect(try await scene.texts().filter { !$0.isEmpty } == Self.all)
        #expect(try !scene.hasPicture())
    }

    @Test func aDiskThatTakesNoAttachmentsLeavesTheState() async throws {
        var state = try await scene.state()
        let old = try picture(in: &state)
        // In place of a full disk.
        try scene.write([], to: scene.home + "/attachments")
        let bytes = try scene.bytes(scene.home + "/state.json")
        try await scene.takeOver()
        #expect(try scene.bytes(scene.home + "/state.json") == bytes && access(old, F_OK) == 0)
        #expect(KeptFiles(folder: scene.kept).all().files.map(\.unwritten) == [3])
        scene.stop()
        #expect(unlink(scene.home + "/attachments") == 0)
        let file = try await scene.open()
        #expect(file.state.unwritten == 3 && scene.isTakenOver(file))
        #expect(try await file.write(.init()).records == 3)
    }

    // MARK: A write that was interrupted

    enum Moment: CaseIterable {
        case notBegun, besideIt, exchanged, finished, changedSince
    }

    /// An engine was killed at a moment of its write.
    private func interrupt(at moment: Moment) async throws {
        var state = try await scene.state()
        let new = try await scene.written(state)
        let (pid, stem) = (Int32.max, scene.root + "/papers/.paper.pdf.\(Int32.max).4711")
        #expect(kill(pid, 0) != 0)
        try scene.keep(state)
        try scene.write(new, to: scene.root + "/new")
        state.intent = EarlierState.Intent(
            sha256: try FileVersion.read(scene.root + "/new").sha256, keepsIDs: true,
            exchanged: stem + ".postilla-old", rows: state.rows.mapValues(\.local))
        try scene.keep(state)
        let old = try scene.bytes(scene.path)
        switch moment {
        case .notBegun: try scene.write(new, to: stem + ".postilla-new")
        case .besideIt: try scene.write(new, to: stem + ".postilla-old")
        case .exchanged:
            try scene.write(old, to: stem + ".postilla-old")
            try scene.write(new, to: scene.path)
        case .finished: try scene.write(new, to: scene.path)
        case .changedSince:
            try scene.write(old, to: stem + ".postilla-old")
            try scene.write(new, to: scene.path)
            try await scene.append("theirs")
        }
    }

    @Test(arguments: Moment.allCases)
    func anInterruptedWriteIsSettled(_ moment: Moment) async throws {
        try await interrupt(at: moment)
        let file = try await scene.open()
        let isWritten = ![.notBegun, .besideIt].contains(moment)
        #expect(file.state.unwritten == (isWritten ? 0 : 2) && file.state.conflicts.isEmpty)
        let texts = Self.all + (moment == .changedSince ? ["theirs"] : [])
        #expect(try scene.layerTexts(file) == texts)
        try await writeAll(file, texts, records: isWritten ? 0 : 2)
    }

    /// The PDF is not opened, so nobody looks at it.
    @Test(arguments: Moment.allCases)
    func nothingIsLeftBesideAFileThatIsNotOpened(_ moment: Moment) async throws {
        try await interrupt(at: moment)
        try await scene.takeOver()
        for file in try await scene.engine().all { file.send(.tick) }
        try await waitUntil("nothing is beside the PDF") { scene.beside.isEmpty }
        scene.stop()
        #expect(KeptFiles(folder: scene.kept).all().files.allSatisfy { !$0.isEarlier && !$0.isBeingWritten })
        let file = try await scene.open()
        try await writeAll(file, Self.all + (moment == .changedSince ? ["theirs"] : []))
    }

    /// Another program had saved the file in the last moment, and its version came out.
    @Test(arguments: ["in place", "missing", "changed again"])
    func theWorkOfAnotherProgramIsNotRemoved(_ present: String) async throws {
        try await interrupt(at: .exchanged)
        let beside = scene.root + "/papers/" + (try #require(scene.beside.first))
        try await scene.append("theirs", of: beside, to: beside)
        switch present {
        case "in place": break
        case "missing": #expect(unlink(scene.path) == 0)
        default: try await scene.append("later")
        }
        let file = try await scene.open()
        _ = try? await file.write(.init())
        file.send(.tick)
        try await file.settled()
        if present == "changed again" {
            // Neither can be told to be the newer one, and both are there.
            #expect(try await scene.texts().contains("later"))
            let names = scene.beside
            #expect(names.count == 1)
            #expect(try await scene.texts(scene.root + "/papers/" + (names.first ?? "")).contains("theirs"))
        } else {
            #expect(try await scene.texts() == Self.all + ["theirs"] && scene.beside.isEmpty)
        }
    }

    @Test func anUnfinishedCopyIsRemoved() async throws {
        var state = try await scene.state()
        state.copying = scene.root + "/papers/copy.pdf"
        try scene.keep(state)
        try scene.write([1], to: scene.root + "/papers/.copy.pdf.\(Int32.max).4711.postilla-new")
        let file = try await scene.open()
        #expect(scene.beside.isEmpty)
        try await writeAll(file)
    }
}

extension LocalFile {
    /// Waits until nothing is under way.
    func settled() async throws {
        try await waitUntil("nothing is under way") { inner.withLock { $0.core.isQuiet } }
    }
}

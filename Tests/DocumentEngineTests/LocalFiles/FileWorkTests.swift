import Annotations
import FileCore
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// The core of local files with a real PDF on a real disk.
@Suite("Local files on a disk", .onOwnThreads) struct FileWorkTests {
    private let scene: LocalFileScene
    private static let first = "the-first-of-all-notes"

    init() throws { scene = try LocalFileScene() }

    // MARK: Reading

    @Test func aFileIsTakenInUnderTheNamesOfItsAnnotations() async throws {
        #expect(try await scene.open() == .opened(nil))
        #expect(scene.layer == [Self.first: "first"] && scene.unwritten == 0)
        #expect(scene.looked?.contents?.hasMarks == true && scene.looked?.newPages == false)
        #expect(try await scene.look() == FileNews())
    }

    @Test func whatAnotherProgramAppendsIsMerged() async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        try await scene.append("theirs", "theirs")
        #expect(try await scene.look().added == 1)
        #expect(Set(scene.layer.values) == ["first", "ours", "theirs"] && scene.unwritten == 1)
        #expect(scene.looked?.newPages == false)
    }

    /// Numbers and order are others; the names are the same.
    @Test func idsStayWhenAFileIsWrittenAnew() async throws {
        try await scene.open()
        try await scene.edit("01J5Z3V6S8Q4T2W0X9Y7A1B3C6", "ours")
        try await scene.write()
        let before = scene.layer
        let other = SmallPDF(annotations: [
            "<</Type/Annot/Subtype/Square/Rect[10 10 20 20]/Contents(square)>>",
            "<</Type/Annot/Subtype/Text/Rect[72 688 104 720]/Contents(ours)/NM(01J5Z3V6S8Q4T2W0X9Y7A1B3C6)>>",
            "<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(changed)/NM(\(Self.first))>>",
        ])
        try scene.replace(other.bytes)
        try await scene.look()
        #expect(scene.looked?.newPages == true)
        let after = scene.layer
        #expect(before.keys.allSatisfy { after[$0] != nil } && after.count == 3 && after[Self.first] == "changed")
        #expect(!after.keys.contains { $0.hasPrefix("merge-") })
        #expect(scene.core.state.conflicts.isEmpty)
    }

    /// Its number tells which one it is, as long as the file is continued.
    @Test func aShortNameIsTheSameOneInAnUpdate() async throws {
        let scene = try LocalFileScene(["<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(a)/NM(fitz-A0)>>"])
        try await scene.open()
        #expect(scene.layer == ["fitz-A0": "a"])
        try await scene.foreign { annotated in
            var record = annotated.records[0]
            record.content = record.content.changing { object in
                object["text"] = "moved and changed"
                object["bbox"] = Rect(left: 300, top: 300, width: 20, height: 20).json
            }
            _ = try annotated.add(record)
        }
        let news = try await scene.look()
        #expect(scene.layer == ["fitz-A0": "moved and changed"] && news.changed == 1 && news.added == 0)
    }

    @Test func readingTwiceGivesTheSameIDs() async throws {
        let kinds = ["Text", "Square", "Circle"].map { "<</Type/Annot/Subtype/\($0)/Rect[10 10 40 40]/NM(\($0))>>" }
        let scene = try LocalFileScene(kinds + kinds)
        try await scene.open()
        let ids = Set(scene.layer.keys)
        #expect(ids.count == 6)
        let again = try LocalFileScene(kinds + kinds)
        try await again.open()
        #expect(Set(again.layer.keys) == ids)
    }

    @Test func aVersionThatComesBackDeletesNothing() async throws {
        try await scene.open()
        let old = scene.bytes
        try await scene.edit("new", "ours")
        try await scene.write()
        try scene.replace(old)
        try await scene.look()
        #expect(scene.layer["new"] == "ours" && scene.layer.count == 2)
        // It has never been seen by who restored the file, so it is written again.
        #expect(scene.unwritten == 1)
        try await scene.write()
        #expect(try await scene.texts() == ["first", "ours"])
    }

    @Test func aFileThatIsOnlyTouchedIsNotReadAgain() async throws {
        try await scene.open()
        try scene.replace(scene.bytes)
        try await scene.look()
        guard case .touched = scene.looked?.look else {
            Issue.record("it was read")
            return
        }
    }

    @Test func aFileThatChangesWhileItIsReadIsReadAgain() async throws {
        try await scene.open()
        let path = scene.path
        let more = scene.bytes + Array("\n% more\n".utf8)
        let once = Once()
        scene.work.hooks.withLock {
            $0.afterReading = { if once.isFirst { try? Data(more).write(to: URL(filePath: path)) } }
        }
        try await scene.append("theirs", "theirs")
        try await scene.look()
        #expect(scene.layer.count == 1 && scene.core.state.version?.size == Int64(more.count))
    }

    /// Without `startxref`, or with objects that are not where the table says.
    @Test(arguments: [true, false]) func aFileWhoseTableIsWrongIsDamaged(_ isCut: Bool) async throws {
        try await scene.open()
        let whole = scene.bytes
        let place = try #require(isCut ? whole.ranges(of: Array("startxref".utf8)).last?.lowerBound : 9)
        let moved = isCut ? [] : Array("% moved\n".utf8) + whole[place...]
        try scene.replace(whole[..<place] + moved)
        try await scene.look()
        guard case .read(let reading) = scene.looked?.look else {
            Issue.record("it was not read: \(String(describing: scene.error))")
            return
        }
        #expect(reading.isDamaged && scene.layer == [Self.first: "first"])
        try scene.replace(whole)
        try await scene.look()
        #expect(scene.layer == [Self.first: "first"] && scene.core.state.conflicts.isEmpty)
    }

    @Test(arguments: [true, false]) func whatIsWrongIsNamed(_ isMissing: Bool) async throws {
        if isMissing { unlink(scene.path) } else { try scene.replace(Array("no PDF".utf8)) }
        let answer = try await scene.open()
        if isMissing {
            #expect(answer == .failed(.missing) && scene.error == .missing)
        } else {
            #expect(
                scene.error?.fileProblem == .unreadable && answer == .failed(.unreadable(scene.error?.reason ?? "")))
        }
    }

    // MARK: Writing

    @Test func anEditIsAppended() async throws {
        try await scene.open()
        chmod(scene.path, 0o640)
        let before = scene.bytes
        try await scene.edit("new", "ours")
        try await scene.edit(Self.first, "changed")
        #expect(try await scene.write()?.records == 2)
        #expect(try await scene.texts() == ["changed", "ours"])
        #expect(scene.bytes.starts(with: before) && scene.details?.isRewritten == false)
        #expect(scene.unwritten == 0 && scene.hidden.isEmpty && !scene.core.state.mustBeKept)
        var status = stat()
        #expect(stat(scene.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        // It is this program's own write.
        #expect(try await scene.look() == FileNews())
        try await scene.edit("new", nil)
        try await scene.write()
        #expect(try await scene.texts() == ["changed"] && scene.details?.holdsDeleted == true)
    }

    /// What no row concerns stays as it is, also if the layer would write it otherwise.
    @Test func whatWasNotEditedStaysByteForByte() async throws {
        let odd = "<</Type/Annot/Subtype/Text/Rect[300.00 700.0 +320 720]/Contents(odd)/X-Other(kept)>>"
        let scene = try LocalFileScene([LocalFileScene.note, odd])
        try await scene.open()
        let before = scene.bytes
        try await scene.edit(Self.first, "changed")
        try await scene.write()
        let added = String(decoding: scene.bytes.dropFirst(before.count), as: UTF8.self)
        #expect(added.contains("changed") && added.contains("6 0 obj"))
        #expect(!added.contains("odd") && !added.contains("7 0 obj"))
    }

    @Test func compactingRemovesWhatWasDeleted() async throws {
        try await scene.open()
        try await scene.edit(Self.first, nil)
        try await scene.write(.init(isCompact: true))
        #expect(scene.details?.isRewritten == true && scene.details?.holdsDeleted == false)
        #expect(scene.bytes.firstRange(of: Array("first".utf8)) == nil && scene.unwritten == 0)
        #expect(try await scene.look() == FileNews())
    }

    @Test func aCopyLeavesTheFileAsItIs() async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        let (before, copy) = (scene.bytes, scene.root + "/copy.pdf")
        #expect(try await scene.write(.init(copy: copy))?.records == 0)
        #expect(try await scene.texts(at: copy) == ["first", "ours"])
        #expect(scene.bytes == before && scene.unwritten == 1 && scene.hidden.isEmpty)
        #expect(try await scene.write(.init(copy: copy)) == .failed(.exists) && scene.error == .exists)
        try await scene.edit("new", "again")
        #expect(try await scene.write(.init(copy: copy, isForced: true))?.records == 0)
        #expect(try await scene.texts(at: copy) == ["again", "first"] && scene.hidden.isEmpty)
    }

    @Test func aMissingFileIsMadeAgainOnlyByForce() async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        unlink(scene.path)
        #expect(try await scene.write() == .failed(.missing))
        guard case .written = try await scene.write(.init(isForced: true)) else {
            Issue.record("it was not written: \(String(describing: scene.error))")
            return
        }
        #expect(try await scene.texts() == ["first", "ours"])
        #expect(scene.unwritten == 0 && scene.hidden.isEmpty)
    }

    @Test func aDamagedCopyIsNotWritten() async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        let version = try #require(scene.core.state.version?.contents)
        let copy = try #require(scene.copies.path(of: version))
        try Data("damaged".utf8).write(to: URL(filePath: copy))
        unlink(scene.path)
        _ = try await scene.write(.init(isForced: true))
        #expect(scene.error == .copyDamaged(copy) && access(scene.path, F_OK) != 0 && scene.unwritten == 1)
    }

    @Test(arguments: [false, true]) func aReadOnlyFileIsNotReplaced(_ isFolder: Bool) async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        let before = scene.bytes
        if isFolder {
            unlink(scene.path)
            mkdir(scene.path, 0o700)
        } else {
            chmod(scene.path, 0o440)
        }
        _ = try await scene.write()
        #expect(scene.error == (isFolder ? .notAFile : .notWritable) && scene.hidden.isEmpty)
        #expect(scene.unwritten == 1 && (isFolder || scene.bytes == before))
    }

    @Test(.enabled(if: geteuid() == 0)) func theFileOfAnotherUserIsReplacedOnlyByWish() async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        #expect(chown(scene.path, 12_345, 12_345) == 0)
        _ = try await scene.write()
        #expect(scene.error == .otherOwner)
        scene.order.replacesOthers = true
        #expect(try await scene.write()?.records == 1)
        var status = stat()
        #expect(stat(scene.path, &status) == 0 && status.st_uid == 12_345)
    }

    @Test func aCertifiedFileIsNotChanged() async throws {
        let scene = try LocalFileScene([
            LocalFileScene.note,
            """
            <</Type/Annot/Subtype/Widget/FT/Sig/T(sig)/Rect[0 0 0 0]/V<</Type/Sig/Filter/Adobe.PPKLite/Contents<00>\
            /ByteRange[0 1 2 3]/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams\
            /P 1/V/1.2>>>>]>>>>
            """,
        ])
        try await scene.open()
        try await scene.edit("new", "ours")
        let before = scene.bytes
        _ = try await scene.write(.init(isCompact: true))
        #expect([.certified, .signedAnew].contains(scene.error) && scene.bytes == before && scene.hidden.isEmpty)
        let copy = scene.root + "/copy.pdf"
        #expect(try await scene.write(.init(copy: copy))?.records == 0)
    }

    /// A program replaces the file right after a write, and continues the version before it. Only their numbers tell the notes
    /// apart, and there was no time to copy what was written.
    @Test func aFileThatIsReplacedRightAfterAWriteKeepsItsIDs() async throws {
        let notes = ["first", "second"].map {
            "<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(\($0))>>"
        }
        let scene = try LocalFileScene(notes)
        try await scene.open()
        let old = scene.bytes
        try await scene.edit("new", "new")
        try await scene.write()
        let written = try #require(scene.core.state.version)
        if let copy = scene.copies.path(of: written.contents) { unlink(copy) }
        var update = PDFContinuation(of: old)
        update.objects[7] = notes[1].replacing("second", with: "theirs")
        try scene.replace(update.bytes)
        _ = try await scene.look()
        #expect(scene.layer == ["6": "first", "7": "theirs", "new": "new"])
        #expect(scene.core.state.sharesIDs)
    }
}

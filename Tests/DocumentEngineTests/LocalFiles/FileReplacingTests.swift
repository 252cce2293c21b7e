import Annotations
import FileCore
import Foundation
import Glibc
import PDFPages
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// What writing a local file does to links, names, attributes and disks.
@Suite("Replacing a local file", .onOwnThreads) struct FileReplacingTests {
    private let scene: LocalFileScene
    private static let first = "the-first-of-all-notes"

    init() throws { scene = try LocalFileScene() }

    /// The person has not chosen, so the file keeps its own version.
    @Test func whatIsInConflictStaysInTheFile() async throws {
        try await scene.open()
        try await scene.edit(Self.first, "ours")
        try await scene.edit("new", "new")
        try await scene.foreign { annotated in
            var record = annotated.records[0]
            record.content = record.content.changing { $0["text"] = "theirs" }
            _ = try annotated.add(record)
        }
        #expect(try await scene.write()?.records == 1)
        #expect(try await scene.texts() == ["new", "theirs"] && scene.layer[Self.first] == "ours")
        #expect(scene.core.state.conflicts.count == 1 && scene.unwritten == 1)
    }

    @Test func otherNamesKeepTheOldContentsAndAreCounted() async throws {
        try await scene.open()
        let (other, before) = (scene.root + "/other.pdf", scene.bytes)
        #expect(link(scene.path, other) == 0)
        try await scene.edit("new", "ours")
        try await scene.write()
        #expect(scene.details?.otherNames == 1)
        #expect(try Array(Data(contentsOf: URL(filePath: other))) == before)
    }

    /// A link that came after the path was followed is not followed.
    @Test func aLinkIsNotReplaced() async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        let target = scene.root + "/target.pdf"
        #expect(rename(scene.path, target) == 0 && symlink(target, scene.path) == 0)
        _ = try await scene.write()
        #expect(scene.error == .notAFile && scene.hidden.isEmpty)
        #expect(try await scene.texts(at: target) == ["first"])
    }

    @Test func aProgramThatKeepsTheFileOpenIsNotWaitedForLong() async throws {
        try await scene.open()
        let file = open(scene.path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        try await scene.edit("new", "ours")
        #expect(try await scene.write()?.records == 1)
    }

    /// It has the old file open, and writes it after it was taken out.
    @Test func whatIsWrittenIntoTheOldFileAtOnceIsNotLost() async throws {
        try await scene.open()
        let old = scene.bytes
        try await scene.append("theirs", "theirs")
        let theirs = scene.bytes
        try scene.replace(old)
        try await scene.look()
        try await scene.edit("new", "ours")
        let once = Once()
        scene.work.hooks.withLock {
            $0.afterExchange = { (beside: String) throws(OwnFileError) in
                guard once.isFirst else { return }
                let file = open(beside, O_WRONLY | O_CLOEXEC)
                defer { close(file) }
                guard theirs.withUnsafeBytes({ PrivateFiles.writeAll($0, to: file) }) else { throw .failed(errno) }
            }
        }
        _ = try await scene.write()
        try await scene.send(.tick)
        _ = try await scene.write()
        #expect(try await scene.texts() == ["first", "ours", "theirs"])
        #expect(scene.unwritten == 0 && scene.hidden.isEmpty)
    }

    @Test func aHiddenFileThatSomebodyRemovedIsMadeAgain() async throws {
        try await scene.open()
        try await scene.edit("new", "ours")
        let (once, root) = (Once(), scene.root)
        scene.isKilled = { effect in
            if case .exchange(_, let intent, _) = effect, once.isFirst { unlink(intent.hidden) }
            return false
        }
        #expect(try await scene.write()?.records == 1)
        #expect(try await scene.texts() == ["first", "ours"] && scene.hidden.isEmpty, "\(root)")
    }

    /// A name may have 255 bytes, also one of scalars that have four.
    @Test(arguments: ["a", "अ", "स्त्र", "👍"]) func aLongNameInAnyScriptIsNoObstacle(_ letter: String) async throws {
        let name = String(repeating: letter, count: (255 - 4) / letter.utf8.count) + ".pdf"
        let scene = try LocalFileScene(file: name)
        try await scene.open()
        try await scene.edit("new", "ours")
        #expect(try await scene.write()?.records == 1)
        #expect(try await scene.texts() == ["first", "ours"])
    }

    @Test func extendedAttributesStay() async throws {
        typealias Set = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, CInt) -> CInt
        typealias Get = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int
        let set = unsafeBitCast(try #require(dlsym(nil, "setxattr")), to: Set.self)
        let get = unsafeBitCast(try #require(dlsym(nil, "getxattr")), to: Get.self)
        try await scene.open()
        // Not every file system has them.
        guard set(scene.path, "user.note", "kept", 4, 0) == 0 else { return }
        try await scene.edit("new", "ours")
        try await scene.write()
        var value = [UInt8](repeating: 0, count: 4)
        #expect(get(scene.path, "user.note", &value, 4) == 4 && value == Array("kept".utf8))
    }

    @Test(.enabled(if: TinyDisk.isAllowed)) func aFullDiskLeavesTheOldFile() async throws {
        let disk = try TinyDisk(kilobytes: 64)
        let scene = try LocalFileScene(on: disk.path)
        try await scene.open()
        try await scene.edit("new", String(repeating: "long ", count: 20_000))
        let before = scene.bytes
        _ = try await scene.write()
        #expect(scene.error == .diskFull && scene.bytes == before && scene.unwritten == 1)
        try await scene.send(.tick)
        #expect(scene.hidden.isEmpty)
        try disk.makeReadOnly()
        _ = try await scene.write()
        #expect(scene.error == .readOnlyFileSystem && scene.bytes == before)
    }

    /// Without a copy to compare words with, their places are unknown, and nothing is dropped.
    @Test func withoutACopyNothingCountsAsDeleted() async throws {
        try await scene.open()
        let version = try #require(scene.core.state.version?.contents)
        let copy = try #require(scene.copies.path(of: version))
        try Data("damaged".utf8).write(to: URL(filePath: copy))
        try scene.replace(SmallPDF(annotations: [], word: "Other").bytes)
        try await scene.look()
        #expect(scene.looked?.damagedCopy == copy && scene.layer == [Self.first: "first"] && scene.unwritten == 1)
    }

    @Test func aMarkFollowsItsWord() async throws {
        let mark = """
            <</Type/Annot/Subtype/Highlight/Rect[100 600 150 620]/QuadPoints[100 620 150 620 100 600 150 600]\
            /NM(a-highlight-of-one-word)>>
            """
        let scene = try LocalFileScene([mark], words: "Word")
        try await scene.open()
        var moved = SmallPDF()
        moved.pages = [
            ("/MediaBox[0 0 612 792]", "BT /F1 20 Tf 100 602 Td (Something else) Tj ET"),
            ("/MediaBox[0 0 612 792]", "BT /F1 20 Tf 100 402 Td (Word) Tj ET"),
        ]
        try scene.replace(moved.bytes)
        try await scene.look()
        let found = scene.record("a-highlight-of-one-word")
        #expect(found?.content["pageIndex"] == 1 && scene.unwritten == 1 && scene.looked?.newPages == true)
        try await scene.write()
        #expect(try await PDFTools().annotations(of: scene.path).records.first?.content["pageIndex"] == 1)
    }
}

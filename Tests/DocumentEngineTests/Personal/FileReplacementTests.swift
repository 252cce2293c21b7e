import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// What replacing a file does to links, owners, rights and other programs.
@Suite(.onOwnThreads) struct FileReplacementTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/paper.pdf"
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o640)
    }

    private func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    private func replace(_ path: String, expecting expected: FileFacts? = nil, with text: String = "new") throws {
        let replacement = try FileReplacement(of: path)
        try Data(text.utf8).write(to: URL(fileURLWithPath: replacement.temporary))
        _ = try replacement.prepare()
        try replacement.finish(replacing: expected)
    }

    private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() }

    @Test func contentsAreReplacedAndTheModeStays() throws {
        try replace(path, expecting: try FileFacts.read(path))
        #expect(text(path) == "new")
        var status = stat()
        stat(path, &status)
        #expect(status.st_mode & 0o7777 == 0o640)
        #expect(names == ["paper.pdf"])
    }

    @Test func theFactsAreThoseOfTheFileUnderItsName() throws {
        let replacement = try FileReplacement(of: path)
        try Data("new".utf8).write(to: URL(fileURLWithPath: replacement.temporary))
        let facts = try replacement.prepare()
        try replacement.finish(replacing: try FileFacts.read(path))
        #expect(try FileFacts.read(path) == facts)
    }

    @Test func aSymlinkStaysAndItsTargetIsReplaced() throws {
        let link = folder.path + "/link.pdf"
        symlink("paper.pdf", link)
        try replace(link)
        #expect(text(path) == "new")
        var status = stat()
        lstat(link, &status)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func otherNamesKeepTheOldContentsAndAreCounted() throws {
        let other = folder.path + "/other.pdf"
        link(path, other)
        #expect(try FileReplacement(of: path).otherNames == 1)
        try replace(path)
        #expect(text(path) == "new" && text(other) == "old")
    }

    @Test func aFileThatChangedMeanwhileIsNotReplaced() throws {
        let facts = try FileFacts.read(path)
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: OwnFileError.changedMeanwhile) { try replace(path, expecting: facts) }
        #expect(text(path) == "theirs")
        #expect(names == ["paper.pdf"])
    }

    @Test func aFileThatOnlyLooksNewIsReplaced() throws {
        let facts = try FileFacts.read(path)
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        try replace(path, expecting: facts)
        #expect(text(path) == "new")
    }

    @Test func aFileThatIsGoneIsNotMadeAgain() throws {
        let facts = try FileFacts.read(path)
        unlink(path)
        #expect(throws: OwnFileError.missing) { try replace(path, expecting: facts) }
        #expect(names.isEmpty)
    }

    @Test func aReadOnlyFileIsNotReplaced() throws {
        chmod(path, 0o440)
        #expect(throws: OwnFileError.notWritable) { try replace(path) }
        #expect(text(path) == "old")
    }

    @Test(.enabled(if: geteuid() == 0)) func theFileOfAnotherUserIsNotReplaced() throws {
        #expect(chown(path, 12_345, 12_345) == 0)
        #expect(throws: OwnFileError.otherOwner) { try replace(path) }
        #expect(text(path) == "old")
    }

    @Test func whatAKilledEngineWasWritingIsRemovedWithTheNextWrite() throws {
        let dead = ".paper.pdf.999999999.1.postilla-new"
        let own = ".paper.pdf.\(getpid()).1.postilla-new"
        for name in [dead, own] { try Data().write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
        try replace(path)
        #expect(names == [own, "paper.pdf"])
    }

    @Test func extendedAttributesStay() throws {
        let set = ChildTool.run("/usr/bin/setfattr", ["-n", "user.note", "-v", "kept", path])
        // Not every file system has them.
        guard set == 0 else { return }
        try replace(path)
        #expect(ChildTool.run("/usr/bin/getfattr", ["-n", "user.note", path]) == 0)
    }

    @Test(.enabled(if: TinyDisk.isAllowed)) func aFullDiskLeavesTheOldFile() throws {
        let disk = try TinyDisk(kilobytes: 64)
        let path = disk.path + "/paper.pdf"
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        let replacement = try FileReplacement(of: path)
        let full = FileManager.default.createFile(
            atPath: replacement.temporary, contents: Data(repeating: 1, count: 256 << 10))
        #expect(!full || (try? FileFacts.read(replacement.temporary).size) != 256 << 10)
        #expect(text(path) == "old")
    }

    @Test(.enabled(if: TinyDisk.isAllowed)) func aReadOnlyFolderIsNamedAsTheReason() throws {
        let disk = try TinyDisk(kilobytes: 64)
        let path = disk.path + "/paper.pdf"
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        try disk.makeReadOnly()
        #expect(throws: OwnFileError.folderNotWritable) { try replace(path) }
    }

    @Test func aFileKnowsWhatItContinues() throws {
        let facts = try FileFacts.read(path)
        try Data("old and more".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try facts.isBeginning(of: path))
        try Data("odd and more".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try !facts.isBeginning(of: path))
        try Data("ol".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try !facts.isBeginning(of: path))
    }
}

private enum ChildTool {
    /// - Returns: nil if there is no such program.
    static func run(_ path: String, _ arguments: [String]) -> Int32? {
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        process.waitUntilExit()
        return process.terminationStatus
    }
}

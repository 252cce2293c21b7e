import Dispatch
import Foundation
import Glibc
import Synchronization
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

    /// - Parameter exchanged: runs after each exchange, with the path of what came out.
    private func replace(
        expecting expected: FileFacts, _ exchanged: @escaping (String) throws(OwnFileError) -> Void
    ) throws {
        let replacement = try FileReplacement(of: path)
        replacement.afterExchange = exchanged
        try write("new", to: replacement.temporary)
        _ = try replacement.prepare()
        try replacement.finish(replacing: expected)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
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

    /// Also of a copy that was being written elsewhere.
    @Test func aStateKnowsWhereAKilledEngineWrote() throws {
        var state = OwnFileState(
            document: "d", path: "\(folder.path)/gone.pdf",
            facts: FileFacts(inode: 1, size: 1, changed: 1, sha256: "00"))
        state.copying = "\(folder.path)/copy.pdf"
        let kept = try #require(OwnFileState(json: state.json))
        #expect(kept.copying == state.copying)
        let names = ["gone", "copy", "other"].map { "\(folder.path)/.\($0).pdf.999999999.1.postilla-new" }
        for name in names { try Data().write(to: URL(fileURLWithPath: name)) }
        FileReplacement.removeLeftovers(of: kept)
        #expect(names.map { access($0, F_OK) == 0 } == [false, false, true])
    }

    @Test func whatAKilledEngineWasWritingIsRemovedWithTheNextWrite() throws {
        let dead = ".paper.pdf.999999999.1.postilla-new"
        let own = ".paper.pdf.\(getpid()).1.postilla-new"
        for name in [dead, own] { try Data().write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
        try replace(path)
        #expect(names == [own, "paper.pdf"])
    }

    /// A killed engine keeps its number until its parent has waited for it.
    @Test func anEngineThatNobodyHasWaitedForIsDead() throws {
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        try #require(posix_spawn(&pid, "/bin/true", nil, nil, &arguments, environ) == 0)
        var status = siginfo_t()
        try #require(waitid(P_PID, id_t(pid), &status, WEXITED | WNOWAIT) == 0)
        defer { waitpid(pid, nil, 0) }
        try #require(kill(pid, 0) == 0)
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/.paper.pdf.\(pid).1.postilla-new"))
        try replace(path)
        #expect(names == ["paper.pdf"])
    }

    /// A program that writes in place has opened the old file, which nobody would find again.
    @Test func aProgramThatIsWritingTheFileIsWaitedFor() throws {
        let facts = try FileFacts.read(path)
        let file = open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        let (done, outcome) = (DispatchSemaphore(value: 0), Outcome())
        DispatchQueue.global().async { [self] in
            do { try replace(path, expecting: facts) } catch {
                outcome.problem.withLock { $0 = error as? OwnFileError }
            }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 0.2) == .timedOut)
        #expect(pwrite(file, "theirs", 6, 0) == 6)
        close(file)
        done.wait()
        #expect(outcome.problem.withLock { $0 } == .changedMeanwhile)
        #expect(text(path) == "theirs")
        #expect(names == ["paper.pdf"])
    }

    /// Some programs keep a file open for writing all the time.
    @Test func aProgramThatOnlyKeepsTheFileOpenIsNotWaitedForLong() throws {
        let facts = try FileFacts.read(path)
        let file = open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        try replace(path, expecting: facts)
        #expect(text(path) == "new")
    }

    struct Killed: Sendable {
        /// nil: somebody has deleted the file.
        var path: String?
        var beside: String?
        var result: String
    }

    /// Whatever another program wrote is put back; of the two that the engine knows, the one at the path stays.
    @Test(arguments: [
        Killed(path: "old", beside: nil, result: "old"), Killed(path: "new", beside: nil, result: "new"),
        Killed(path: "old", beside: "new", result: "old"), Killed(path: "new", beside: "old", result: "new"),
        Killed(path: "new", beside: "theirs", result: "theirs"),
        Killed(path: "theirs", beside: "new", result: "theirs"),
        Killed(path: nil, beside: "theirs", result: "theirs"), Killed(path: nil, beside: "old", result: ""),
    ]) func anExchangeInWhichTheEngineWasKilledIsEnded(_ killed: Killed) throws {
        func hash(_ text: String) throws -> String {
            let file = folder.path + "/hash"
            defer { unlink(file) }
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return try FileFacts.read(file).sha256
        }
        let beside = folder.path + "/.paper.pdf.1.1.postilla-old"
        unlink(path)
        if let text = killed.path { try write(text, to: path) }
        if let text = killed.beside { try Data(text.utf8).write(to: URL(fileURLWithPath: beside)) }
        let facts = try FileReplacement.finish(
            path, writing: try hash("new"), over: try hash("old"), exchanged: beside)
        #expect(text(path) == killed.result)
        #expect(names == (killed.result.isEmpty ? [] : ["paper.pdf"]))
        #expect(try facts?.sha256 == (killed.result.isEmpty ? nil : hash(killed.result)))
    }

    /// Another program's file is under the hidden name, and nobody knows whether the one at the path has seen it.
    @Test func whatNobodyCanDecideGetsANameThatPeopleSee() throws {
        let beside = folder.path + "/.paper.pdf.1.1.postilla-old"
        try write("theirs", to: beside)
        try write("a third one", to: path)
        #expect(throws: OwnFileError.setAside("paper.other-1.pdf")) {
            try FileReplacement.finish(path, writing: "1", over: "2", exchanged: beside)
        }
        #expect(names == ["paper.other-1.pdf", "paper.pdf"])
        #expect(text(folder.path + "/paper.other-1.pdf") == "theirs" && text(path) == "a third one")
    }

    /// Two other programs: one right before the exchange, and one after each.
    @Test func aProgramThatReplacesTheFileAllTheTimeIsNotFollowedForEver() throws {
        var number = 0
        #expect(throws: OwnFileError.setAside("paper.other-2.pdf")) {
            try write("taken", to: folder.path + "/paper.other-1.pdf")
            try replace(expecting: try FileFacts.read(path)) { [path] beside throws(OwnFileError) in
                if number == 0 { try? write("theirs 0", to: beside) }
                number += 1
                // As an editor saves: by another file.
                try? write("theirs \(number)", to: path + "~")
                guard rename(path + "~", path) == 0 else { throw .failed(errno) }
            }
        }
        #expect(names == ["paper.other-1.pdf", "paper.other-2.pdf", "paper.pdf"])
        #expect(text(path) == "theirs \(number)")
        #expect(text(folder.path + "/paper.other-2.pdf") == "theirs \(number - 1)")
        #expect(text(folder.path + "/paper.other-1.pdf") == "taken")
    }

    /// A name may have 255 bytes, also one of scalars that have four.
    @Test func aLongNameInAnyScriptIsNoObstacle() throws {
        for letter in ["a", "अ", "स्त्र", "👍"] {
            let name = String(repeating: letter, count: (255 - 4) / letter.utf8.count) + ".pdf"
            let path = folder.path + "/" + name
            try write("old", to: path)
            try replace(path, expecting: try FileFacts.read(path))
            #expect(text(path) == "new", "\(letter)")
            #expect(names.sorted() == ["paper.pdf", name].sorted())
            unlink(path)
        }
    }

    /// The mask belongs to the whole process.
    @Test func theMaskForNewFilesStaysWhenManyAreMadeAtOnce() throws {
        func mask() -> String {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            return status.split(separator: "\n").first { $0.hasPrefix("Umask:") }.map(String.init) ?? ""
        }
        let before = mask()
        let modes = Mutex<Set<mode_t>>([])
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            let path = folder.path + "/new-\(number).pdf"
            try? replace(path)
            var status = stat()
            guard stat(path, &status) == 0 else { return }
            modes.withLock { _ = $0.insert(status.st_mode & 0o777) }
        }
        #expect(mask() == before)
        #expect(modes.withLock { $0 } == [0o666 & ~(mode_t(before.split(separator: "\t").last ?? "", radix: 8) ?? 0)])
    }

    @Test func theLongestVersionThatAFileContinuesIsFound() throws {
        var earlier = EarlierVersions()
        let texts = ["a", "ab", "abc", "abX"]
        for text in texts {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            earlier.add(try FileFacts.read(path))
        }
        for (text, size) in [("abcd", 3), ("abXd", 3), ("abd", 2), ("ax", 1), ("x", nil), ("", nil)] as [(String, Int?)]
        {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(try earlier.ancestor(of: path)?.size == size.map(Int64.init), "\(text)")
        }
        #expect(EarlierVersions(json: nil).versions.isEmpty)
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
        #expect(throws: OwnFileError.readOnlyFileSystem) { try replace(path) }
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

private final class Outcome: Sendable {
    let problem = Mutex<OwnFileError?>(nil)
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

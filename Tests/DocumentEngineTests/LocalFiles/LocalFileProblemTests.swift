import Annotations
import FileCore
import Foundation
import Glibc
import PDFPages
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// What is told of files that cannot be read or written, and what else they hold up.
@Suite("Problems with local files", .onOwnThreads) struct LocalFileProblemTests {
    private let scene: LocalFilesScene

    init() async throws { scene = try await LocalFilesScene() }

    private var files: LocalFiles { scene.files }

    // MARK: Reasons

    @Test func aFileThatCannotBeOpenedLeavesNothing() async throws {
        await #expect(throws: OwnFileError.missing) { try await scene.open(scene.root + "/none.pdf") }
        await #expect(throws: OwnFileError.notAFile) { try await scene.open(scene.root + "/kept") }
        #expect(mkfifo(scene.root + "/fifo.pdf", 0o600) == 0)
        await #expect(throws: OwnFileError.notAFile) { try await scene.open(scene.root + "/fifo.pdf") }
        try Data("no PDF".utf8).write(to: URL(filePath: scene.root + "/text.pdf"))
        let error = await #expect(throws: OwnFileError.self) { try await scene.open(scene.root + "/text.pdf") }
        #expect(error?.isAboutReading == true && error?.fileProblem == .unreadable)
        try Data().write(to: URL(filePath: scene.root + "/empty.pdf"))
        await #expect(throws: OwnFileError.unreadable(.empty)) { try await scene.open(scene.root + "/empty.pdf") }
        try await waitUntil("nothing is known of them") { files.all.isEmpty }
        #expect(scene.kept.isEmpty)
        // The next opening is another one.
        try scene.replace(scene.bytes, at: scene.root + "/text.pdf")
        let file = try await scene.open(scene.root + "/text.pdf")
        #expect(try scene.layer(file) == [LocalFilesScene.first: "first"])
    }

    /// The engine knows what it writes without it.
    @Test func aDatabaseThatIsDamagedMeanwhileDoublesNothing() async throws {
        let file = try await scene.open()
        try await scene.edit(file, LocalFilesScene.first, "changed")
        try #require(file.store.database).spoil("UPDATE file_row SET base = '{}'")
        #expect(try await file.write(.init()).records == 1)
        #expect(try await scene.texts() == ["changed"])
    }

    /// With a password that nobody has.
    @Test func anEncryptedFileIsNamedAsSuch() async throws {
        let path = scene.root + "/encrypted.pdf"
        try scene.replace(Self.encrypted, at: path)
        let error = await #expect(throws: OwnFileError.self) { try await scene.open(path) }
        guard case .unreadable(let problem) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem == .encrypted && error?.reason.contains("Input/output") == false)
    }

    private static var encrypted: [UInt8] {
        let zeros = String(repeating: "00", count: 32)
        let text = String(decoding: SmallPDF(annotations: [LocalFileScene.note]).bytes, as: UTF8.self)
        let entry = "/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<\(zeros)>/U<\(zeros)>>>/ID[<00><00>]/Root"
        return Array(text.replacingOccurrences(of: "/Root", with: entry).utf8)
    }

    @Test func whatCannotBeReadAnyMoreKeepsItsEdits() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        try scene.replace(Array("no PDF".utf8))
        let error = await #expect(throws: OwnFileError.self) { try await file.write(.init()) }
        #expect(error?.isAboutReading == true && file.state.unwritten == 1)
        let copy = scene.root + "/copy.pdf"
        _ = try await file.write(.init(copy: copy))
        #expect(try await scene.texts(at: copy) == ["first", "new"])
        try await scene.open()
        #expect(file.inner.withLock { $0.news.problem } == error?.reason)
    }

    @Test func aReadOnlyFileIsNotReplaced() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        #expect(chmod(scene.path, 0o440) == 0)
        await #expect(throws: OwnFileError.notWritable) { try await file.write(.init()) }
        await scene.quiet(file)
        #expect(file.state.unwritten == 1 && scene.hidden.isEmpty)
        #expect(chmod(scene.path, 0o640) == 0)
        #expect(try await file.write(.init()).records == 1)
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"), arguments: [false, true])
    func aFullOrReadOnlyDiskLeavesTheFileAndKeepsTheChange(_ isReadOnly: Bool) async throws {
        let disk = try TinyDisk(kilobytes: 16)
        let path = disk.path + "/paper.pdf"
        try Data(SmallPDF(annotations: [LocalFileScene.note]).bytes).write(to: URL(filePath: path))
        let file = try await scene.open(path)
        let before = try Data(contentsOf: URL(filePath: path))
        try await scene.edit(file, "new", String(repeating: "much ", count: 5000))
        if isReadOnly { try disk.makeReadOnly() }
        let error: OwnFileError = isReadOnly ? .readOnlyFileSystem : .diskFull
        await #expect(throws: error) { try await file.write(.init()) }
        await scene.quiet(file)
        #expect(try Data(contentsOf: URL(filePath: path)) == before && file.state.unwritten == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.path)
        #expect(names == ["paper.pdf"])
        // Elsewhere it can be written.
        _ = try await file.write(.init(copy: scene.root + "/copy.pdf"))
        #expect(try await scene.texts(at: scene.root + "/copy.pdf").count == 2)
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aFullDiskForWhatIsInMemoryIsNamed() async throws {
        let folder = files.options.memoryFolder
        let disk = try TinyDisk(kilobytes: 8)
        #expect(rmdir(folder) == 0 && symlink(disk.path, folder) == 0)
        let error = await #expect(throws: OwnFileError.self) { try await scene.open() }
        guard case .notKept(let problem) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem == PlaceProblem(folder: folder, code: ENOSPC) && files.all.isEmpty)
        try disk.grow(toKilobytes: 4096)
        #expect(try scene.layer(try await scene.open()) == [LocalFilesScene.first: "first"])
    }

    // MARK: A disk that hangs

    @Test func aDiskThatHangsHoldsUpOnlyItsOwnFiles() async throws {
        let (reached, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        files.hooks.withLock {
            $0.afterReading = {
                reached.signal()
                goesOn.wait()
            }
        }
        let hung = (0..<2).map { [scene] _ in Task { try await scene.open() } }
        await Self.wait(reached)
        files.hooks.withLock { $0 = .init() }
        let path = scene.root + "/other.pdf"
        try scene.replace(SmallPDF(annotations: [LocalFileScene.note]).bytes, at: path)
        let other = try await scene.open(path)
        try await scene.edit(other, "new", "new")
        await files.tickNow()
        #expect(try await other.write(.init()).records == 1)
        await other.close(for: scene.process.user)
        try await scene.gone(other)
        let secret = try await scene.open(path, isPrivate: true)
        #expect(secret.document != other.document)
        for _ in 0..<8 { goesOn.signal() }
        let opened = [try await hung[0].value, try await hung[1].value]
        #expect(try opened[0] === opened[1] && scene.layer(opened[0]) == [LocalFilesScene.first: "first"])
    }

    /// Waits on a thread of its own: two tests that each kept one of the threads of all tasks held up everything.
    private static func wait(_ semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    /// It is read in turn with its own writes, but edits of it are stored meanwhile.
    @Test func aFileThatHangsTakesEdits() async throws {
        let file = try await scene.open()
        let (reached, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        file.work.hooks.withLock {
            $0.afterReading = {
                reached.signal()
                goesOn.wait()
            }
        }
        try await scene.append("theirs", "theirs")
        file.send(.changedOnDisk)
        await Self.wait(reached)
        try await scene.edit(file, "new", "new")
        #expect(file.state.unwritten == 1)
        file.work.hooks.withLock { $0 = .init() }
        for _ in 0..<8 { goesOn.signal() }
        await scene.quiet(file)
        #expect(try scene.layer(file).values.sorted() == ["first", "new", "theirs"])
        try await scene.expectAgreement(file)
    }
}

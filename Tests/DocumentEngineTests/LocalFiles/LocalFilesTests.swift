import Annotations
import EngineCore
import FileCore
import Foundation
import Glibc
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// The engine's files without a socket: what it says of a file at each moment, and who gets what was made in it.
@Suite("Files that are open", .onOwnThreads) struct LocalFilesTests {
    private let scene: LocalFilesScene

    init() async throws { scene = try await LocalFilesScene() }

    private var files: LocalFiles { scene.files }

    // MARK: Where it is kept

    @Test func whatHasNothingToLoseIsInMemoryAndGoesWithItsLastWindow() async throws {
        let file = try await scene.open()
        #expect(try scene.layer(file) == [LocalFilesScene.first: "first"])
        #expect(scene.kept.isEmpty && scene.running.contains(file.document))
        try await scene.open()
        await scene.close(file)
        #expect(scene.isKnown(file) && file.isUsed)
        await scene.close(file)
        try await scene.gone(file)
        #expect(scene.kept.isEmpty && !scene.running.contains(file.document))
        #expect(scene.forgotten == [file.document])
        let again = try await scene.open()
        #expect(again.document != file.document)
        await #expect(throws: OwnFileError.notOpen) { try await scene.edit(file, "late", "late") }
    }

    @Test func theFirstEditMovesTheFileToDiskWithAllThatBelongsToIt() async throws {
        let file = try await scene.open()
        let attachment = try await scene.attach(file, "bytes")
        let version = try #require(file.state.version?.contents)
        try await scene.edit(file, "new", "new")
        #expect(scene.kept == [file.document] && !scene.running.contains(file.document))
        #expect(file.copies.path(of: version)?.hasPrefix(files.options.keptFolder) == true)
        #expect(try file.place.attachments.names() == [attachment])
        #expect(file.state.unwritten == 1 && file.store.place == .data)
        try await scene.expectAgreement(file)
    }

    @Test func whatIsStillArrivingArrivesAlthoughTheDatabaseHasMoved() async throws {
        let file = try await scene.open()
        let upload = try file.place.attachments.receive()
        try upload.write(.init(string: "bytes"))
        try await scene.edit(file, "new", "new")
        let received = try upload.finish()
        try file.place.attachments.keep(received)
        #expect(try file.place.attachments.names() == [received.sha256])
    }

    /// The client of a window may come back before the window has opened the file again.
    @Test func theNextEngineFindsTheFileBeforeItIsOpened() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        let token = try await files.token(for: file)
        #expect(try await scene.next().session(token) == 200)
    }

    @Test func whatWaitsStaysOnDiskForTheNextEngine() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        await scene.close(file)
        #expect(scene.isKnown(file) && scene.kept == [file.document] && !file.isUsed)
        let next = try scene.next()
        let again = try await next.open()
        #expect(again.document == file.document && again.state.unwritten == 1)
        #expect(try next.layer(again) == [LocalFilesScene.first: "first", "new": "new"])
        try await next.edit(again, "more", "more")
        #expect(again.state.unwritten == 2)
        _ = try await again.write(.init())
        #expect(try await scene.texts() == ["first", "more", "new"])
        await next.close(again)
        try await next.gone(again)
        #expect(scene.kept.isEmpty && !scene.running.contains(file.document))
    }

    @Test func whatADeletedEditLeavesIsNothing() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        try await scene.edit(file, "new", nil)
        #expect(file.state.unwritten == 0)
        await scene.close(file)
        try await scene.gone(file)
        #expect(scene.kept.isEmpty)
    }

    /// Each has threads of its own.
    @Test func nothingOfAForgottenFileStaysInMemory() async throws {
        weak var last: LocalFile?
        do {
            let file = try await scene.open()
            last = file
            try await scene.edit(file, "new", "new")
            _ = try await file.write(.init())
            await scene.close(file)
            try await scene.gone(file)
        }
        try await waitUntil("it is released") { last == nil }
        #expect(files.all.isEmpty)
    }

    @Test func aFileThatIsMissingIsForgottenAsWell() async throws {
        let file = try await scene.open()
        #expect(unlink(scene.path) == 0)
        await scene.close(file)
        try await scene.gone(file)
        #expect(scene.kept.isEmpty && !scene.running.contains(file.document))
    }

    // MARK: Opening while it is forgotten

    /// A window that still has edits keeps its document, and hands them in.
    @Test func anEditThatComesWhileAFileIsForgottenStays() async throws {
        let file = try await scene.open()
        let pushes = Mutex<[Task<Void, any Error>]>([])
        scene.onForgetting { [scene] in
            pushes.withLock { $0.append(Task { try await scene.edit(file, "late", "late") }) }
            return false
        }
        await scene.close(file)
        for push in pushes.withLock({ $0 }) { try await push.value }
        #expect(pushes.withLock { $0.count } == 1)
        #expect(scene.isKnown(file) && file.state.unwritten == 1)
        scene.onForgetting { true }
        await files.tickNow()
        await scene.quiet(file)
        #expect(scene.isKnown(file) && file.state.mustBeKept)
        try await scene.expectAgreement(file)
    }

    @Test func anEditAfterAFileIsForgottenIsRefused() async throws {
        let file = try await scene.open()
        let pushes = Mutex<[Task<Void, any Error>]>([])
        scene.onForgetting { [scene] in
            pushes.withLock { $0.append(Task { try await scene.edit(file, "late", "late") }) }
            return true
        }
        await scene.close(file)
        try await scene.gone(file)
        for push in pushes.withLock({ $0 }) {
            await #expect(throws: OwnFileError.notOpen) { try await push.value }
        }
        #expect(scene.kept.isEmpty && !scene.running.contains(file.document))
    }

    @Test(arguments: [false, true]) func openingWhileAFileIsForgottenWaits(_ isForgotten: Bool) async throws {
        let file = try await scene.open()
        let openings = Mutex<[Task<LocalFile, any Error>]>([])
        scene.onForgetting { [scene] in
            openings.withLock { list in
                if list.isEmpty { list = (0..<3).map { _ in Task { try await scene.open() } } }
            }
            return isForgotten
        }
        await scene.close(file)
        try await waitUntil("it is opened") { openings.withLock { !$0.isEmpty } }
        var opened: [LocalFile] = []
        for opening in openings.withLock({ $0 }) { opened.append(try await opening.value) }
        #expect(opened.allSatisfy { $0 === opened[0] } && (opened[0] === file) == !isForgotten)
        #expect(files.all.count == 1 && opened[0].inner.withLock { $0.core.windows } == 3)
        try await scene.edit(opened[0], "new", "new")
        #expect(opened[0].state.unwritten == 1)
    }

    /// A window that has just closed has nothing to lose, and nobody is told that it is open.
    @Test func aFileThatWasJustClosedCanBeOpenedOtherwise() async throws {
        var last: String?
        for round in 0..<10 {
            let isPrivate = round % 2 == 0
            let file = try await scene.open(isPrivate: isPrivate)
            #expect(file.document != last && file.state.isPrivate == isPrivate)
            last = file.document
            await file.close(for: scene.process.user)
        }
        let file = try await scene.open()
        await scene.close(file)
        try await scene.gone(file)
        #expect(files.all.isEmpty)
    }

    @Test func severalPrivateWindowsOpenAtOnceAfterAnotherOne() async throws {
        for _ in 0..<5 {
            let file = try await scene.open()
            await file.close(for: scene.process.user)
            let opened = try await withThrowingTaskGroup(of: LocalFile.self) { [scene] group in
                for _ in 0..<6 { group.addTask { try await scene.open(isPrivate: true) } }
                return try await group.reduce(into: [LocalFile]()) { $0.append($1) }
            }
            #expect(opened.allSatisfy { $0 === opened[0] && $0.state.isPrivate })
            for file in opened { await file.close(for: scene.process.user) }
        }
    }

    // MARK: Processes

    @Test func aProcessThatHasEndedHasNothingOpen() async throws {
        let (child, other) = (try IdleChild(), try IdleChild())
        let file = try await scene.open(by: child.identity)
        try await scene.open(by: child.identity)
        try await scene.open(by: other.identity)
        child.kill()
        await files.tickNow()
        #expect(file.inner.withLock { $0.core.windows } == 1)
        other.kill()
        await files.tickNow()
        try await scene.gone(file)
        #expect(scene.kept.isEmpty)
    }

    /// Another one has its number.
    @Test func aProcessIsKnownByItsStart() async throws {
        let file = try await scene.open(by: ProcessIdentity(pid: getpid(), start: 1))
        await files.tickNow()
        try await scene.gone(file)
    }

    // MARK: A file that was moved

    @Test(arguments: [false, true]) func aMovedFileKeepsItsEdits(_ isAfterRestart: Bool) async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        await scene.close(file)
        let moved = scene.root + "/moved.pdf"
        #expect(rename(scene.path, moved) == 0)
        let scene = isAfterRestart ? try scene.next() : scene
        let again = try await scene.open(moved)
        #expect(again.document == file.document && again.path == moved && again.state.unwritten == 1)
        #expect(again.inner.withLock { $0.news.origin } == .movedFrom(scene.path))
        // The database says so, too.
        #expect(try again.store.read { try FileTables($0).path() } == moved)
        #expect(try await again.write(.init()).records == 1)
        #expect(try await scene.texts(at: moved) == ["first", "new"] && access(scene.path, F_OK) != 0)
        // The next window finds it where it was.
        try await scene.open(moved)
        #expect(again.inner.withLock { $0.news.origin } == .here)
    }

    /// It may be meant for other people: what is kept of a file that is gone must not get into a fresh copy.
    @Test(arguments: [false, true]) func aCopyOfAMissingFileGetsNothingOfIt(_ isAfterRestart: Bool) async throws {
        let bytes = try Data(contentsOf: URL(filePath: scene.path))
        let file = try await scene.open()
        try await scene.edit(file, "new", "not for others")
        await scene.close(file)
        let copy = scene.root + "/copy.pdf"
        #expect(rename(scene.path, scene.root + "/elsewhere.pdf") == 0)
        try bytes.write(to: URL(filePath: copy))
        let scene = isAfterRestart ? try scene.next() : scene
        let other = try await scene.open(copy)
        #expect(other.document != file.document && other.state.unwritten == 0)
        #expect(other.inner.withLock { $0.news.origin } == .twin(scene.path))
        // The file itself is found again.
        let again = try await scene.open(scene.root + "/elsewhere.pdf")
        #expect(again.document == file.document && again.state.unwritten == 1)
    }

    @Test func aCopyIsAFileOfItsOwn() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        let copy = scene.root + "/copy.pdf"
        try FileManager.default.copyItem(atPath: scene.path, toPath: copy)
        let other = try await scene.open(copy)
        #expect(other.document != file.document && other.state.unwritten == 0)
    }

    @Test func severalWindowsFindAMovedFileAtOnce() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        await scene.close(file)
        let moved = scene.root + "/moved.pdf"
        #expect(rename(scene.path, moved) == 0)
        let opened = try await withThrowingTaskGroup(of: LocalFile.self) { [scene] group in
            for _ in 0..<4 { group.addTask { try await scene.open(moved) } }
            return try await group.reduce(into: [LocalFile]()) { $0.append($1) }
        }
        #expect(opened.allSatisfy { $0 === file } && files.all.count == 1)
        #expect(file.inner.withLock { $0.news.origin } != .movedFrom(moved))
    }
}

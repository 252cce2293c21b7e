import Annotations
import FileCore
import Foundation
import Glibc
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

@Suite("Files that are open privately", .onOwnThreads) struct LocalFilesPrivateTests {
    private let scene: LocalFilesScene

    init() async throws { scene = try await LocalFilesScene() }

    private var files: LocalFiles { scene.files }

    @Test func whatWasMadePrivatelyGoesWithItsSession() async throws {
        let file = try await scene.open(isPrivate: true)
        try await scene.attach(file, "secret bytes")
        try await scene.edit(file, "secret", "secret")
        #expect(file.state.unwritten == 1 && scene.kept.isEmpty && file.store.place == .runtime)
        try await scene.expectAgreement(file)
        await #expect(throws: OwnFileError.openPrivately) { try await scene.open() }
        await scene.close(file)
        try await scene.gone(file)
        #expect(scene.forgotten.contains(file.document) && !scene.running.contains(file.document))
        let other = try await scene.open()
        #expect(try scene.layer(other)["secret"] == nil && other.state.unwritten == 0)
    }

    @Test func whatIsWrittenPrivatelyIsInTheFileAndNotOnDisk() async throws {
        let file = try await scene.open(isPrivate: true)
        try await scene.edit(file, "secret", "secret")
        #expect(try await file.write(.init()).records == 1)
        #expect(try await scene.texts() == ["first", "secret"] && scene.kept.isEmpty && scene.hidden.isEmpty)
        try await scene.edit(file, "more", "more")
        #expect(scene.kept.isEmpty && file.state.unwritten == 1)
    }

    /// A client that holds its copy is asked again.
    @Test func aPrivateSessionIsOverWhateverAClientHolds() async throws {
        let file = try await scene.open(isPrivate: true)
        try await scene.edit(file, "secret", "secret")
        scene.onForgetting { false }
        await scene.close(file)
        try await scene.gone(file)
        #expect(!scene.running.contains(file.document))
        let asked = Mutex(0)
        scene.onForgetting {
            asked.withLock { $0 += 1 }
            return true
        }
        await files.tickNow()
        await files.tickNow()
        #expect(asked.withLock { $0 } == 1)
    }

    /// Found by the next opening, by the engine's round, and by the next engine.
    @Test(arguments: ["opening", "round", "engine"])
    func aKilledSessionIsGivenUp(by finder: String) async throws {
        let child = try IdleChild()
        let file = try await scene.open(isPrivate: true, by: child.identity)
        try await scene.edit(file, "secret", "secret")
        let scene = finder == "engine" ? try scene.next() : scene
        // As long as its window lives, another one does not get the file.
        await #expect(throws: OwnFileError.openPrivately) { try await scene.open() }
        child.kill()
        if finder == "round" {
            await files.tickNow()
            try await scene.gone(file)
        } else {
            // It is noticed once a second.
            await scene.files.tickNow()
        }
        let other = try await scene.open()
        #expect(other.document != file.document && other.state.unwritten == 0)
        #expect(try scene.layer(other)["secret"] == nil)
        #expect(!scene.running.contains(file.document))
    }

    @Test func anEngineThatStartsGivesUpPrivateFilesOfEndedProcesses() async throws {
        let child = try IdleChild()
        let file = try await scene.open(isPrivate: true, by: child.identity)
        try await scene.edit(file, "secret", "secret")
        child.kill()
        let next = try scene.next()
        try await next.files.prepare()
        try await waitUntil("it is forgotten") { next.files.all.isEmpty }
        #expect(!scene.running.contains(file.document))
    }

    @Test func aFileThatIsOpenOtherwiseIsNotOpenedPrivately() async throws {
        let file = try await scene.open()
        await #expect(throws: OwnFileError.openOtherwise) { try await scene.open(isPrivate: true) }
        try await scene.edit(file, "kept", "kept")
        await #expect(throws: OwnFileError.openOtherwise) { try await scene.open(isPrivate: true) }
        await scene.close(file)
        await #expect(throws: OwnFileError.keptOnDisk(1)) { try await scene.open(isPrivate: true) }
        #expect(file.state.unwritten == 1)
        _ = try await file.write(.init())
        let fresh = try await scene.open(isPrivate: true)
        #expect(fresh.document != file.document && fresh.state.isPrivate)
    }

    @Test func checkingSaysWhatOpeningWould() async throws {
        try await files.check(scene.path, isPrivate: false)
        try await files.check(scene.path, isPrivate: true)
        #expect(files.all.isEmpty)
        let file = try await scene.open()
        try await files.check(scene.path, isPrivate: false)
        await #expect(throws: OwnFileError.openOtherwise) { try await files.check(scene.path, isPrivate: true) }
        try await scene.edit(file, "kept", "kept")
        await scene.close(file)
        await #expect(throws: OwnFileError.keptOnDisk(1)) { try await files.check(scene.path, isPrivate: true) }
        _ = try await file.write(.init())
        // It has nothing to lose any more.
        try await files.check(scene.path, isPrivate: true)
        let secret = try await scene.open(isPrivate: true)
        try await files.check(scene.path, isPrivate: true)
        await #expect(throws: OwnFileError.openPrivately) { try await files.check(scene.path, isPrivate: false) }
        await secret.close(for: scene.process.user)
        try await files.check(scene.path, isPrivate: false)
        try await scene.gone(secret)
    }

    /// A copy of the same bytes continues a file that is gone, but not one of a private session.
    @Test func aMovedFileTakesNothingPrivateAlong() async throws {
        let file = try await scene.open(isPrivate: true)
        try await scene.edit(file, "secret", "secret")
        let moved = scene.root + "/moved.pdf"
        #expect(rename(scene.path, moved) == 0)
        let other = try await scene.open(moved)
        #expect(other.document != file.document && other.state.unwritten == 0)
    }

    @Test func aPrivateSessionNeedsMemoryInTheEngineToo() async throws {
        let scene = try await LocalFilesScene(isInMemory: false)
        let error = OwnFileError.notInMemory(scene.files.options.memoryFolder)
        await #expect(throws: error) { try await scene.open(isPrivate: true) }
        await #expect(throws: error) { try await scene.files.check(scene.path, isPrivate: true) }
    }
}

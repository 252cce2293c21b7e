import Annotations
import Foundation
import Glibc
import Logging
import SyncProtocol
import Synchronization
import TestSupport
import Testing

@testable import DocumentEngine
@testable import EngineCore

/// The engine's files without a socket: what it says of a file at each moment, and who gets what was made in it.
struct OwnFilesTests {
    private let scene: OwnFilesScene

    init() async throws { scene = try await OwnFilesScene() }

    private var files: OwnFiles { scene.files }

    // MARK: What cannot be kept

    @Test func aStateThatCannotBeStoredNamesItsFolder() async throws {
        let file = try await scene.open()
        let kept = files.options.keptFolder
        try FileManager.default.removeItem(atPath: kept)
        #expect(FileManager.default.createFile(atPath: kept, contents: nil))
        await #expect {
            try await scene.edit(file, "note", "lost")
        } throws: {
            guard case .notKept(let problem) = $0 as? OwnFileError else { return false }
            return problem.folder == kept
        }
    }

    // MARK: State and layer at one moment

    /// An edit of a record that is in the file already, stored after the state was read and before the layer is.
    @Test(arguments: ["changed meanwhile", nil])
    func anEditBetweenReadingStateAndLayerIsNotTakenForWritten(_ text: String?) async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note-1", "written")
        #expect(try await files.write(file, .init()).records == 1)
        try await scene.edit(file, "note-2", "to be written")
        let isFirst = Mutex(true)
        files.betweenReads.withLock {
            $0 = { [scene] in
                let isFirst = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                if isFirst { try await scene.edit(file, "note-1", text) }
            }
        }
        _ = try await files.write(file, .init())
        files.betweenReads.withLock { $0 = nil }
        let texts = try await scene.textsInFile()
        #expect(texts.contains("to be written"))
        // What counts as written is in the file, and what does not is still to be written.
        #expect(file.state.unwritten == 0)
        #expect(texts.contains("written") == false && texts.contains("changed meanwhile") == (text != nil), "\(texts)")
    }

    @Test func anEditThatComesWhileAFileIsForgottenStays() async throws {
        let file = try await scene.open()
        scene.onForgetting { [scene] in try? await scene.edit(file, "late", "late") }
        try await files.close(file, by: scene.process)
        #expect(files.isKnown(file) && file.state.unwritten == 1)
        scene.onForgetting {}
        try await files.tidy()
        #expect(files.isKnown(file) && file.state.mustBeKept)
    }

    /// As an engine leaves it that was killed after it had taken in the file and before it had put the kept edits on top.
    @Test func aLayerThatWasTakenInByHalvesIsTakenInAnew() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        try await files.removeDocument(file.key.document)
        let contents = try await files.contents(scene.path, isPrivate: false)
        try await files.store(contents, contents.base.records, file.state)
        let again = try await scene.open()
        let moment = try await files.moment(of: again)
        #expect(moment.versions.mine.contains { $0.id == "kept" } && moment.state.unwritten == 1)
        // What a window sends afterwards is known, too.
        try await scene.edit(again, "more", "more")
        #expect(again.state.unwritten == 2)
    }

    // MARK: A disk that fails after the file was replaced

    /// A power failure may undo the exchange of the two files, so the changes stay where they are until a sync succeeds.
    @Test func afterAFailedSyncOfTheFolderTheChangesAreKeptUntilOneSucceeds() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note", "written")
        files.exchangeHooks.withLock { $0 = .init(beforeSync: { () throws(OwnFileError) in throw .failed(EIO) }) }
        let error = await #expect(throws: OwnFileError.self) { try await files.write(file, .init()) }
        #expect(error == .notSynced(EIO) && error?.description.contains("as it was") == false)
        #expect(try await scene.textsInFile().contains("written"))
        #expect(file.state.unwritten == 1 && file.state.intent != nil)
        // The next engine finds it out, too.
        let next = try OwnFiles(files)
        #expect(try await next.open(scene.path, isPrivate: false, by: scene.process).state.unwritten == 0)
        // It is this program's own write, not that of another one.
        await files.lookAtFiles()
        #expect(file.state.unwritten == 0 && file.state.intent == nil && file.news.withLock(\.merges) == 0)
        #expect(try await files.write(file, .init()).records == 0)
        #expect(scene.hiddenFiles.isEmpty)
    }

    /// What has happened, is told by the file alone.
    @Test func anErrorAfterTheExchangeDoesNotMakeAWriteUndone() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note", "written")
        files.exchangeHooks.withLock {
            $0 = .init(afterExchange: { (_: String) throws(OwnFileError) in throw .failed(EIO) })
        }
        #expect(try await files.write(file, .init()).records == 1)
        #expect(try await scene.textsInFile().contains("written"))
        #expect(file.state.unwritten == 0 && file.state.intent == nil && scene.hiddenFiles.isEmpty)
    }

    /// It has replaced the file right before the exchange.
    @Test func whatAnotherProgramWroteIsPutBackAfterAnError() async throws {
        let file = try await scene.open()
        let theirs = try Data(contentsOf: URL(filePath: scene.path)) + Data("\n% theirs\n".utf8)
        try await scene.edit(file, "note", "waits")
        files.exchangeHooks.withLock {
            $0 = .init(afterExchange: { (beside: String) throws(OwnFileError) in
                try? theirs.write(to: URL(filePath: beside))
                throw .failed(EIO)
            })
        }
        await #expect(throws: OwnFileError.failed(EIO)) { try await files.write(file, .init()) }
        #expect(try Data(contentsOf: URL(filePath: scene.path)) == theirs && scene.hiddenFiles.isEmpty)
        #expect(file.state.unwritten == 1 && file.state.intent == nil)
        files.exchangeHooks.withLock { $0 = nil }
        #expect(try await files.write(file, .init()).records == 1)
        #expect(try await scene.textsInFile().contains("waits"))
    }

    /// As long as the disk does not tell what has happened, nothing is given up; and a copy can be made all the same.
    @Test func whatIsUndecidedStaysUntilItIsDecided() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note", "written")
        let aside = Mutex("")
        files.exchangeHooks.withLock {
            $0 = .init(afterExchange: { (beside: String) throws(OwnFileError) in
                // In place of a file that cannot be read.
                guard rename(beside, beside + ".aside") == 0, mkdir(beside, 0o700) == 0 else { throw .failed(errno) }
                // The path given leads through a descriptor.
                aside.withLock { $0 = beside.split(separator: "/").last.map(String.init) ?? "" }
                throw .failed(EIO)
            })
        }
        let problem = OwnFileError.undecided(OwnFileError.notAFile.reason)
        await #expect(throws: problem) { try await files.write(file, .init()) }
        #expect(!problem.description.contains("as it was"))
        files.exchangeHooks.withLock { $0 = nil }
        await #expect(throws: problem) { try await files.write(file, .init()) }
        #expect(file.state.unwritten == 1 && file.state.intent != nil)
        let copy = scene.folder.path + "/copy.pdf"
        _ = try await files.write(file, .init(copy: copy))
        let inCopy = try await files.contents(copy, isPrivate: false).base.records.map { Annotation($0).text }
        #expect(inCopy.contains("written"))
        #expect(file.state.intent != nil)
        let beside = scene.folder.path + "/" + aside.withLock { $0 }
        #expect(rmdir(beside) == 0 && rename(beside + ".aside", beside) == 0)
        #expect(try await files.write(file, .init()).records == 0)
        #expect(file.state.unwritten == 0 && scene.hiddenFiles.isEmpty)
        #expect(try await scene.textsInFile().count { $0 == "written" } == 1)
    }

    // MARK: Private sessions

    @Test func whatWasMadePrivatelyGoesWithItsSession() async throws {
        let file = try await scene.open(isPrivate: true)
        try await scene.edit(file, "secret", "secret")
        #expect(file.state.unwritten == 1 && scene.keptFiles.isEmpty)
        await #expect(throws: OwnFileError.openPrivately) { try await scene.open() }
        try await files.close(file, by: scene.process)
        #expect(!files.isKnown(file) && scene.forgotten.contains(file.key.document))
        let other = try await scene.open()
        let versions = try await files.moment(of: other).versions
        #expect(!versions.mine.contains { $0.id == "secret" } && other.state.unwritten == 0)
    }

    /// Found by the next opening, by the engine's round, and by the next engine.
    @Test(arguments: ["opening", "round", "engine"])
    func aKilledSessionIsGivenUp(by finder: String) async throws {
        let child = try Child()
        let file = try await scene.open(isPrivate: true, by: child.identity)
        try await scene.edit(file, "secret", "secret")
        var files = files
        if finder == "engine" { files = try OwnFiles(files) }
        // As long as its window lives, another one does not get the file.
        await #expect(throws: OwnFileError.openPrivately) {
            try await files.open(scene.path, isPrivate: false, by: scene.process)
        }
        child.kill()
        if finder == "round" {
            try await files.tidy()
            #expect(!files.isKnown(file))
        }
        let other = try await files.open(scene.path, isPrivate: false, by: scene.process)
        #expect(other.key != file.key && other.state.unwritten == 0)
        #expect(try await !files.moment(of: other).versions.mine.contains { $0.id == "secret" })
    }

    @Test func aFileThatIsOpenOtherwiseIsNotOpenedPrivately() async throws {
        let file = try await scene.open()
        await #expect(throws: OwnFileError.openOtherwise) { try await scene.open(isPrivate: true) }
        try await scene.edit(file, "kept", "kept")
        try await files.close(file, by: scene.process)
        await #expect(throws: OwnFileError.keptOnDisk(1)) { try await scene.open(isPrivate: true) }
        #expect(file.state.unwritten == 1)
        _ = try await files.write(file, .init())
        let fresh = try await scene.open(isPrivate: true)
        #expect(fresh.key != file.key && fresh.state.isPrivate)
    }

    /// A copy of the same bytes continues a file that is gone, but not one of a private session.
    @Test func aMovedFileTakesNothingPrivateAlong() async throws {
        let file = try await scene.open(isPrivate: true)
        try await scene.edit(file, "secret", "secret")
        let moved = scene.folder.path + "/moved.pdf"
        #expect(rename(scene.path, moved) == 0)
        let other = try await files.open(moved, isPrivate: false, by: scene.process)
        #expect(other.key != file.key && other.state.unwritten == 0)
    }

    @Test func aPrivateSessionNeedsMemoryInTheEngineToo() async throws {
        let scene = try await OwnFilesScene(isInMemory: false)
        await #expect(throws: OwnFileError.notInMemory(scene.files.options.memoryFolder)) {
            try await scene.open(isPrivate: true)
        }
    }

    // MARK: Damage

    @Test(arguments: ["cut", "empty", "changed"])
    func aDamagedStateIsKeptAndNamed(_ damage: String) async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        let path = "\(files.options.keptFolder)/\(file.key.document)/state.json"
        let state = try Data(contentsOf: URL(filePath: path))
        var bytes = state
        switch damage {
        case "cut": bytes = bytes.dropLast(20)
        case "empty": bytes = Data()
        default: bytes[bytes.range(of: Data("kept".utf8))!.lowerBound] ^= 1
        }
        try bytes.write(to: URL(filePath: path))

        let files = try OwnFiles(files)
        let again = try await files.open(scene.path, isPrivate: false, by: scene.process)
        let named = files.damage(concerning: again)
        #expect(named.count == 1 && named.first?.pdf == (damage == "empty" ? nil : file.state.path))
        let aside = try #require(named.first?.path)
        #expect(try Data(contentsOf: URL(filePath: aside)) == bytes)
        // Neither a new edit nor forgetting takes it, and another one gets another name.
        try await scene.edit(again, "new", "new", files)
        try await files.close(again, by: scene.process)
        try await files.tidy()
        #expect(try Data(contentsOf: URL(filePath: aside)) == bytes)
        #expect(files.registry.keptStates().damaged.map(\.path) == [aside])
        // Put back, it is read again.
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try state.write(to: URL(filePath: path))
        #expect(files.registry.keptStates().states.contains { $0.document == file.key.document && $0.unwritten == 1 })
    }

    /// The engine still has the changes: it stores them anew beside the damaged form.
    @Test func aStateThatIsDamagedUnderTheEngineIsStoredAnew() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        let path = "\(files.options.keptFolder)/\(file.key.document)/state.json"
        #expect(files.damage(concerning: file).isEmpty)
        for count in 1...2 {
            try Data("damaged \(count)".utf8).write(to: URL(filePath: path))
            let again = try await scene.open()
            #expect(again === file && again.state.unwritten == 1)
            #expect(files.damage(concerning: file).count == count)
        }
        let (states, damaged) = files.registry.keptStates()
        #expect(states.map(\.unwritten) == [1] && damaged.count == 2)
        #expect(try damaged.map { try String(contentsOfFile: $0.path, encoding: .utf8) } == ["damaged 1", "damaged 2"])
        _ = try await files.write(file, .init())
        #expect(files.registry.keptStates().damaged.count == 2)
    }

    @Test func aDamagedStateOfAnotherFileDoesNotConcernThisOne() async throws {
        let file = try await scene.open()
        let damaged = DamagedOwnFile(path: "/x/state.json", problem: "it is damaged", pdf: "/other.pdf")
        #expect(!damaged.concerns(file.state.path) && damaged.concerns("/other.pdf"))
    }

    /// What is written over a missing file must be what the file was.
    @Test func aDamagedCopyIsNotWrittenAndNotMerged() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        let copy = try #require(files.baseCopy(of: file.state))
        var bytes = try Data(contentsOf: URL(filePath: copy))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: copy))
        #expect(files.registry.keptStates().states.flatMap { files.registry.damage(besides: $0) }.map(\.path) == [copy])
        #expect(unlink(scene.path) == 0)
        await #expect(throws: OwnFileError.copyDamaged(copy)) {
            try await files.write(file, .init(isForced: true))
        }
        #expect(access(scene.path, F_OK) != 0 && file.state.unwritten == 1)
    }

    @Test func anEditIsRefusedIfNothingWouldKeepIt() async throws {
        let file = try await scene.open()
        files.drop(file)
        await #expect(throws: OwnFileError.notOpen) { try await scene.edit(file, "late", "late") }
    }
}

/// A PDF with one note, and an engine for it.
private struct OwnFilesScene: Sendable {
    let folder: TemporaryFolder
    let path: String
    let files: OwnFiles
    let process = ProcessIdentity(pid: getpid())
    private let server: Server
    private let forgetting: Forgetting

    private final class Forgetting: Sendable {
        let hook = Mutex<@Sendable () async -> Void>({})
        let documents = Mutex<Set<String>>([])
    }

    init(isInMemory: Bool = true) async throws {
        folder = try TemporaryFolder()
        path = (realpath(folder.path, nil).map { String(cString: $0) } ?? folder.path) + "/paper.pdf"
        let note = "<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(first)/NM(first)>>"
        try Data(SmallPDF(annotations: [note]).bytes).write(to: URL(filePath: path))
        let mint = try await Mint.es256()
        var personal = PersonalOptions(
            socket: folder.path + "/engine.sock", keptFolder: folder.path + "/kept", memoryFolder: folder.path + "/run",
            issuer: try await TokenIssuer(privateKeyPEM: Mint.p256.pemRepresentation), version: "1")
        personal.isInMemory = isInMemory
        let forgetting = Forgetting()
        self.forgetting = forgetting
        personal.forget = { document, _ in
            await forgetting.hook.withLock { $0 }()
            _ = forgetting.documents.withLock { $0.insert(document) }
            return true
        }
        var options = Server.Options(
            dataFolder: folder.path + "/data", keys: [try await VerificationKey(pem: mint.publicPEM)], secrets: [])
        options.personal = personal
        options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        server = try Server(options)
        files = try #require(server.ownFiles)
    }

    /// Runs whenever a document is about to be forgotten.
    func onForgetting(_ body: @escaping @Sendable () async -> Void) { forgetting.hook.withLock { $0 = body } }

    var forgotten: Set<String> { forgetting.documents.withLock { $0 } }

    var keptFiles: [String] { (try? FileManager.default.contentsOfDirectory(atPath: files.options.keptFolder)) ?? [] }

    /// What is beside the file and should not be.
    var hiddenFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.contains("postilla-") || $0.contains("other-") }
    }

    @discardableResult
    func open(isPrivate: Bool = false, by process: ProcessIdentity? = nil) async throws -> OwnFile {
        try await files.open(path, isPrivate: isPrivate, by: process ?? self.process)
    }

    /// Writes a note into the layer as a push does; nil deletes it.
    func edit(_ file: OwnFile, _ id: Record.ID, _ text: String?, _ files: OwnFiles? = nil) async throws {
        let engine = (files ?? self.files).engine
        let key = file.key
        try await engine.writes.perform(on: key) { store in
            var random = SystemRandomNumberGenerator()
            let layer = try store.layer(key) ?? Layers.make(key, in: store, using: &random)
            var writer = LayerWriter(layer, in: store, now: Timestamp(milliseconds: 1))
            let old = try store.record(id, in: layer)
            guard let text else {
                if let old { _ = try writer.remove([old], by: nil, client: nil) }
                return
            }
            let source = #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[72,72,32,32],"text":"\#(text)"}"#
            let record = Record(id: id, content: try Content(source))
            try writer.write(
                record, contentType: .annotations, rootID: nil, isCommentThreadRoot: false, over: old, client: nil)
        }
        if let then = engine.afterPush.withLock({ $0 }) { try await then(key) }
    }

    func textsInFile() async throws -> [String] {
        try await files.contents(path, isPrivate: false).base.records.map { Annotation($0).text }
    }
}

extension OwnFiles {
    /// The files as the next engine finds them.
    fileprivate convenience init(_ old: OwnFiles) throws {
        try self.init(engine: old.engine, intake: old.intake, options: old.options, logger: old.logger)
    }
}

/// A process that does nothing.
private final class Child: Sendable {
    let pid: pid_t
    var identity: ProcessIdentity { ProcessIdentity(pid: pid) }

    init() throws {
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        defer { for argument in arguments { free(argument) } }
        guard posix_spawn(&pid, "/bin/sleep", nil, nil, &arguments, environ) == 0 else {
            throw OwnFileError.failed(errno)
        }
        self.pid = pid
    }

    func kill() {
        Glibc.kill(pid, SIGKILL)
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    deinit { kill() }
}

import Annotations
import AsyncHTTPClient
import Children
import EngineCore
import FileCore
import Foundation
import Glibc
import Logging
import NIOCore
import PDFPages
import SyncProtocol
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// A PDF with one note, and an engine for it without a socket.
struct LocalFilesScene: Sendable {
    let folder: TemporaryFolder
    /// Of the folder, without links.
    let root: String
    let path: String
    let server: Server
    let files: LocalFiles
    let process = ProcessIdentity(pid: getpid())
    private let forgetting: Forgetting
    private let options: Server.Options

    static let first = "the-first-of-all-notes"

    private final class Forgetting: Sendable {
        let hook = Mutex<@Sendable () async -> Bool> { true }
        let documents = Mutex<Set<String>>([])
    }

    /// - Parameters:
    ///   - kept: the folder on disk; nil: one beside the PDF.
    ///   - isInMemory: whether the engine says that its data is in memory.
    init(
        _ annotations: [String] = [LocalFileScene.note], kept: String? = nil, isInMemory: Bool = true
    ) async throws {
        let folder = try TemporaryFolder()
        let root = realpath(folder.path, nil).map { String(cString: $0) } ?? folder.path
        try Data(SmallPDF(annotations: annotations).bytes).write(to: URL(filePath: root + "/paper.pdf"))
        let mint = try await Mint.es256()
        var personal = PersonalOptions(
            socket: root + "/engine.sock", keptFolder: kept ?? root + "/kept", memoryFolder: root + "/run",
            issuer: try await TokenIssuer(privateKeyPEM: Mint.p256.pemRepresentation), version: "1")
        personal.isInMemory = isInMemory
        let forgetting = Forgetting()
        personal.forget = { document, _ in
            _ = forgetting.documents.withLock { $0.insert(document) }
            return await forgetting.hook.withLock { $0 }()
        }
        var options = Server.Options(
            dataFolder: root + "/data", keys: [try await VerificationKey(pem: mint.publicPEM)], secrets: [])
        options.personal = personal
        options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try self.init(folder, root, options, forgetting)
    }

    private init(
        _ folder: TemporaryFolder, _ root: String, _ options: Server.Options, _ forgetting: Forgetting
    ) throws {
        (self.folder, self.root, self.options, self.forgetting) = (folder, root, options, forgetting)
        path = root + "/paper.pdf"
        server = try Server(options)
        files = try #require(server.localFiles)
    }

    /// Another engine on the same folders, as after this one was killed.
    func next() throws -> LocalFilesScene {
        var options = options
        options.dataFolder += "-next"
        return try LocalFilesScene(folder, root, options, forgetting)
    }

    /// Lets the engine listen, and asks for the session of a token, as a client does that comes back.
    ///
    /// - Returns: the status of the answer.
    func session(_ token: String) async throws -> UInt {
        try await withThrowingTaskGroup(of: Void.self) { [server] group in
            let (ports, ready) = AsyncStream<Int>.makeStream()
            group.addTask {
                defer { ready.finish() }
                try await server.run { ready.yield($0) }
            }
            guard await ports.first(where: { _ in true }) != nil else {
                // It has ended before it listened, with an error.
                try await group.waitForAll()
                throw CancellationError()
            }
            let path = root + "/engine.sock"
            let socket = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            var request = HTTPClientRequest(url: "http+unix://\(socket)/instant/v1/session")
            request.headers.add(name: "Host", value: "localhost")
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
            await server.stop()
            return answer.status.code
        }
    }

    // MARK: Opening and closing

    @discardableResult
    func open(
        _ path: String? = nil, isPrivate: Bool = false, by process: ProcessIdentity? = nil
    ) async throws -> LocalFile {
        try await files.open(path ?? self.path, isPrivate: isPrivate, by: process ?? self.process)
    }

    /// Returns once nothing is under way any more.
    func close(_ file: LocalFile) async {
        await file.close(for: process.user)
        await quiet(file)
    }

    func quiet(_ file: LocalFile) async { await file.wait { $0.isGone || $0.core.isQuiet } }

    /// Returns once nothing is known of the file.
    func gone(_ file: LocalFile) async throws {
        try await waitUntil("the file is forgotten") { !isKnown(file) }
    }

    func isKnown(_ file: LocalFile) -> Bool { files.all.contains { $0 === file } }

    /// Lets the engine look at the file.
    func look(_ file: LocalFile) async {
        file.send(.changedOnDisk)
        await quiet(file)
    }

    /// What happens when a document is about to be forgotten, and whether it may be.
    func onForgetting(_ body: @escaping @Sendable () async -> Bool) { forgetting.hook.withLock { $0 = body } }

    var forgotten: Set<String> { forgetting.documents.withLock { $0 } }

    // MARK: Edits

    struct NotApplied: Error {
        var result: ChangeResult
    }

    /// Writes a note into the layer, as a window does; nil deletes it.
    func edit(_ file: LocalFile, _ id: Record.ID, _ text: String?) async throws {
        let change = try change(file, id, text)
        let answer = try await push(file, [change])
        for result in answer.results where result.status != .applied { throw NotApplied(result: result) }
    }

    func push(_ file: LocalFile, _ changes: [Change]) async throws -> PushAnswer {
        let engine = files.engine
        let token = try engine.verifier.verify(try await files.token(for: file), now: engine.now())
        let request = PushRequest(clientID: UUID().uuidString, acked: 0, cursor: nil, changes: changes)
        return try await engine.push(request, token)
    }

    /// Gives the document an attachment, as a window does before it names it.
    ///
    /// - Returns: its name.
    @discardableResult
    func attach(_ file: LocalFile, _ text: String) async throws -> String {
        let upload = try file.place.attachments.receive()
        try upload.write(ByteBuffer(string: text))
        let received = try upload.finish()
        let attachment = StoredAttachment(
            try #require(AttachmentID(received.sha256)), document: file.document, bytes: received.bytes,
            at: files.engine.now())
        try await file.place.writes.perform { store in
            try file.place.attachments.keep(received)
            try store.put(attachment)
        }
        return received.sha256
    }

    private func change(_ file: LocalFile, _ id: Record.ID, _ text: String?) throws -> Change {
        let (old, revision) = try file.store.read { store -> (Record?, Revision) in
            guard let layer = try store.layer(file.key) else {
                return (try Self.records(store, file.key).first { $0.id == id }, 0)
            }
            let old = try store.record(id, in: layer)
            return (old.flatMap { $0.isLive ? $0.record : nil }, old?.revision ?? 0)
        }
        guard let text else { return Change(n: 1, kind: .delete, id: id, baseRevision: revision) }
        guard let old else {
            return Change(n: 1, kind: .create, id: id, baseRevision: 0, content: LocalFileScene.note(id, text).content)
        }
        let content = old.content.changing { $0["text"] = .string(text) }
        return Change(n: 1, kind: .update, id: id, baseRevision: revision, group: nil, content: content)
    }

    // MARK: What there is

    /// The texts of the layer, by their ids.
    func layer(_ file: LocalFile) throws -> [String: String] {
        try file.store.read { store in
            Dictionary(uniqueKeysWithValues: try Self.records(store, file.key).map { ($0.id, Annotation($0).text) })
        }
    }

    private static func records(_ store: any StoreReading, _ key: LayerKey) throws -> [Record] {
        // The first client makes the layer.
        guard let layer = try store.layer(key) else {
            return try FileTables(store).writtenRows().values.compactMap(\.local)
        }
        return try store.marks(in: layer, after: nil, limit: .max, where: nil)
            .compactMap { try store.record($0.id, in: layer) }.filter(\.isLive).map(\.record)
    }

    /// The layer, the rows of the database and the core must say the same.
    func expectAgreement(_ file: LocalFile, _ location: SourceLocation = #_sourceLocation) async throws {
        await quiet(file)
        let (records, rows, stored) = try file.store.read { store in
            let tables = try FileTables(store)
            var rows = try tables.writtenRows()
            for (id, row) in try tables.differing() { rows[id] = row }
            return (try Self.records(store, file.key), rows, try tables.state())
        }
        #expect(stored == file.state, sourceLocation: location)
        let locals = rows.values.compactMap(\.local)
        #expect(Set(locals.map(\.id)) == Set(records.map(\.id)), sourceLocation: location)
        for record in records {
            #expect(rows[ByteOrdered(record.id)]?.local.isSame(as: record) == true, sourceLocation: location)
        }
    }

    func texts(at path: String? = nil) async throws -> [String] {
        try await PDFTools().annotations(of: path ?? self.path).records.map { Annotation($0).text }.sorted()
    }

    var bytes: [UInt8] { (try? Data(contentsOf: URL(filePath: path))).map { Array($0) } ?? [] }

    /// As another program that saves the file with one more note.
    func append(_ id: Record.ID, _ text: String) async throws {
        let (from, to, notes) = (path + ".from", path + ".to", path + ".notes")
        try Data(bytes).write(to: URL(filePath: from))
        for file in [to, notes] { try Data().write(to: URL(filePath: file)) }
        try await PDFTools().annotate(from, into: to, notes: notes) { annotated in
            for record in annotated.records { _ = annotated.keep(record.id) }
            _ = try annotated.add(LocalFileScene.note(id, text))
        }
        for file in [from, notes] { unlink(file) }
        guard rename(to, path) == 0 else { throw OwnFileError.failed(errno) }
    }

    /// As another program that replaces the file.
    func replace(_ bytes: [UInt8], at path: String? = nil) throws {
        try Data(bytes).write(to: URL(filePath: root + "/~"))
        guard rename(root + "/~", path ?? self.path) == 0 else { throw OwnFileError.failed(errno) }
    }

    /// The documents on disk, and in memory.
    var kept: [String] { Self.names(files.options.keptFolder) }
    var running: [String] { Self.names(files.options.memoryFolder) }

    /// What is beside the file and should not be.
    var hidden: [String] { Self.names(root).filter { $0.hasSuffix(".postilla") } }

    private static func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}

/// A process that does nothing.
final class IdleChild: Sendable {
    let identity: ProcessIdentity
    private let process: ChildProcess

    init() throws {
        process = try ChildProcess.run(URL(filePath: "/bin/sleep"), arguments: ["600"])
        identity = ProcessIdentity(pid: process.processIdentifier)
    }

    var pid: pid_t { process.processIdentifier }

    /// Returns once it is gone.
    func kill() {
        process.kill()
        process.waitUntilExit()
    }

    deinit { kill() }
}

extension LocalFiles {
    /// Tells all files of the time, and returns once they know.
    func tickNow() async {
        await tick()
        for file in all { file.tick() }
    }
}

extension FileWriting {
    /// For a file that is at hand.
    init(
        copy: String? = nil, seen: Sighting = .unknown, target: SeenTarget? = nil, mask: UInt32? = nil,
        isForced: Bool = false, replacesOthers: Bool = false, isCompact: Bool = false
    ) {
        self.init(
            document: "", copy: copy, seen: seen, target: target, mask: mask, isForced: isForced,
            replacesOthers: replacesOthers, isCompact: isCompact)
    }
}

extension LocalFile {
    /// Decides about a conflict as it is.
    func decide(_ id: Record.ID, _ choice: LocalFileCore.Choice) async throws {
        let sides = state.sides(of: ByteOrdered(id)) ?? LocalFileState.Sides(local: nil, remote: nil)
        try await resolve(LocalFileCore.Decision(id: id, choice: choice, sides: sides))
    }
}

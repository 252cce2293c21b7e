import Annotations
import Crypto
import EngineCore
import FileCore
import Foundation
import Glibc
import Logging
import PDFPages
import SyncProtocol
import TestSupport
import TestThreads

@testable import DocumentEngine

/// A PDF, and what an engine of an earlier version has kept of it, for real engines to take over.
final class TakeOverScene {
    let folder: TemporaryFolder
    /// Without links.
    let root: String
    let path: String
    let process = ProcessIdentity(pid: getpid())
    /// The engine that runs; nil: none.
    private(set) var files: LocalFiles?
    private var server: Server?
    private var starts = 0

    static let document = "01J5Z3V6S8Q4T2W0X9Y7A1B3C4"
    static let notes = ["first", "second"].enumerated().map { number, text in
        "<</Type/Annot/Subtype/Text/Rect[100 \(700 - 50 * number) 120 \(720 - 50 * number)]/Contents(\(text))/NM(\(text)-note)>>"
    }

    init() throws {
        folder = try TemporaryFolder()
        root = realpath(folder.path, nil).map { String(cString: $0) } ?? folder.path
        path = root + "/papers/paper.pdf"
        try FileManager.default.createDirectory(atPath: root + "/papers", withIntermediateDirectories: true)
        try write(SmallPDF(annotations: Self.notes).bytes, to: path)
    }

    // MARK: Files

    var kept: String { root + "/kept" }
    /// Of the document that the earlier engine has made.
    var home: String { "\(kept)/\(Self.document)" }

    func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    func texts(_ path: String? = nil) async throws -> [String] {
        try await PDFTools().annotations(of: path ?? self.path).records.map { Annotation($0).text }.sorted()
    }

    /// Whether the PDF has a picture.
    func hasPicture() throws -> Bool {
        let bytes = try bytes(path)
        return ["/Subtype/Image", "/Subtype /Image"].contains { bytes.firstRange(of: Array($0.utf8)) != nil }
    }

    static func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// What is beside the PDF.
    var beside: [String] { Self.names(root + "/papers").filter { $0 != "paper.pdf" } }

    /// As another program that appends a note.
    func append(_ text: String, of source: String? = nil, to target: String? = nil) async throws {
        let (from, to, notes) = (root + "/from", root + "/to", root + "/notes")
        try write(try bytes(source ?? path), to: from)
        for file in [to, notes] { try write([], to: file) }
        try await PDFTools().annotate(from, into: to, notes: notes) { annotated in
            for record in annotated.records { _ = annotated.keep(record.id) }
            _ = try annotated.add(Self.note(text, text))
        }
        try write(try bytes(to), to: target ?? path)
    }

    // MARK: What was kept

    static func note(_ id: Record.ID, _ text: String) -> Record {
        let source = #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[72,72,32,32],"text":"\#(text)"}"#
        return Record(id: id, content: Content(checked: source), createdBy: "ana", updatedBy: "ana")
    }

    static func picture(_ id: Record.ID, of bytes: [UInt8]) -> Record {
        let source = """
            {"type":"pspdfkit/image","v":1,"pageIndex":0,"bbox":[200,200,50,50],"contentType":"image/png",\
            "imageAttachmentId":"\(SHA256.hash(data: bytes).hexadecimal)"}
            """
        return Record(id: id, content: Content(checked: source), createdBy: "ana", updatedBy: "ana")
    }

    /// Two by two pixels.
    static let png: [UInt8] = {
        let text =
            "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEE"
            + "lEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
        return Array(Data(base64Encoded: text) ?? Data())
    }()

    /// What the file has, by the ids that an engine gives it.
    func records() async throws -> [Record.ID: Record] {
        let found = try await PDFTools().annotations(of: path).records
        let ids = FileNames.ids(of: found)
        return Dictionary(
            uniqueKeysWithValues: found.map { record in
                var record = record
                record.id = ids[ByteOrdered(record.id)] ?? record.id
                return (record.id, record)
            })
    }

    /// A state with one change and one new note, of the file as it is now.
    func state() async throws -> EarlierState {
        var state = EarlierState(document: Self.document, path: path, version: try FileVersion.read(path))
        let old = try await records()["first-note"]
        state.rows[ByteOrdered("first-note")] = .init(base: old, local: old?.withText("edited"))
        state.rows[ByteOrdered("new")] = .init(local: Self.note("new", "kept"))
        return state
    }

    /// Stores a state as an earlier engine did, with a copy of the PDF as it is now.
    func keep(_ state: EarlierState, copy: Bool = true) throws {
        let home = "\(kept)/\(state.document)"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try write(EarlierStateWriter(state).bytes, to: home + "/state.json")
        if copy { try write(try bytes(path), to: "\(home)/\(KeptFiles.copyName(state.version.sha256))") }
    }

    /// Makes the file that an earlier engine was about to put in place.
    func written(_ state: EarlierState) async throws -> [UInt8] {
        let (to, notes) = (root + "/to", root + "/notes")
        for file in [to, notes] { try write([], to: file) }
        let rows = state.rows
        try await PDFTools().annotate(path, into: to, notes: notes) { annotated in
            let ids = FileNames.ids(of: annotated.records)
            for record in annotated.records {
                guard let id = ids[ByteOrdered(record.id)], let row = rows[ByteOrdered(id)] else {
                    _ = annotated.keep(record.id)
                    continue
                }
                guard let local = row.local else { continue }
                var new = record
                new.content = record.content.changing { $0["text"] = local.content["text"] }
                _ = try annotated.add(new)
            }
            for row in rows.values where row.base == nil { if let local = row.local { _ = try annotated.add(local) } }
        }
        return try bytes(to)
    }

    // MARK: Engines

    /// Begins as the next engine, without taking anything over yet.
    func start() async throws {
        stop()
        starts += 1
        let mint = try await Mint.es256()
        var personal = PersonalOptions(
            socket: root + "/engine.sock", keptFolder: kept, memoryFolder: root + "/run",
            issuer: try await TokenIssuer(privateKeyPEM: Mint.p256.pemRepresentation), version: "1")
        personal.isInMemory = true
        var options = Server.Options(
            dataFolder: "\(root)/data-\(starts)", keys: [try await VerificationKey(pem: mint.publicPEM)], secrets: [])
        options.personal = personal
        options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try Server(options)
        (self.server, files) = (server, server.localFiles)
    }

    /// As a kill: nothing more is stored.
    func stop() {
        files?.stop()
        (server, files) = (nil, nil)
    }

    func engine() async throws -> LocalFiles {
        if let files { return files }
        try await start()
        guard let files else { throw OwnFileError.notOpen }
        return files
    }

    @discardableResult
    func open(_ path: String? = nil, isPrivate: Bool = false) async throws -> LocalFile {
        try await engine().open(path ?? self.path, isPrivate: isPrivate, by: process)
    }

    /// Takes over what there is, without a window, and waits until it is done.
    func takeOver() async throws {
        let files = try await engine()
        try await files.prepare()
        try await waitUntil("nothing is under way") {
            files.all.allSatisfy { file in file.inner.withLock { $0.core.isQuiet && $0.opening == 0 } }
        }
    }

    /// Writes a record into the layer as a push does.
    func push(_ file: LocalFile, _ record: Record) async throws {
        let key = file.key
        _ = try await file.push { store in
            var random = SystemRandomNumberGenerator()
            let layer = try store.layer(key) ?? Layers.make(key, in: store, using: &random)
            var writer = LayerWriter(layer, in: store, now: Timestamp(milliseconds: 1))
            let old = try store.record(record.id, in: layer)
            try writer.write(
                record, contentType: .annotations, rootID: nil, isCommentThreadRoot: false, over: old, client: nil)
            return (PushAnswer(results: [], delta: nil), writer.commit)
        }
    }

    /// The records of the layer, by their ids. A file without changes has no layer before a client asks for it.
    func layer(_ file: LocalFile) throws -> [Record.ID: Record] {
        try file.store.read { store in
            let layer = try store.layer(file.key)
            let live =
                try layer.map { try store.live(in: $0, after: nil, limit: 500).map(\.record) }
                ?? FileTables(store).bases()
            return Dictionary(uniqueKeysWithValues: live.map { ($0.id, $0) })
        }
    }

    func layerTexts(_ file: LocalFile) throws -> [String] {
        try layer(file).values.map { Annotation($0).text }.sorted()
    }

    /// Whether nothing of an earlier version is left of a document, and a database is there.
    func isTakenOver(_ file: LocalFile, from document: String = document) -> Bool {
        let names = Self.names("\(kept)/\(document)")
        return !names.contains("state.json") && names.allSatisfy { AttachmentID($0) == nil }
            && Self.names(file.store.folder).contains("file.sqlite")
    }
}

extension Record {
    func withText(_ text: String) -> Record {
        var record = self
        record.content = content.changing { $0["text"] = .string(text) }
        return record
    }
}

import Annotations
import EngineCore
import Logging
import PDFPages
import SyncProtocol

/// The intake of PDFs: receives and hashes the file, reads it with the tools, then stores file and document durably. If
/// a step fails before the document is committed, nothing is stored. The attachments of supplied annotations follow in
/// separate transactions.
struct PDFIntake: Sendable {
    let engine: Engine
    let blobs: any Blobs
    let attachments: Attachments
    let tools: PDFTools
    let logger: Logger
    /// The maximum size of a PDF in bytes.
    let limit: Int64
    let work: PDFWork

    struct Options: Sendable {
        var id: String?
        var title: String?
        /// The file name the client sent.
        var fileName: String?
        var overwrites = false
        /// Instant JSON or XFDF whose records replace the PDF's own.
        var annotations: [UInt8]?
        /// Whether the PDF's own records are also stored.
        var keepsAnnotations = false
    }

    /// Reads a received file and stores it.
    ///
    /// - Returns: the document, and why some of the supplied annotations were left out.
    func store(_ upload: Upload, _ wish: Options) async throws -> (ServerDocument, errors: [String]) {
        let received = try upload.finish()
        let (copy, notes) = (try blobs.receive(), try blobs.receive())
        let contents: PDFContents
        do {
            contents = try await work.perform(on: received.bytes) {
                try await PDFContents.read(
                    received.path, strippedInto: copy.path, notes: notes.path, tools: tools.sized(for: received.bytes))
            }
        } catch let error as PDFError { throw error.refusal }
        withExtendedLifetime(notes) {}
        let files = PDFFiles(original: received, stripped: try copy.finishWritten())
        let now = engine.now()
        var random = SystemRandomNumberGenerator()
        let id = wish.id ?? ULID.make(at: now, using: &random)
        let titles = [wish.title, wish.fileName, contents.title, id]
        let document = ServerDocument(
            id: id, title: titles.lazy.compactMap { $0 }.first { !$0.isEmpty }?.asTitle ?? id,
            pdfSHA256: received.sha256, pdfBytes: received.bytes, stripped: StoredPDF(files.stripped),
            createdAt: now, pages: contents.pages)
        try await check(id, wish)
        let supplied = try wish.annotations.map { try SuppliedAnnotations($0, pages: contents.pages) }
        var base = BaseRecords(
            wish.keepsAnnotations || supplied == nil ? contents.records : [], pageCount: contents.pages.count)
        let supplements = try attachments.bring(supplied?.attachments ?? [:])
        if let supplied {
            let uploaded = try await attachments(named: supplied, in: id).union(supplements.brought.keys)
            base.add(supplied, at: now, uploaded: uploaded)
        }
        let stored = try await put(document, files, base.records, overwriting: wish.overwrites)
        for file in supplements.brought.values { try await attachments.keep(file, of: id) }
        logger.info(
            "document stored",
            metadata: [
                "bytes": "\(stored.pdfBytes)", "pages": "\(contents.pages.count)",
                "annotations": "\(base.records.count { $0.contentType != .formFields })",
                "warnings": "\(contents.warnings)",
            ])
        return (stored, supplements.problems + base.errors)
    }

    /// Returns the document's attachments among those that the file names.
    private func attachments(named file: SuppliedAnnotations, in document: String) async throws -> Set<AttachmentID> {
        let named = Set(file.annotations.compactMap(\.content.attachmentID))
        guard !named.isEmpty else { return [] }
        return try await engine.read { store in
            try named.filter { try store.attachment($0, of: document) != nil }
        }
    }

    /// - Throws: ``APIError`` if the id cannot be used; also called before a body is received.
    func check(_ id: String?, _ wish: Options) async throws {
        guard let id else { return }
        guard !id.isEmpty, id.utf8.count <= 1024 else { throw APIError(.badRequest, ServerDocument.idRule) }
        let exists = try await engine.read { try $0.document(id) } != nil
        // An existing document may have an id that is no longer valid, and can be replaced.
        guard exists || ServerDocument.isValidID(id) else { throw APIError(.badRequest, ServerDocument.idRule) }
        if exists, !wish.overwrites { throw Self.taken }
    }

    /// Stores a document whose PDF stays where it is.
    func storeOwn(_ document: ServerDocument, _ records: [Record]) async throws -> ServerDocument {
        try await put(document, nil, records, overwriting: false)
    }

    private func put(
        _ document: ServerDocument, _ files: PDFFiles?, _ records: [Record], overwriting: Bool
    ) async throws -> ServerDocument {
        var base = StagedBase(begun: document.createdAt)
        let stored: ServerDocument
        let old: ServerDocument?
        let layers: [Int64]
        do {
            var rest = records[...]
            while rest.count > Pieces.records {
                let piece = Array(rest.prefix(Pieces.records))
                rest = rest.dropFirst(Pieces.records)
                base = try await engine.writePiece { [base] store in
                    var base = base
                    try base.add(piece, in: store)
                    return base
                }
            }
            let last = Array(rest)
            (stored, old, layers) = try await engine.writePiece { [base] store in
                try put(document, files, base, last, overwriting: overwriting, in: store)
            }
        } catch {
            await engine.remove(base.remains)
            throw error
        }
        for layer in layers {
            engine.end(layer, with: SessionEvent(.behind, reason: "the document was replaced"))
        }
        if let old {
            await engine.remove(PendingRemovals(bases: [old.base]))
            for file in old.files { try await removeBlob(file.sha256) }
        }
        return stored
    }

    /// - Returns: the document, the one it replaces, and the layers it keeps.
    private func put(
        _ document: ServerDocument, _ files: PDFFiles?, _ base: StagedBase, _ records: [Record],
        overwriting: Bool, in store: any StoreWriting
    ) throws -> (ServerDocument, old: ServerDocument?, layers: [Int64]) {
        try store.lock(.document(document.id))
        try store.lock(document.files)
        var (document, base) = (document, base)
        let old = try store.document(document.id)
        var layers: [Int64] = []
        if let old {
            guard overwriting else { throw Self.taken }
            document.createdAt = old.createdAt
            layers = try store.intactLayers(of: old.id).map(\.id)
        }
        if let files {
            try blobs.keep(files.original)
            try blobs.keep(files.stripped)
        }
        try base.add(records, in: store)
        document.base = try base.take(in: store)
        try store.put(document)
        return (document, old, layers)
    }

    /// Returns the document's stripped file. For a document stored by an older version, creates the file now.
    func stripped(_ document: ServerDocument) async throws -> StoredPDF {
        if let stripped = document.stripped { return stripped }
        let (copy, notes) = (try blobs.receive(), try blobs.receive())
        do {
            try await work.perform(on: document.pdfBytes) {
                try await blobs.withFile(document.pdfSHA256) { path in
                    try await tools.sized(for: document.pdfBytes).strip(path, into: copy.path, notes: notes.path)
                }
            }
        } catch let error as PDFError { throw error.refusal }
        withExtendedLifetime(notes) {}
        let made = try copy.finishWritten()
        return try await engine.writes.perform { [blobs] store in
            try store.lock(.document(document.id))
            try store.lock(.blob(made.sha256))
            guard var now = try store.document(document.id), now.base == document.base else {
                throw APIError(.unavailable, "the document was replaced; try again", retryAfter: .seconds(1))
            }
            if let stripped = now.stripped { return stripped }
            try blobs.keep(made)
            let stripped = StoredPDF(made)
            now.stripped = stripped
            try store.put(now)
            return stripped
        }
    }

    /// Removes a PDF that no document uses.
    func removeBlob(_ sha256: String) async throws {
        try await engine.writes.perform { [blobs] store in
            try store.lock(.blob(sha256))
            if try !store.isPDFUsed(sha256) { try blobs.remove(sha256) }
        }
    }

    private static let taken = APIError(
        .alreadyExists, #"a document with this id already exists; use "overwrite_existing_document" to replace it"#)
}

/// The two files of a new document.
struct PDFFiles: Sendable {
    var original: Upload.CompletedFile
    var stripped: Upload.CompletedFile
}

extension StoredPDF {
    init(_ file: Upload.CompletedFile) { self.init(sha256: file.sha256, bytes: file.bytes) }
}

extension StoreWriting {
    /// Locks the blobs of these files, in an order that prevents deadlocks.
    fileprivate func lock(_ files: [StoredPDF]) throws {
        for hash in files.map(\.sha256).sorted() { try lock(.blob(hash)) }
    }
}

extension PDFError {
    var refusal: APIError {
        switch self {
        case .toolMissing, .unreadable, .notWritten: APIError(.internalError, description)
        case .cannotWrite(let code): .fullDisk(errno: code) ?? .diskFailed
        default: APIError(.invalid, description)
        }
    }
}

extension String {
    /// The text if it has at most 1,024 bytes, otherwise as many whole characters of it as fit, up to 256.
    var asTitle: String {
        guard utf8.count > 1024 else { return self }
        var title = ""
        for character in prefix(256) {
            guard title.utf8.count + character.utf8.count <= 1024 else { break }
            title.append(character)
        }
        guard title.isEmpty else { return title }
        // One character may have any number of combining marks.
        for scalar in unicodeScalars {
            guard title.utf8.count + UTF8.width(scalar) <= 1024 else { break }
            title.unicodeScalars.append(scalar)
        }
        return title
    }
}

/// PDF work, done by separate processes: limited in concurrency and measured. One job is reserved for small files,
/// which finish quickly, so that large ones cannot delay them.
struct PDFWork: Sendable {
    private let all: AsyncSemaphore
    private let large: AsyncSemaphore
    let metrics: ServerMetrics

    init(_ limits: ServiceLimits, metrics: ServerMetrics) {
        all = AsyncSemaphore(width: limits.pdfJobs, line: limits.waitingPDFJobs)
        large = AsyncSemaphore(width: limits.pdfJobs - 1, line: limits.waitingPDFJobs)
        self.metrics = metrics
    }

    /// The size in bytes from which a file counts as large.
    static let largeFile: Int64 = 8 << 20

    var running: Int { all.running }
    var waiting: Int { all.waiting + large.waiting }

    /// - Parameter bytes: the size of the file.
    /// - Throws: what the body throws, or ``APIError`` if too many jobs are waiting.
    func perform<Result: Sendable>(on bytes: Int64, _ body: () async throws -> Result) async throws -> Result {
        guard bytes >= Self.largeFile else { return try await measured(body) }
        return try await large.pass { try await measured(body) }
    }

    private func measured<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await all.pass {
            let start = ContinuousClock.now
            defer { metrics.pdfJob(took: start.duration(to: .now)) }
            return try await body()
        }
    }
}

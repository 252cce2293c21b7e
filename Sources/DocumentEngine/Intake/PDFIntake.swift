import Annotations
import EngineCore
import Logging
import PDFPages
import SyncProtocol

/// Takes a PDF in: received and hashed, read by the tools, then file and document made durable. When anything fails
/// nothing is stored.
struct PDFIntake: Sendable {
    let engine: Engine
    let blobs: any Blobs
    let attachments: Attachments
    let tools: PDFTools
    let logger: Logger
    /// Bytes a PDF may have.
    let limit: Int64
    let work: PDFWork

    struct Options: Sendable {
        var id: String?
        var title: String?
        /// The name the file was sent under.
        var fileName: String?
        var overwrites = false
        /// A file of Instant JSON or XFDF: its records instead of the PDF's own.
        var annotations: [UInt8]?
        /// The PDF's own stay beside them.
        var keepsAnnotations = false
    }

    /// Reads a received file and stores it.
    ///
    /// - Returns: the document, and why some of the annotations that came beside it were left out.
    func store(_ upload: Upload, _ wish: Options) async throws -> (ServerDocument, errors: [String]) {
        let received = try upload.finish()
        let contents: PDFContents
        do {
            contents = try await work.perform { try await PDFContents.read(received.path, tools: tools) }
        } catch let error as PDFError { throw error.refusal }
        let now = engine.now()
        var random = SystemRandomNumberGenerator()
        let id = wish.id ?? ULID.make(at: now, using: &random)
        let titles = [wish.title, wish.fileName, contents.title, id]
        let document = ServerDocument(
            id: id, title: titles.lazy.compactMap { $0 }.first { !$0.isEmpty }?.shortened ?? id,
            pdfSHA256: received.sha256, pdfBytes: received.bytes, createdAt: now, pages: contents.pages)
        try await check(id, wish)
        let supplied = try wish.annotations.map { try SuppliedAnnotations($0, pages: contents.pages) }
        var base = BaseRecords(
            wish.keepsAnnotations || supplied == nil ? contents.records : [], pageCount: contents.pages.count)
        let files = try attachments.bring(supplied?.attachments ?? [:])
        if let supplied {
            let uploaded = try await attachments(named: supplied, in: id).union(files.brought.keys)
            base.add(supplied, at: now, uploaded: uploaded)
        }
        let stored = try await put(document, received, base.records, overwriting: wish.overwrites)
        for file in files.brought.values { try await attachments.keep(file, of: id) }
        logger.info(
            "document stored",
            metadata: [
                "bytes": "\(stored.pdfBytes)", "pages": "\(contents.pages.count)",
                "annotations": "\(base.records.count)", "warnings": "\(contents.warnings)",
            ])
        return (stored, files.problems + base.errors)
    }

    /// Those of the attachments which a file names that the document has.
    private func attachments(named file: SuppliedAnnotations, in document: String) async throws -> Set<AttachmentID> {
        let named = Set(file.annotations.compactMap(\.content.attachmentID))
        guard !named.isEmpty else { return [] }
        return try await engine.read { store in
            try named.filter { try store.attachment($0, of: document) != nil }
        }
    }

    /// - Throws: ``APIError`` when the id cannot be used; asked before a body is received, too.
    func check(_ id: String?, _ wish: Options) async throws {
        guard let id else { return }
        guard ServerDocument.isValidID(id) else {
            throw APIError(.badRequest, "a document's id has 1 to 1,024 bytes and no control characters")
        }
        if !wish.overwrites, try await engine.read({ try $0.document(id) }) != nil { throw Self.taken }
    }

    private func put(
        _ document: ServerDocument, _ received: Upload.CompletedFile, _ records: [Record], overwriting: Bool
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
                try put(document, received, base, last, overwriting: overwriting, in: store)
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
            try await removeBlob(old.pdfSHA256)
        }
        return stored
    }

    /// - Returns: the document, the one it replaces, and the layers that go on with it.
    private func put(
        _ document: ServerDocument, _ received: Upload.CompletedFile, _ base: StagedBase, _ records: [Record],
        overwriting: Bool, in store: any StoreWriting
    ) throws -> (ServerDocument, old: ServerDocument?, layers: [Int64]) {
        try store.lock(.document(document.id))
        try store.lock(.blob(document.pdfSHA256))
        var (document, base) = (document, base)
        let old = try store.document(document.id)
        var layers: [Int64] = []
        if let old {
            guard overwriting else { throw Self.taken }
            document.createdAt = old.createdAt
            layers = try store.layers(of: old.id).map(\.id)
        }
        try blobs.keep(received)
        try base.add(records, in: store)
        document.base = try base.take(in: store)
        try store.put(document)
        return (document, old, layers)
    }

    /// Removes a PDF that no document has any more.
    func removeBlob(_ sha256: String) async throws {
        try await engine.writes.perform { [blobs] store in
            try store.lock(.blob(sha256))
            if try !store.isPDFUsed(sha256) { try blobs.remove(sha256) }
        }
    }

    private static let taken = APIError(
        .alreadyExists, #"there is a document with this id already; "overwrite_existing_document" replaces it"#)
}

extension PDFError {
    var refusal: APIError {
        switch self {
        case .toolMissing, .unreadable: APIError(.internalError, description)
        default: APIError(.invalid, description)
        }
    }
}

extension String {
    /// A title of bounded length.
    fileprivate var shortened: String { utf8.count <= 1024 ? self : String(prefix(256)) }
}

/// Work on PDFs, which runs in processes of its own: so much at a time, measured.
struct PDFWork: Sendable {
    let gate: AsyncSemaphore
    let metrics: ServerMetrics

    init(_ limits: ServiceLimits, metrics: ServerMetrics) {
        gate = AsyncSemaphore(width: limits.pdfJobs, line: limits.waitingPDFJobs)
        self.metrics = metrics
    }

    /// - Throws: what the body throws, or ``APIError`` when too much waits.
    func perform<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await gate.pass {
            let start = ContinuousClock.now
            defer { metrics.pdfJob(took: start.duration(to: .now)) }
            return try await body()
        }
    }
}

package import Annotations
package import Authorization

/// The server's limits on size and count; requests beyond them are answered with 413 or 429.
package struct ServerLimits: Hashable, Sendable {
    /// Bytes of one record's content.
    package var recordBytes: Int
    /// Changes in one `POST changes`.
    package var batchChanges: Int
    /// Bytes of one request body.
    package var batchBytes: Int
    /// Records on one page of a snapshot.
    package var pageRecords: Int
    /// Bytes of one attachment; nil from a server that does not report it.
    package var attachmentBytes: Int64?

    package init(
        recordBytes: Int = 1 << 20, batchChanges: Int = 1000, batchBytes: Int = 4 << 20, pageRecords: Int = 1000,
        attachmentBytes: Int64? = nil
    ) {
        self.recordBytes = recordBytes
        self.batchChanges = batchChanges
        self.batchBytes = batchBytes
        self.pageRecords = pageRecords
        self.attachmentBytes = attachmentBytes
    }
}

/// `GET session`: the grant that the server read from the token, and the state of the layer.
package struct SessionAnswer: WireMessage {
    package var protocolVersion: Int64
    package var grant: Grant
    /// The server's clock, which decides warnings and validity.
    package var now: Timestamp
    /// Changes when the server is restored from a backup or the layer is created again.
    package var generation: String
    package var epoch: String
    package var head: Revision
    /// The layer's earlier generations, the oldest first; nil from a server that does not report them.
    package var lineage: [LineageEntry]?
    /// Changes only when the document is overwritten; nil from a server that does not report it.
    package var documentVersion: String?
    /// SHA-256 of the PDF for this token, lower-case hex; also its ETag. Tokens with other rights get another file of the
    /// same version.
    package var pdfSHA256: String
    package var pdfBytes: Int64
    package var title: String
    package var limits: ServerLimits
    /// nil from a server that does not report it.
    package var pageCount: Int?
    /// The sizes of all pages in order; empty if unknown, or if there are too many different ones.
    package var pageRuns: [PageRun]

    package init(
        protocolVersion: Int64 = ProtocolVersion.current, grant: Grant, now: Timestamp, generation: String,
        epoch: String, head: Revision, lineage: [LineageEntry]? = nil, documentVersion: String? = nil,
        pdfSHA256: String, pdfBytes: Int64, title: String,
        limits: ServerLimits = ServerLimits(), pageCount: Int? = nil, pageRuns: [PageRun] = []
    ) {
        self.protocolVersion = protocolVersion
        self.grant = grant
        self.now = now
        self.generation = generation
        self.epoch = epoch
        self.head = head
        self.lineage = lineage
        self.documentVersion = documentVersion
        self.pdfSHA256 = pdfSHA256
        self.pdfBytes = pdfBytes
        self.title = title
        self.limits = limits
        self.pageCount = pageCount
        self.pageRuns = pageRuns
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("protocol", protocolVersion)
            $0.key("grant")
            grant.write(to: &$0)
            $0.member("now", now.milliseconds)
            $0.member("generation", generation)
            $0.member("epoch", epoch)
            $0.member("head", head)
            if let lineage { $0.member("lineage", .array(lineage.map(\.json))) }
            if let documentVersion { $0.member("documentVersion", documentVersion) }
            $0.member("pdfSha256", pdfSHA256)
            $0.member("pdfBytes", pdfBytes)
            $0.member("title", title)
            $0.member(
                "limits",
                object: {
                    $0.member("recordBytes", limits.recordBytes)
                    $0.member("batchChanges", limits.batchChanges)
                    $0.member("batchBytes", limits.batchBytes)
                    $0.member("pageRecords", limits.pageRecords)
                    if let bytes = limits.attachmentBytes { $0.member("attachmentBytes", bytes) }
                })
            if let pageCount { $0.member("pageCount", pageCount) }
            if !pageRuns.isEmpty { $0.member("pageSizes", pageRuns.json) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var version: Int64?
        var grant: Grant?
        var now: Int64?
        var generation: String?
        var epoch: String?
        var head: Revision?
        var lineage: [LineageEntry]?
        var documentVersion: String?
        var pdfSHA256: String?
        var pdfBytes: Int64 = 0
        var title = ""
        var limits = ServerLimits()
        var pageCount: JSON?
        var pageSizes: JSON?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "protocol": version = try reader.integer()
            case "grant": grant = try Grant(from: &reader)
            case "now": now = try reader.integer()
            case "generation": generation = try reader.string()
            case "epoch": epoch = try reader.string()
            case "head": head = try reader.integer()
            case "lineage": lineage = try reader.value().array?.compactMap(LineageEntry.init)
            case "documentVersion": documentVersion = try reader.string()
            case "pdfSha256": pdfSHA256 = try reader.string()
            case "pdfBytes": pdfBytes = try reader.integer()
            case "title": title = try reader.string()
            case "limits": limits = try ServerLimits(from: &reader)
            case "pageCount": pageCount = try reader.value()
            case "pageSizes": pageSizes = try reader.value()
            default: try reader.skip()
            }
        }
        let count = PageRun.pageCount(pageCount)
        self.init(
            protocolVersion: try version.required("protocol", reader), grant: try grant.required("grant", reader),
            now: Timestamp(milliseconds: try now.required("now", reader)),
            generation: try generation.required("generation", reader), epoch: try epoch.required("epoch", reader),
            head: try head.required("head", reader), lineage: lineage, documentVersion: documentVersion,
            pdfSHA256: try pdfSHA256.required("pdfSha256", reader), pdfBytes: pdfBytes, title: title, limits: limits,
            pageCount: count, pageRuns: PageRun.reading(pageSizes, pageCount: count))
    }
}

extension ServerLimits {
    init(from reader: inout JSONReader) throws(JSONError) {
        self.init()
        let value = try reader.value()
        // A limit of 0 or less would allow no request.
        func limit(_ key: String, _ standard: Int) -> Int {
            value[key]?.integer.map { Int(clamping: max(1, $0)) } ?? standard
        }
        recordBytes = limit("recordBytes", recordBytes)
        batchChanges = limit("batchChanges", batchChanges)
        batchBytes = limit("batchBytes", batchBytes)
        pageRecords = limit("pageRecords", pageRecords)
        attachmentBytes = value["attachmentBytes"]?.integer.map { max(1, $0) }
    }
}

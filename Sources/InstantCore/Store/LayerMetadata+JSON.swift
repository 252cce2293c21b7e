package import Annotations
import Authorization
import SyncProtocol

/// The stored form of the metadata. Members from newer program versions are not preserved; those versions raise the
/// schema number instead.
extension LayerMetadata {
    package var json: String {
        JSONWriter.text(capacity: 1024) {
            $0.member("server", identity.server)
            $0.member("document", identity.documentID)
            $0.member("layer", identity.layer)
            $0.member("user", orNull: identity.userID)
            $0.member("clientID", clientID)
            $0.member("lastN", lastN)
            if let cursor { $0.member("cursor", cursor.eventID) }
            if let generation { $0.member("generation", generation) }
            if let lineage { $0.member("lineage", .array(lineage.map(\.json))) }
            if let grant {
                $0.key("grant")
                grant.write(to: &$0)
            }
            $0.member("title", title)
            if let documentVersion { $0.member("documentVersion", documentVersion) }
            $0.member("pdfSHA256", pdfSHA256)
            $0.member("pdfBytes", pdfBytes)
            if let pageCount { $0.member("pageCount", pageCount) }
            if !pageRuns.isEmpty { $0.member("pageSizes", pageRuns.json) }
            if let quotedFrom { $0.member("quotedFrom", quotedFrom) }
            $0.member("limits", object: { limits.write(to: &$0) })
            if let lastSync { $0.member("lastSync", lastSync.milliseconds) }
            if let checkedAt { $0.member("checkedAt", checkedAt.milliseconds) }
            if isRecovering { $0.member("isRecovering", true) }
            $0.member("clockOffset", clockOffset)
            if let loading { $0.member("loading", object: { loading.write(to: &$0) }) }
            if !uploads.isEmpty { $0.member("uploads", .array(uploads.sorted().map { .string($0.hex) })) }
            if let groupOverride {
                $0.member("groupOverride", object: { $0.member("group", orNull: groupOverride.group) })
            }
            $0.member("derivation", derivation)
            if let migratedTo { $0.member("migratedTo", migratedTo) }
            if wasReset { $0.member("wasReset", true) }
            if term > 0 { $0.member("term", term) }
            if let unsentBecause { $0.member("unsentBecause", unsentBecause) }
            if let handover { $0.member("handover", handover) }
            if !received.isEmpty { $0.member("received", .array(received.map(JSON.string))) }
        }
    }

    /// - Throws: ``JSONError`` if ``json`` did not write the text.
    package init(json text: String) throws(JSONError) {
        var reader = JSONReader(text)
        let value = try reader.value()
        guard let server = value["server"]?.string, let document = value["document"]?.string,
            let layer = value["layer"]?.string, let clientID = value["clientID"]?.string
        else { throw reader.error(.wrongType("the metadata of a layer")) }
        self.init(
            identity: LayerIdentity(
                server: server, documentID: document, layer: layer, userID: value["user"]?.string),
            clientID: clientID)
        lastN = value["lastN"]?.integer ?? 0
        cursor = value["cursor"]?.string.flatMap(Cursor.init(eventID:))
        generation = value["generation"]?.string
        lineage = value["lineage"]?.array?.compactMap(LineageEntry.init)
        if let grant = value["grant"] {
            var reader = JSONReader(grant.text)
            self.grant = try Grant(from: &reader)
        }
        title = value["title"]?.string ?? ""
        documentVersion = value["documentVersion"]?.string
        pdfSHA256 = value["pdfSHA256"]?.string ?? ""
        pdfBytes = value["pdfBytes"]?.integer ?? 0
        pageCount = PageRun.pageCount(value["pageCount"])
        pageRuns = PageRun.reading(value["pageSizes"], pageCount: pageCount)
        quotedFrom = value["quotedFrom"]?.string
        if let limits = value["limits"] { self.limits = ServerLimits(stored: limits) }
        lastSync = value["lastSync"]?.integer.map(Timestamp.init(milliseconds:))
        checkedAt = value["checkedAt"]?.integer.map(Timestamp.init(milliseconds:))
        isRecovering = value["isRecovering"]?.bool ?? false
        clockOffset = value["clockOffset"]?.integer ?? 0
        loading = value["loading"].flatMap(Loading.init(json:))
        derivation = value["derivation"]?.integer ?? 1
        migratedTo = value["migratedTo"]?.string
        wasReset = value["wasReset"]?.bool ?? false
        term = value["term"]?.integer ?? 0
        unsentBecause = value["unsentBecause"]?.string
        handover = value["handover"]?.string
        received = (value["received"]?.array ?? []).compactMap(\.string)
        uploads = Set((value["uploads"]?.array ?? []).compactMap { $0.string.flatMap(AttachmentID.init) })
        if let override = value["groupOverride"] { groupOverride = GroupChoice(group: override["group"]?.string) }
    }
}

extension LayerMetadata.Loading {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("epoch", epoch)
        json.member("at", at)
        json.member("after", orNull: after)
        json.member("inPlace", inPlace)
    }

    fileprivate init?(json: JSON) {
        guard let epoch = json["epoch"]?.string, let at = json["at"]?.integer else { return nil }
        self.init(
            epoch: epoch, at: at, after: json["after"]?.string, inPlace: json["inPlace"]?.bool ?? false)
    }
}

extension ServerLimits {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("recordBytes", recordBytes)
        json.member("batchChanges", batchChanges)
        json.member("batchBytes", batchBytes)
        json.member("pageRecords", pageRecords)
        if let attachmentBytes { json.member("attachmentBytes", attachmentBytes) }
    }

    fileprivate init(stored json: JSON) {
        self.init()
        recordBytes = json["recordBytes"]?.integer.map { Int(clamping: $0) } ?? recordBytes
        batchChanges = json["batchChanges"]?.integer.map { Int(clamping: $0) } ?? batchChanges
        batchBytes = json["batchBytes"]?.integer.map { Int(clamping: $0) } ?? batchBytes
        pageRecords = json["pageRecords"]?.integer.map { Int(clamping: $0) } ?? pageRecords
        attachmentBytes = json["attachmentBytes"]?.integer
    }
}

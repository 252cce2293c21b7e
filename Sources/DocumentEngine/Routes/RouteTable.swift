import Annotations
import EngineCore
import HTTPTypes
import Hummingbird

/// All routes of the server. A test checks `docs/openapi.json` against this table.
extension RouteLookup {
    /// - Parameter local: nil for an ordinary server. The engine of a person's own PDFs has no backend API.
    init(backend: BackendAPI, sync: SyncAPI, readiness: Readiness, local: LocalFilesAPI? = nil) {
        let others =
            local?.routes ?? Self.open(readiness, sync.admission) + Self.documents(backend) + Self.layers(backend)
        self.init(others + Self.sync(sync))
    }

    private static func open(_ readiness: Readiness, _ admission: RequestLimiter) -> [Route] {
        [
            Route(method: .get, pattern: "/healthcheck", access: .open) { _ in .health },
            Route(method: .get, pattern: "/readiness", access: .open) { _ in await readiness.response() },
            Route(method: .get, pattern: "/openapi.json", access: .open) { request in
                try admission.unauthenticated(from: request.address)
                return .apiDescription
            },
        ]
    }

    // MARK: The backend API

    private static func documents(_ api: BackendAPI) -> [Route] {
        let (batch, small) = (Int64(api.engine.limits.batchBytes), Int64(64 << 10))
        func route(
            _ method: HTTPRequest.Method, _ pattern: String, upTo maxBytes: Int64 = 0,
            stores: DiskSpace.Use = .nothing, audit: AuditEvent.Action? = nil, _ handle: @escaping Route.Handler
        ) -> Route {
            Route(
                method: method, pattern: "/api/" + pattern, access: .secret, maxBytes: maxBytes, stores: stores,
                blocks: true, audit: audit
            ) { request in
                try api.admit(request, storing: stores)
                return try await handle(request)
            }
        }
        return [
            route(.get, "documents", api.listDocuments),
            route(.post, "documents", upTo: api.uploadBytes, stores: .files, audit: .upload, api.upload),
            route(.post, "revoke", upTo: batch, audit: .revoke, api.revoke),
            route(.post, "copy_document", upTo: small, stores: .records, audit: .copyDocument, api.copyDocument),
            route(.delete, "documents/{id}", audit: .deleteDocument) { try await api.deleteDocument($0["id"]) },
            route(.get, "documents/{id}/properties") { try await api.properties($0["id"]) },
            route(.get, "documents/{id}/attachments/{sha256}", audit: .readAttachment) { request in
                guard let file = AttachmentID(request["sha256"]) else { throw Attachments.missing }
                request.audit?.add { $0.attachment = file }
                return try await api.attachments.send(file, of: request["id"], request)
            },
            route(.get, "documents/{id}/layers") { try await api.listLayers($0["id"]) },
            route(.post, "documents/{id}/layers", upTo: small, stores: .records, audit: .copyLayer) {
                try await api.makeLayer($0["id"], $0)
            },
            route(.delete, "documents/{id}/layers/{layer}", audit: .deleteLayer) { request in
                request.audit?.add { [layer = request.layer] in $0.layer = layer.name }
                return try await api.deleteLayer(request.layer)
            },
        ]
    }

    /// Routes that exist for the default layer and for each named layer.
    private static func layers(_ api: BackendAPI) -> [Route] {
        let batch = Int64(api.engine.limits.batchBytes)
        let withFile = max(batch, api.attachments.limit + Int64(api.engine.limits.recordBytes) + (64 << 10))
        func route(
            _ method: HTTPRequest.Method, _ pattern: String, upTo maxBytes: Int64 = 0,
            stores: DiskSpace.Use = .nothing, audit: AuditEvent.Action? = nil, _ handle: @escaping Route.Handler
        ) -> [Route] {
            ["/api/documents/{id}/", "/api/documents/{id}/layers/{layer}/"].map { start in
                Route(
                    method: method, pattern: start + pattern, access: .secret, maxBytes: maxBytes, stores: stores,
                    blocks: true, audit: audit
                ) { request in
                    try api.admit(request, storing: stores)
                    request.audit?.add { [layer = request.layer] in $0.layer = layer.name }
                    return try await handle(request)
                }
            }
        }
        return [
            route(.get, "document_info") { try await api.info($0["id"]) },
            route(.get, "pdf", audit: .readPDF) { try await api.pdf($0.layer, $0) },
            route(.get, "document.json", audit: .export) { try await api.instantJSON($0.layer) },
            route(.get, "document.xfdf", audit: .export) { try await api.xfdf($0.layer) },
            route(
                .post, "apply_instant_json", upTo: BackendAPI.annotationFormBytes, stores: .files,
                audit: .deleteRecords
            ) {
                try await api.applyInstantJSON($0.layer, $0)
            },
            route(.get, "annotations", audit: .export) { try await api.list($0.layer, page: nil, $0) },
            route(.post, "annotations", upTo: withFile, stores: .files) { try await api.create($0.layer, $0) },
            route(.put, "annotations", upTo: batch, stores: .records) { try await api.replaceMany($0.layer, $0) },
            route(.delete, "annotations", upTo: batch, audit: .deleteRecords) {
                try await api.deleteMany($0.layer, $0)
            },
            route(.get, "pages/{index}/annotations", audit: .export) {
                try await api.list($0.layer, page: $0.page(), $0)
            },
            route(.get, "annotations/{annotation}") { try await api.one($0.layer, $0["annotation"]) },
            route(.put, "annotations/{annotation}", upTo: withFile, stores: .files) {
                try await api.replace($0.layer, $0["annotation"], $0)
            },
            route(.delete, "annotations/{annotation}", audit: .deleteRecords) {
                try await api.delete($0.layer, $0["annotation"], $0)
            },
            route(.get, "annotations/{root}/comments") { try await api.thread($0.layer, $0["root"]) },
            route(.post, "annotations/{root}/comments", upTo: batch, stores: .records) {
                try await api.reply($0.layer, $0["root"], $0)
            },
            route(.post, "comments", upTo: batch, stores: .records) { try await api.beginThread($0.layer, $0) },
        ].flatMap { $0 }
    }

    // MARK: The sync API: the token names the layer

    private static func sync(_ api: SyncAPI) -> [Route] {
        func route(
            _ method: HTTPRequest.Method, _ pattern: String, upTo maxBytes: Int64 = 0,
            stores: DiskSpace.Use = .nothing, blocks: Bool = false, streams: Bool = false,
            audit: AuditEvent.Action? = nil,
            _ handle: @escaping @Sendable (SyncAPI.Bearer, ServerRequest) async throws -> Response
        ) -> Route {
            Route(
                method: method, pattern: "/instant/v1/" + pattern, access: .token, maxBytes: maxBytes, stores: stores,
                blocks: blocks, streams: streams, audit: audit
            ) { request in
                try await api.answer(try api.admit(request, storing: stores), request, handle)
            }
        }
        return [
            // Also answers for refused tokens.
            Route(method: .get, pattern: "/instant/v1/token", access: .token, handle: api.verdict),
            route(.get, "session", api.session),
            route(.get, "document", audit: .readPDF, api.document),
            route(.get, "records", api.records),
            route(.get, "digest", api.digest),
            route(.post, "changes", upTo: Int64(api.engine.limits.batchBytes), stores: .records, api.changes),
            route(.get, "events", streams: true, api.events),
            route(.post, "presence", upTo: 16 << 10, api.presence),
            route(.get, "attachments/{sha256}", audit: .readAttachment, api.sendAttachment),
            route(
                .put, "attachments/{sha256}", upTo: api.attachments.limit, stores: .files, blocks: true,
                api.receiveAttachment),
        ]
    }
}

extension ServerRequest {
    /// The layer that the path names; without a name, the default layer.
    fileprivate var layer: LayerKey { LayerKey(document: self["id"], name: self["layer"]) }

    fileprivate func page() throws -> Int {
        guard let page = Int(self["index"]), page >= 0 else {
            throw APIError(.badRequest, "a page index must be a whole number from 0")
        }
        return page
    }
}

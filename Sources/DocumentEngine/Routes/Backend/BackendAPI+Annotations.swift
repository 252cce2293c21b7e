import Annotations
import EngineCore
import Hummingbird
import NIOCore
import SyncProtocol

extension BackendAPI {
    // MARK: Reading

    /// Lists annotations without comments. JSON is truncated after 1,000 annotations and marked as such; NDJSON is
    /// complete.
    func list(_ key: LayerKey, page: Int?, _ request: ServerRequest) async throws -> Response {
        let isWanted: @Sendable (ServerRecord) -> Bool = { row in
            row.contentType == .annotations
                && page.map(row.record.content.stands(onPage:)) ?? true
        }
        if request.header(.accept)?.contains(scalars: "application/x-ndjson") == true {
            return try await file(of: key, type: "application/x-ndjson") { write in
                try await eachPart(of: key) { row, _, _ in
                    isWanted(row) ? row.record : nil
                } _: { records in
                    try await write(records.map { $0.json + "\n" }.joined())
                }
            }
        }
        let (records, isCut) = try await engine.read { try Self.first(1000, of: key, in: $0, where: isWanted) }
        return .data {
            $0.object {
                $0.key("annotations")
                $0.array(records) { $1.write(to: &$0) }
                $0.member("truncated", isCut)
            }
        }
    }

    /// - Returns: the first records of a layer, and whether more exist.
    private static func first(
        _ limit: Int, of key: LayerKey, in store: any StoreReading, where isWanted: (ServerRecord) -> Bool
    ) throws -> (records: [Record], isCut: Bool) {
        let layer = try layer(key, in: store)
        var records: [Record] = []
        var last: Record.ID?
        while true {
            let part = try store.live(in: layer, after: last, limit: rows)
            for row in part where isWanted(row) {
                if records.count == limit { return (records, true) }
                records.append(row.record)
            }
            guard part.count == rows else { return (records, false) }
            last = part.last?.id
        }
    }

    func one(_ key: LayerKey, _ id: Record.ID) async throws -> Response {
        let record = try await engine.read { store in
            try store.record(id, in: Self.layer(key, in: store))
        }
        guard let record, record.isLive else { throw APIError(.notFound, "no record with this id") }
        return .json { record.record.write(to: &$0) }
    }

    /// Returns the layer, or throws a 404. A default layer that does not exist yet shows the document's base records.
    static func layer(_ key: LayerKey, in store: any StoreReading) throws -> ServerLayer {
        let document = try Self.document(key.document, in: store)
        if let layer = try store.layer(key) { return layer }
        guard key.name.isEmpty else { throw APIError(.notFound, "no layer with this name") }
        return ServerLayer(
            id: 0, key: key, generation: "", base: document.base, pageCount: document.pages.count)
    }

    // MARK: Writing

    /// Runs one transaction on the layer, which the first write creates.
    func write<Result: Sendable>(
        _ key: LayerKey, _ body: @escaping @Sendable (inout BackendWriter) throws -> Result
    ) async throws -> Result {
        let (now, limits) = (engine.now(), engine.limits)
        let (result, isNew) = try await engine.write(to: key) { store in
            _ = try Self.document(key.document, in: store)
            var random = SystemRandomNumberGenerator()
            let known = try store.layer(key)
            let layer = try known ?? Layers.make(key, in: store, using: &random)
            var writer = BackendWriter(layer, in: store, now: now, limits: limits)
            let result = try body(&writer)
            return ((result, known == nil), writer.commit)
        }
        if isNew { try await engine.waitForTokens(for: key) }
        return result
    }

    func create(_ key: LayerKey, _ request: ServerRequest) async throws -> Response {
        let body = try await recordBody(key, request)
        if let list = body["annotations"] {
            return try await batch(key, list, at: "annotations", request) { try $0.create($1) }
        }
        let draft = try RecordBody(body, now: engine.now())
        let id = try await write(key) { try $0.create(draft) }
        return .data { $0.object { $0.member("annotation_id", id) } }
    }

    func replace(_ key: LayerKey, _ id: Record.ID, _ request: ServerRequest) async throws -> Response {
        var draft = try RecordBody(try await recordBody(key, request), now: engine.now())
        draft.id = id
        draft.hasOwnID = true
        let wanted = draft
        _ = try await write(key) { try $0.replace(wanted) }
        return .data { $0.object { $0.member("annotation_id", id) } }
    }

    func replaceMany(_ key: LayerKey, _ request: ServerRequest) async throws -> Response {
        let body = try await request.json()
        guard let list = body["annotations"] else {
            throw APIError(.badRequest, #""annotations" must be an array of records"#)
        }
        return try await batch(key, list, at: "annotations", request) { try $0.replace($1) }
    }

    func delete(_ key: LayerKey, _ id: Record.ID, _ request: ServerRequest) async throws -> Response {
        try await write(key) { try $0.delete(id, user: nil) }
        request.audit?.add { $0.count = 1 }
        return .data { $0.object { $0.member("annotation_id", id) } }
    }
}

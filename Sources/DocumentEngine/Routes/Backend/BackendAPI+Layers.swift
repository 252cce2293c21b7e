import Annotations
import EngineCore
import Hummingbird
import SyncProtocol

extension BackendAPI {
    func listLayers(_ id: String) async throws -> Response {
        let names = try await engine.read { store in
            _ = try Self.document(id, in: store)
            return try store.layerNames(of: id)
        }
        return .data { $0.array(names) { $0.string($1) } }
    }

    /// Accepts `{"name", "source_layer_name"?}`; with a source, the new layer starts as a copy of it.
    func makeLayer(_ id: String, _ request: ServerRequest) async throws -> Response {
        // Only copies are audited.
        request.audit?.add { $0.isOmitted = true }
        let body = try await request.json(upTo: 64 << 10)
        guard let name = body["name"]?.string else {
            throw APIError(.badRequest, #""name" must be a string: the name of the new layer"#)
        }
        let key = LayerKey(document: id, name: name)
        if let source = body["source_layer_name"]?.string {
            request.audit?.add { ($0.layer, $0.newLayer, $0.isOmitted) = (source, name, false) }
            try await copyLayer(source, to: key)
        } else {
            try await engine.writes.perform { store in
                try store.lock(.document(id))
                _ = try Self.document(id, in: store)
                guard try store.layer(key) == nil else {
                    throw APIError(.alreadyExists, "a layer with this name already exists")
                }
                var random = SystemRandomNumberGenerator()
                _ = try Layers.make(key, in: store, using: &random)
            }
        }
        try await engine.waitForTokens(for: key)
        return .data {
            $0.object {
                $0.member("name", name)
                $0.member("errors", JSON.array([]))
            }
        }
    }

    private func copyLayer(_ source: String, to key: LayerKey) async throws {
        let now = engine.now()
        let copy = try await engine.read { store in
            _ = try Self.document(key.document, in: store)
            return try StagedCopy(ofLayer: source, to: key, in: store, now: now)
        }
        try await engine.perform(copy)
    }

    func deleteLayer(_ key: LayerKey) async throws -> Response {
        let now = engine.now()
        let layer = try await engine.writes.perform { store in
            _ = try Self.document(key.document, in: store)
            guard let layer = try store.layer(key) else {
                throw APIError(.notFound, "no layer with this name")
            }
            try store.removeLayer(layer, at: try store.time(now))
            return layer.id
        }
        engine.end(layer, with: SessionEvent(.lost, reason: "the layer was deleted"))
        await engine.remove(PendingRemovals(layers: [layer]))
        return .data { $0.object { $0.member("name", key.name) } }
    }
}

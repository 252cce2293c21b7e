import Annotations
import EngineCore
import Hummingbird
import SyncProtocol

extension BackendPlane {
    func listLayers(_ id: String) async throws -> Response {
        let names = try await engine.read { store in
            _ = try Self.document(id, in: store)
            return try store.layerNames(of: id)
        }
        return .data { $0.array(names) { $0.string($1) } }
    }

    /// `{"name", "source_layer_name"?}`; with a source the new layer begins as a copy of it.
    func makeLayer(_ id: String, _ exchange: Exchange) async throws -> Response {
        let body = try await exchange.json(upTo: 64 << 10)
        guard let name = body["name"]?.string else {
            throw Refusal(.badRequest, #""name" must be a string: the name of the new layer"#)
        }
        let source = body["source_layer_name"]?.string
        let now = engine.now()
        try await engine.writes.perform { store in
            // A copy names two layers: whoever copies the other way waits before it has either.
            try store.hold(.document(id))
            _ = try Self.document(id, in: store)
            let key = LayerKey(document: id, name: name)
            guard try store.layer(key) == nil else {
                throw Refusal(.alreadyExists, "there is a layer with this name already")
            }
            var random = SystemDice()
            guard let source else {
                _ = try Layers.make(key, in: store, using: &random)
                return
            }
            guard let source = try store.layer(LayerKey(document: id, name: source)) else {
                throw Refusal(.notFound, "there is no layer with the name of the source")
            }
            try Layers.copy(source, to: key, in: store, now: now, using: &random)
        }
        return .data {
            $0.object {
                $0.member("name", name)
                $0.member("errors", JSON.array([]))
            }
        }
    }

    func deleteLayer(_ key: LayerKey) async throws -> Response {
        let now = engine.now()
        let layer = try await engine.writes.perform { store in
            _ = try Self.document(key.document, in: store)
            guard let layer = try store.layer(key) else {
                throw Refusal(.notFound, "there is no layer with this name")
            }
            try store.removeLayer(layer, at: now)
            return layer.id
        }
        engine.end(layer, with: SessionEvent(.lost, reason: "the layer was deleted"))
        return .data { $0.object { $0.member("name", key.name) } }
    }
}

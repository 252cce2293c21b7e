import Annotations
import EngineCore
import Hummingbird
import SyncProtocol

extension BackendPlane {
    /// `{"document_id", "new_document_id"?}`: a document of its own, which begins as the other one is now.
    func copyDocument(_ exchange: Exchange) async throws -> Response {
        let body = try await exchange.json(upTo: 64 << 10)
        guard let source = body["document_id"]?.string else {
            throw Refusal(.badRequest, #""document_id" must be a string: the document to copy"#)
        }
        let wish = body["new_document_id"]
        guard wish == nil || wish == .null || wish?.string != nil else {
            throw Refusal(.badRequest, #""new_document_id" must be a string"#)
        }
        let now = engine.now()
        let copy = try await engine.writes.perform { store in
            var random = SystemDice()
            let id = wish?.string ?? ULID.make(at: now, using: &random)
            // Always in one order: two copies in opposite directions must not wait for each other.
            for held in source.utf8.lexicographicallyPrecedes(id.utf8) ? [source, id] : [id, source] {
                try store.hold(.document(held))
            }
            return try Documents.copy(
                try Self.document(source, in: store), to: id, in: store, now: now, using: &random)
        }
        return .data { $0.object { $0.member("document_id", copy.id) } }
    }
}

import Annotations
import EngineCore
import Hummingbird
import SyncProtocol

/// Threads as the backend reads and writes them. Each request is one transaction.
extension BackendAPI {
    /// Returns the thread of an annotation, in the order of creation; of a deleted one, the comments that it left.
    func thread(_ key: LayerKey, _ root: Record.ID) async throws -> Response {
        let thread = try await engine.read { store in
            let layer = try Self.layer(key, in: store)
            let thread = try store.thread(of: root, in: layer)
            guard try !thread.isEmpty || store.record(root, in: layer)?.isLive == true else {
                throw APIError(.notFound, "no record with this id")
            }
            return thread.map(\.record).inOrderOfCreation()
        }
        return .data {
            $0.object {
                $0.key("comments")
                $0.array(thread) { $1.write(to: &$0) }
            }
        }
    }

    /// Accepts `{"comments":[{"id"?,"user_id"?,"group"?,"content":{"text"}}]}`.
    func reply(_ key: LayerKey, _ root: Record.ID, _ request: ServerRequest) async throws -> Response {
        let body = try await request.json()
        let (comments, now) = (try Self.comments(of: body), engine.now())
        let ids = try await write(key) { try $0.reply(to: root, comments, at: now) }
        return .data { $0.object { $0.comments(ids) } }
    }

    /// Accepts `{"annotation":{…},"comments":[…]}`.
    func beginThread(_ key: LayerKey, _ request: ServerRequest) async throws -> Response {
        let body = try await request.json()
        guard let annotation = body["annotation"] else {
            throw APIError(.badRequest, #""annotation" must be a record: the thread's root"#)
        }
        let (comments, now) = (try Self.comments(of: body), engine.now())
        let root = try RecordBody(annotation, now: now)
        let ids = try await write(key) { writer in
            try writer.reply(to: writer.create(root), comments, at: now)
        }
        return .data {
            $0.object {
                $0.key("annotation")
                $0.object { $0.member("id", root.id) }
                $0.comments(ids)
            }
        }
    }

    private static func comments(of body: JSON) throws -> [JSON] {
        guard let comments = body["comments"]?.array, !comments.isEmpty else {
            throw APIError(.badRequest, #""comments" must be an array of at least one comment"#)
        }
        return comments
    }
}

extension BackendWriter {
    fileprivate mutating func reply(
        to root: Record.ID, _ comments: [JSON], at now: Timestamp
    ) throws -> [Record.ID] {
        let content = try existing(root).record.content
        var ids: [Record.ID] = []
        for (index, comment) in comments.enumerated() {
            do {
                // One millisecond apart, so that they are read in the given order.
                ids.append(try create(RecordBody(comment, under: root, content, at: now + Int64(index))))
            } catch let refusal as APIError {
                throw APIError(refusal.reason, "$.comments[\(index)]: \(refusal.description)")
            }
        }
        return ids
    }
}

extension JSONWriter {
    fileprivate mutating func comments(_ ids: [Record.ID]) {
        key("comments")
        array(ids) { json, id in json.object { $0.member("id", id) } }
    }
}

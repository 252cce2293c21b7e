import Annotations
import EngineCore
import Hummingbird
import SyncProtocol

/// The results of a batch, entry by entry.
private struct BatchOutcome: Sendable {
    var done: [Record.ID] = []
    var failing: [(path: String, refusal: APIError)] = []

    /// Returns the vendor's envelope: always HTTP 200, with an error per failed entry.
    func response(_ request: RequestID) -> Response {
        let result = failing.isEmpty ? "success" : done.isEmpty ? "failure" : "partial_failure"
        return .json { json in
            json.object {
                $0.member("result", result)
                $0.member("status", failing.isEmpty ? 200 : 422)
                $0.member("details", "\(done.count) done, \(failing.count) failed")
                $0.member("request_id", request.description)
                $0.key("data")
                $0.array(done) { json, id in json.object { $0.member("annotation_id", id) } }
                $0.key("failing_paths")
                $0.array(failing) { json, failure in
                    json.object {
                        $0.member("path", failure.path)
                        $0.member("error", failure.refusal.reason.rawValue)
                        $0.member("details", failure.refusal.description)
                    }
                }
            }
        }
    }
}

extension BackendAPI {
    func batch(
        _ key: LayerKey, _ list: JSON, at name: String, _ request: ServerRequest,
        _ perform: @escaping @Sendable (inout BackendWriter, RecordBody) throws -> Record.ID
    ) async throws -> Response {
        guard let entries = list.array else { throw APIError(.badRequest, "\"\(name)\" must be an array") }
        let now = engine.now()
        return try await inPieces(key, entries, at: name, request) { writer, entry in
            try perform(&writer, try RecordBody(entry, now: now))
        }
    }

    /// Accepts `{"annotationIds":[…]|"all"}`.
    func deleteMany(_ key: LayerKey, _ request: ServerRequest) async throws -> Response {
        let body = try await request.json()
        switch body["annotationIds"] {
        case .string("all")?:
            var outcome = BatchOutcome()
            while true {
                let gone = try await write(key) { try $0.deleteSome(Self.rows) }
                outcome.done += gone
                request.audit?.add { [count = outcome.done.count] in $0.count = count }
                if gone.count < Self.rows { return outcome.response(request.id) }
            }
        case .array(let ids)?:
            return try await inPieces(key, ids, at: "annotationIds", request) { writer, entry in
                guard let id = entry.string else { throw APIError(.invalid, "an id must be a string") }
                try writer.delete(id, user: nil)
                return id
            }
        default: throw APIError(.badRequest, #""annotationIds" must be an array of ids, or "all""#)
        }
    }

    /// Commits in pieces if there are more entries than one transaction should hold, so that other writes do not wait
    /// for a large batch.
    private func inPieces(
        _ key: LayerKey, _ entries: [JSON], at name: String, _ request: ServerRequest,
        _ perform: @escaping @Sendable (inout BackendWriter, JSON) throws -> Record.ID
    ) async throws -> Response {
        _ = try await engine.read { try Self.document(key.document, in: $0) }
        var outcome = BatchOutcome()
        for start in stride(from: 0, to: entries.count, by: Self.rows) {
            let part = entries[start..<min(start + Self.rows, entries.count)]
            let result = try await write(key) { writer in
                var outcome = BatchOutcome()
                for (index, entry) in zip(part.indices, part) {
                    do {
                        try writer.attempt { outcome.done.append(try perform(&$0, entry)) }
                    } catch let refusal as APIError {
                        outcome.failing.append(("$.\(name)[\(index)]", refusal))
                    } catch let damage as DamagedRow {
                        outcome.failing.append(("$.\(name)[\(index)]", APIError(.storageDamaged, "\(damage)")))
                    }
                }
                return outcome
            }
            outcome.done += result.done
            outcome.failing += result.failing
            request.audit?.add { [count = outcome.done.count] in $0.count = count }
        }
        return outcome.response(request.id)
    }
}

extension BackendWriter {
    /// Deletes at most `count` annotations, each with its thread, and comments that a deleted annotation left.
    fileprivate mutating func deleteSome(_ count: Int) throws -> [Record.ID] {
        var gone: [Record.ID] = []
        var last: Record.ID?
        while gone.count < count {
            let rows = try writer.store.live(in: writer.layer, after: last, limit: count)
            for row in rows where gone.count < count {
                guard try row.contentType == .annotations || isLeft(row) else { continue }
                try delete(row.id, user: nil)
                gone.append(row.id)
            }
            guard rows.count == count else { break }
            last = rows.last?.id
        }
        return gone
    }

    /// Returns whether it is a live comment without a live root.
    private func isLeft(_ comment: ServerRecord) throws -> Bool {
        let root = try comment.rootID.flatMap { try writer.store.intactRecord($0, in: writer.layer) }
        return try root?.isLive != true && writer.store.intactRecord(comment.id, in: writer.layer)?.isLive == true
    }
}

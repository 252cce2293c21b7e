import Annotations
import Authorization
import EngineCore
import Hummingbird
import SyncProtocol

extension BackendAPI {
    func listDocuments(_ request: ServerRequest) async throws -> Response {
        var query = DocumentQuery(title: request.query["title"])
        if let text = request.query["order_by"] {
            guard let order = DocumentQuery.Order(rawValue: text) else {
                throw APIError(.badRequest, #""order_by" must be "created_at" or "title""#)
            }
            query.order = order
        }
        query.descending = try direction(request.query["order_direction"])
        let size = Int(min(try request.number("page_size") ?? 100, 1000))
        guard size > 0 else { throw APIError(.badRequest, #""page_size" must be at least 1"#) }
        query.offset = try request.query["cursor"].map(Self.offset) ?? 0
        // Read one document more than fits, to detect a next page.
        query.limit = size + 1
        let counts = request.query["count_remaining"] == "true"
        let wanted = query
        let (found, count) = try await engine.read { store in
            (try store.documents(wanted), try store.documentCount(wanted))
        }
        return Response.json { json in
            json.object {
                $0.key("data")
                $0.array(found.prefix(size)) { $1.write(to: &$0) }
                $0.member("next_cursor", orNull: found.count > size ? Self.cursor(query.offset + size) : nil)
                $0.member("prev_cursor", orNull: query.offset > 0 ? Self.cursor(max(0, query.offset - size)) : nil)
                $0.member("document_count", count)
                if counts { $0.member("remaining_count", max(0, count - query.offset - min(found.count, size))) }
            }
        }
    }

    private func direction(_ text: String?) throws -> Bool {
        switch text {
        case nil, "asc": return false
        case "desc": return true
        default: throw APIError(.badRequest, #""order_direction" must be "asc" or "desc""#)
        }
    }

    /// Returns an opaque cursor; it contains the number of documents before the page.
    private static func cursor(_ offset: Int) -> String { Base64URL.encode("from \(offset)".utf8) }

    private static func offset(_ cursor: String) throws -> Int {
        guard let bytes = Base64URL.decode(cursor), let text = String(validating: bytes, as: UTF8.self),
            text.begins(with: "from "), let offset = Int(text.dropFirst(scalars: 5)), offset >= 0
        else { throw APIError(.badRequest, "invalid cursor") }
        return offset
    }
}

extension ServerDocument {
    fileprivate func write(to json: inout JSONWriter) {
        json.object {
            $0.member("document_id", id)
            $0.member("title", title)
            $0.member("sourcePdfSha256", pdfSHA256)
            $0.member("byteSize", pdfBytes)
            $0.member("createdAt", createdAt.iso8601)
            $0.member("password_protected", false)
        }
    }
}

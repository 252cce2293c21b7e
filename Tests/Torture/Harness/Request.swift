import Annotations
import SyncProtocol

/// One request as sent, and its expected result.
struct Request {
    enum Goal {
        /// One of these, and nothing changes.
        case status(Set<Int>)
        /// The client's push of this index.
        case push(Int)
        /// An answer at once or when the wait is over.
        case poll
        case stream(milliseconds: Int)
        /// Not a request: 400 or another refusal, or the end of the connection.
        case malformed
        case backend(BackendStep)
        case revoke(token: Int)
    }

    /// Returned with the response.
    var id: String
    var method = "GET"
    var target: String
    var fields: [(String, String)] = []
    var body: [UInt8]?
    var framing = LinePlan.Framing.plain
    var goal: Goal
    /// Whether a refusal may mean that the token is no longer valid.
    var hasToken = false
    var endsConnection = false
    var isOldVersion = false
    /// Whether the server may close the connection instead of reading the whole body.
    var mayClose = false
    /// Sent unchanged, in place of all other members.
    var raw: [UInt8]?

    init(_ id: String, _ method: String = "GET", _ target: String, _ goal: Goal) {
        (self.id, self.method, self.target, self.goal) = (id, method, target, goal)
    }

    var isHead: Bool { method == "HEAD" }

    /// - Returns: Head and body; with ``LinePlan/Framing/expect`` the body waits for permission.
    func bytes() -> (head: [UInt8], body: [UInt8]) {
        if let raw { return (raw, []) }
        var head =
            "\(method) \(target) HTTP/\(isOldVersion ? "1.0" : "1.1")\r\nHost: 127.0.0.1\r\nX-Request-Id: \(id)\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if endsConnection { head += "Connection: close\r\n" }
        guard let body else { return (Array((head + "\r\n").utf8), []) }
        // HTTP/1.0 supports neither chunks nor a wait.
        switch isOldVersion ? .plain : framing {
        case .plain: return (Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8), body)
        case .expect:
            return (Array((head + "Content-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n").utf8), body)
        case .chunked: return (Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8), Self.chunks(of: body))
        }
    }

    private static func chunks(of body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var (start, size) = (0, 1)
        while start < body.count {
            let end = min(body.count, start + size)
            bytes += Array("\(String(end - start, radix: 16))\r\n".utf8) + body[start..<end] + [13, 10]
            (start, size) = (end, min(size * 3 + 1, 50_000))
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }
}

/// The inputs of requests: a token, a layer and its known state, the backend's secret.
struct RequestMaker {
    let secret: String
    let document: String
    var prefix: String
    private var count = 0

    init(secret: String, document: String, prefix: String) {
        (self.secret, self.document, self.prefix) = (secret, document, prefix)
    }

    private mutating func id() -> String {
        count += 1
        return "\(prefix)-\(count)"
    }

    private var secretField: (String, String) { ("Authorization", "Token token=\"\(secret)\"") }

    mutating func push(_ index: Int, _ message: PushRequest, token: String, framing: LinePlan.Framing) -> Request {
        var request = Request(id(), "POST", "/instant/v1/changes", .push(index))
        request.fields = [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]
        request.body = message.bytes
        request.framing = framing
        request.hasToken = true
        return request
    }

    mutating func ask(_ ask: Ask, token: String, layer: String, epoch: String, head: Revision) -> Request {
        func plain(_ target: String, _ status: Int, by method: String = "GET") -> Request {
            Request(id(), method, target, .status([status]))
        }
        func sync(
            _ target: String, _ goal: Request.Goal = .status([200]), by method: String = "GET"
        ) -> Request {
            var request = Request(id(), method, "/instant/v1/" + target, goal)
            request.fields = [("Authorization", "Bearer \(token)")]
            request.hasToken = true
            return request
        }
        func push(_ body: [UInt8], _ status: Int) -> Request {
            var request = sync("changes", .status([status]), by: "POST")
            request.body = body
            return request
        }
        func backend(_ target: String, _ status: Int = 200) -> Request {
            var request = plain("/api/" + target, status)
            request.fields = [secretField]
            return request
        }
        switch ask {
        case .health: return plain("/healthcheck", 200)
        case .readiness: return plain("/readiness", 200)
        case .description: return plain("/openapi.json", 200)
        case .headHealth: return plain("/healthcheck", 200, by: "HEAD")
        case .notFound: return plain("/nothing/here", 404)
        case .wrongMethod: return plain("/healthcheck", 405, by: "DELETE")
        case .session: return sync("session")
        case .headSession: return sync("session", by: "HEAD")
        case .records: return sync("records?limit=50")
        case .digest: return sync("digest?epoch=\(epoch)")
        case .document: return sync("document")
        case .noToken: return plain("/instant/v1/session", 401)
        case .wrongToken:
            var request = plain("/instant/v1/session", 401)
            request.fields = [("Authorization", "Bearer \(token.dropLast(8))AAAAAAAA")]
            return request
        case .documents: return backend("documents")
        case .annotations: return backend("documents/\(document)/layers/\(layer)/annotations")
        case .wrongSecret:
            var request = plain("/api/documents", 401)
            request.fields = [("Authorization", #"Token token="guessed""#)]
            return request
        case .nonsense: return push([UInt8(ascii: "x")], 400)
        case .tiny:
            var request = plain("/instant/v1/changes", 401, by: "POST")
            request.raw = Array(
                "POST /instant/v1/changes HTTP/1.1\r\nHost:x\r\nX-Request-Id:\(request.id)\r\nContent-Length:1\r\n\r\nx"
                    .utf8)
            return request
        case .tooManyChanges:
            let changes = (1...1001).map { Change(n: $0, kind: .delete, id: "never", baseRevision: 0) }
            return push(PushRequest(clientID: "many", acked: 0, cursor: nil, changes: changes).bytes, 413)
        case .tooManyBytes:
            var request = push([UInt8](repeating: 32, count: 4 << 20 + 1), 413)
            request.mayClose = true
            return request
        case .refusedUpload:
            var request = plain("/api/documents", 401, by: "POST")
            request.fields = [("Authorization", #"Token token="guessed""#), ("Content-Type", "application/pdf")]
            request.body = [UInt8](repeating: 32, count: 3 << 20)
            request.mayClose = true
            return request
        case .poll: return sync("events?wait=1&since=\(head)&epoch=\(epoch)", .poll)
        case .stream(let milliseconds):
            return sync("events?since=\(head)&epoch=\(epoch)", .stream(milliseconds: milliseconds))
        case .malformed(let index):
            var request = Request(id(), "GET", "", .malformed)
            request.raw = Array(Ask.malformedRequests[index].utf8)
            return request
        }
    }

    mutating func backend(_ step: BackendStep, source: String, pdf: (Int) -> [UInt8]) -> Request {
        func backend(_ method: String, _ target: String, _ type: String? = nil, _ body: [UInt8]? = nil) -> Request {
            var request = Request(id(), method, "/api/" + target, .backend(step))
            request.fields = [secretField] + (type.map { [("Content-Type", $0)] } ?? [])
            request.body = body
            return request
        }
        func json(_ target: String, _ value: JSON) -> Request {
            backend("POST", target, "application/json", Array(value.text.utf8))
        }
        let layers = "documents/\(document)/layers"
        switch step {
        case .copy(let name): return json(layers, ["name": .string(name), "source_layer_name": .string(source)])
        case .deleteLayer(let name): return backend("DELETE", "\(layers)/\(name)")
        case .upload(let name, let bytes):
            return backend("POST", "documents?document_id=\(name)", "application/pdf", pdf(bytes))
        case .deleteDocument(let name): return backend("DELETE", "documents/\(name)")
        case .create(let ids, let layer):
            let list = ids.map {
                ["id": .string($0), "user_id": "backend", "content": .object(Content.plainNote($0).object)] as JSON
            }
            return json("\(layers)/\(layer)/annotations", ["annotations": .array(list)])
        case .export:
            var request = backend("GET", "\(layers)/\(source)/annotations")
            request.fields.append(("Accept", "application/x-ndjson"))
            return request
        }
    }

    mutating func revoke(_ tokenID: String, index: Int) -> Request {
        var request = Request(id(), "POST", "/api/revoke", .revoke(token: index))
        request.fields = [secretField, ("Content-Type", "application/json")]
        request.body = Array((["jwts": [.string(tokenID)]] as JSON).text.utf8)
        return request
    }
}

import AsyncHTTPClient
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

/// The sync plane over HTTP: questions over ``Lines``, streams and files by the HTTP library. Redirects are not followed
/// and nothing is decompressed; a token goes with each request and is kept nowhere.
struct HTTPTransport: Sendable {
    let http: HTTPClient
    let lines: Lines
    let address: ServerAddress
    var recorder: RequestRecorder?

    /// Answers are at most this large. Ours end a page at 768 KB and one record.
    static let maximumBytes = 16 << 20
    static let timeout = TimeAmount.seconds(30)

    static func makeHTTPClient() -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(10)
        // A stream is silent for 15 s at most; other requests have their own deadline.
        configuration.timeout.read = .seconds(45)
        configuration.decompression = .disabled
        // Backing off is the session's business: a server that is not there is to be told at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .shared(NetworkLoop.group), configuration: configuration)
    }

    func send(_ kind: SyncRequest.Kind, token: String) async throws(SyncFailure) -> SyncAnswer {
        switch kind {
        case .session: .session(try await ask(.GET, "session", token: token))
        case .push(let push): .push(try await ask(.POST, "changes", token: token, body: push.bytes))
        case .pull(let cursor):
            .delta(
                try await ask(
                    .GET, "records", [("since", "\(cursor.revision)"), ("epoch", cursor.epoch)], token: token))
        case .page(let page):
            .page(
                try await ask(
                    .GET, "records",
                    [("after", page.after), ("at", page.at.map { "\($0)" }), ("epoch", page.epoch)], token: token))
        case .presence(let sign): .presence(try await ask(.POST, "presence", token: token, body: sign.bytes))
        case .upload: throw .attachment("its attachment is not here")
        case .digest(let epoch): .digest(try await ask(.GET, "digest", [("epoch", epoch)], token: token))
        }
    }

    /// A request that has left already.
    struct Begun: Sendable {
        fileprivate let asked: Lines.Asked
        fileprivate let number: Int?
    }

    /// Sends a push by the calling thread, without waiting for anything, where that is possible.
    ///
    /// - Returns: what ``answer(to:)`` has to be called with; nil: nothing was sent.
    func begin(_ kind: SyncRequest.Kind, token: String) -> Begun? {
        guard case .push(let push) = kind, lines.mayHaveDoor else { return nil }
        let deadline = NIODeadline.now() + Self.timeout
        let question = question(.POST, "changes", [], token: token, body: push.bytes, deadline: deadline)
        guard let asked = lines.send(question) else { return nil }
        return Begun(asked: asked, number: recorder?.began(HTTPMethod.POST.rawValue, path: "changes"))
    }

    func answer(to begun: Begun) async throws(SyncFailure) -> SyncAnswer {
        .push(try await answer(begun.number) { try await lines.answer(to: begun.asked) })
    }

    func request(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String?)] = [], token: String
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(
            url: "\(address.text)/instant/v1/\(path)\(ServerAddress.query(query))")
        request.method = method
        request.headers.add(name: "authorization", value: "Bearer \(token)")
        request.headers.add(name: ProtocolVersion.header, value: "\(ProtocolVersion.current)")
        return request
    }

    func ask<Answer: Message>(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String?)] = [], token: String, body: [UInt8]? = nil,
        timeout: TimeAmount = Self.timeout
    ) async throws(SyncFailure) -> Answer {
        let question = question(method, path, query, token: token, body: body, deadline: .now() + timeout)
        return try await answer(recorder?.began(method.rawValue, path: path)) { try await lines.ask(question) }
    }

    /// - Parameter number: of the request, to note what came of it.
    private func answer<Answer: Message>(
        _ number: Int?, _ ask: () async throws -> HTTPClientResponse
    ) async throws(SyncFailure) -> Answer {
        let response: HTTPClientResponse
        do {
            response = try await ask()
            if let number { recorder?.ended(number, "\(response.status.code)") }
        } catch {
            let failure = connectionFailure(error)
            if let number { recorder?.ended(number, failure.description) }
            throw failure
        }
        try await check(response)
        let bytes = try await collect(response, limit: Self.maximumBytes)
        do { return try Answer(bytes: bytes) } catch { throw notOurs("its answer cannot be read: \(error)") }
    }

    private func question(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String?)], token: String, body: [UInt8]?,
        deadline: NIODeadline
    ) -> Call.Question {
        var headers: HTTPHeaders = [
            "host": address.authority, "authorization": "Bearer \(token)",
            ProtocolVersion.header: "\(ProtocolVersion.current)", "accept": "application/json",
        ]
        if let body {
            headers.add(name: "content-type", value: "application/json")
            headers.add(name: "content-length", value: "\(body.count)")
        }
        let target = "\(address.path)/instant/v1/\(path)\(ServerAddress.query(query))"
        return Call.Question(
            head: HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers),
            body: body.map { ByteBuffer(bytes: $0) }, deadline: deadline, limit: Self.maximumBytes)
    }

    /// The head of the answer, whatever its status.
    func execute(_ request: HTTPClientRequest, deadline: NIODeadline) async throws(SyncFailure) -> HTTPClientResponse {
        let number = recorder?.began(request.method.rawValue, url: request.url)
        do {
            let response = try await http.execute(request, deadline: deadline)
            if let number { recorder?.ended(number, "\(response.status.code)") }
            return response
        } catch {
            let failure = connectionFailure(error)
            if let number { recorder?.ended(number, failure.description) }
            throw failure
        }
    }

    func collect(_ response: HTTPClientResponse, limit: Int) async throws(SyncFailure) -> [UInt8] {
        if response.headers.contains(name: "content-encoding") {
            throw notOurs("it compresses what was not asked to be")
        }
        var bytes: [UInt8] = []
        do {
            for try await part in response.body {
                guard bytes.count + part.readableBytes <= limit else {
                    throw SyncFailure.invalidServer("\(address.host) sent more than \(limit >> 20) MB at once")
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let failure as SyncFailure { throw failure } catch { throw connectionFailure(error) }
        return bytes
    }

    func connectionFailure(_ error: any Error) -> SyncFailure {
        let why =
            switch error {
            case let error as HTTPClientError
            where error == .connectTimeout || error == .deadlineExceeded
                || error == .readTimeout:
                "no answer in time"
            case is CancellationError: "cancelled"
            case let error as HTTPClientError where error == .remoteConnectionClosed: "the connection was closed"
            default: "\(error)".contains("refused") ? "connection refused" : Self.short("\(error)")
            }
        return .unreachable("\(address.host) cannot be reached: \(why)")
    }

    func notOurs(_ why: String) -> SyncFailure {
        .invalidServer("\(address.text) is not a Postilla server: \(why)")
    }

    static func short(_ text: String) -> String { String(text.prefix(200)) }
}

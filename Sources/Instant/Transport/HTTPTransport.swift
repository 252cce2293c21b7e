import Annotations
import AsyncHTTPClient
import Glibc
import InstantCore
import NIOCore
import NIOHTTP1
import NIOPosix
import SyncProtocol

/// The sync API over HTTP. Redirects are not followed and nothing is decompressed; each request carries its token,
/// which is not stored.
struct HTTPTransport: Sendable {
    let http: HTTPClient
    let address: ServerAddress
    var recorder: RequestRecorder?

    /// The limit of a response in bytes. The server ends a page at 768 KB plus one record.
    var maximumBytes = 16 << 20
    /// The limit for a complete response.
    var timeout = TimeAmount.seconds(30)

    static func makeHTTPClient() -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(10)
        // A stream is silent for at most 15 s; other requests have their own deadline.
        configuration.timeout.read = .seconds(45)
        configuration.decompression = .disabled
        // The session backs off: a missing server must be reported at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Servers and proxies also close idle connections: close them here first, before a request is in flight.
        configuration.connectionPool.idleTimeout = .seconds(30)
        // Each listening layer occupies one connection: its requests must not wait for it.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
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
        case .upload: throw .attachment("its attachment is missing")
        case .digest(let epoch): .digest(try await ask(.GET, "digest", [("epoch", epoch)], token: token))
        }
    }

    func request(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String?)] = [], token: String
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(
            url: "\(address.text)/instant/v1/\(path)\(ServerAddress.query(query))")
        request.method = method
        // The client sends none to a socket, and a request needs one (RFC 9112, section 3.2).
        if address.isSocket { request.headers.add(name: "host", value: "localhost") }
        request.headers.add(name: "authorization", value: "Bearer \(token)")
        request.headers.add(name: ProtocolVersion.header, value: "\(ProtocolVersion.current)")
        return request
    }

    func ask<Answer: WireMessage>(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String?)] = [], token: String, body: [UInt8]? = nil,
        timeout: TimeAmount? = nil
    ) async throws(SyncFailure) -> Answer {
        var headers = request(method, path, query, token: token).headers
        headers.add(name: "accept", value: "application/json")
        if body != nil { headers.add(name: "content-type", value: "application/json") }
        let deadline = NIODeadline.now() + (timeout ?? self.timeout)
        let url = "\(address.text)/instant/v1/\(path)\(ServerAddress.query(query))"
        let response = try await wholeAnswer(method, url, headers, body, deadline: deadline)
        try await check(response, deadline: deadline)
        let bytes = try await collect(response, limit: maximumBytes, deadline: deadline)
        do { return try Answer(bytes: bytes) } catch { throw notOurs("invalid response: \(error)") }
    }

    /// Returns the whole response, whatever its status. The library collects it on its own thread: a large one does not
    /// pass through the task pool in pieces.
    private func wholeAnswer(
        _ method: HTTPMethod, _ url: String, _ headers: HTTPHeaders, _ body: [UInt8]?, deadline: NIODeadline
    ) async throws(SyncFailure) -> HTTPClientResponse {
        let number = recorder?.began(method.rawValue, url: url)
        do {
            let request = try HTTPClient.Request(
                url: url, method: method, headers: headers, body: body.map { .byteBuffer(ByteBuffer(bytes: $0)) })
            let task = http.execute(
                request: request, delegate: ResponseAccumulator(request: request, maxBodySize: maximumBytes),
                deadline: deadline)
            let answer = try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
            if let number { recorder?.ended(number, "\(answer.status.code)") }
            return HTTPClientResponse(
                version: answer.version, status: answer.status, headers: answer.headers,
                body: .bytes(answer.body ?? ByteBuffer()))
        } catch {
            let failure =
                error is ResponseAccumulator.ResponseTooBigError ? tooLarge(maximumBytes) : connectionFailure(error)
            if let number { recorder?.ended(number, failure.description) }
            throw failure
        }
    }

    private func tooLarge(_ limit: Int) -> SyncFailure {
        let size = limit >= 1 << 20 ? "\(limit >> 20) MB" : "\(limit) bytes"
        return .invalidServer("\(address.host) sent a response larger than \(size)")
    }

    /// Returns the head of the response, whatever its status.
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

    /// Applies a deadline to the body, because the library's own deadline ends with the head of the response.
    func collect(
        _ response: HTTPClientResponse, limit: Int, deadline: NIODeadline
    ) async throws(SyncFailure) -> [UInt8] {
        if response.headers.contains(name: "content-encoding") {
            throw notOurs("it returned an unrequested encoding")
        }
        do {
            return try await withThrowingTaskGroup(of: [UInt8].self) { group in
                defer { group.cancelAll() }
                group.addTask { try await bytes(of: response.body, limit: limit) }
                group.addTask {
                    try await Task.sleep(for: .nanoseconds((deadline - .now()).nanoseconds))
                    throw HTTPClientError.deadlineExceeded
                }
                return try await group.next() ?? []
            }
        } catch let failure as SyncFailure { throw failure } catch { throw connectionFailure(error) }
    }

    private func bytes(of body: HTTPClientResponse.Body, limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await part in body {
            guard bytes.count + part.readableBytes <= limit else {
                throw tooLarge(limit)
            }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }

    func connectionFailure(_ error: any Error) -> SyncFailure {
        .unreachable("\(address.host) cannot be reached: \(Self.reason(for: error))")
    }

    private static func reason(for error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as HTTPClientError where error == .cancelled: "cancelled"
        case let error as HTTPClientError
        where [.connectTimeout, .deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout].contains(error):
            "timed out"
        case let error as HTTPClientError where error == .remoteConnectionClosed: "the connection was closed"
        case let error as HTTPParserError where error == .invalidEOFState: "the connection was closed"
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason(for: $0.error) }
                ?? (error.dnsAError ?? error.dnsAAAAError).map { reason(for: $0) } ?? "unknown host name"
        case let error as IOError where error.errnoCode == ECONNREFUSED: "connection refused"
        case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE:
            "the connection was closed"
        default: short("\(error)")
        }
    }

    func notOurs(_ why: String) -> SyncFailure {
        .invalidServer("\(address.text) is not a Postilla server: \(why)")
    }

    static func short(_ text: String) -> String { String(text.prefix(scalars: 200)) }
}

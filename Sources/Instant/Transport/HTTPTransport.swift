import Annotations
import AsyncHTTPClient
import Glibc
import InstantCore
import NIOCore
import NIOHTTP1
import NIOPosix
import SyncProtocol

/// The sync API over HTTP. Each request carries its token, which is not stored.
struct HTTPTransport: Sendable {
    let http: HTTPClients
    let address: ServerAddress
    /// Whether a token may be sent over plain http to another machine.
    var allowsInsecureHTTP = false
    var recorder: RequestRecorder?

    /// The limit of a response in bytes. The server ends a page at 768 KB plus one record.
    var maximumBytes = 16 << 20
    /// How long a request may stand still.
    var patience = Duration.seconds(45)
    let parts = PartSizes()

    func send(_ kind: SyncRequest.Kind, token: String) async throws(SyncFailure) -> SyncAnswer {
        switch kind {
        case .session: .session(try await ask(.GET, "session", token: token))
        case .push(let push):
            .push(
                try await ask(.POST, "changes", token: token, body: push.bytes, isOfKnownServer: true) {
                    bytes throws(JSONError) in try PushAnswer(bytes: bytes, answering: push)
                })
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
    ) throws(SyncFailure) -> HTTPClientRequest {
        let recipient: SecretRecipient
        do { recipient = try SecretRecipient(address, allowsInsecureHTTP: allowsInsecureHTTP) } catch {
            throw .invalidServer("the token is not sent: \(error)")
        }
        var request = recipient.request(method, "/instant/v1/\(path)\(ServerAddress.query(query))", .token(token))
        request.headers.add(name: ProtocolVersion.header, value: "\(ProtocolVersion.current)")
        return request
    }

    func ask<Answer: WireMessage>(
        _ method: HTTPMethod, _ path: String, _ query: [(String, String?)] = [], token: String, body: [UInt8]? = nil,
        mayHold time: TimeAmount = .zero, isOfKnownServer: Bool = false,
        reading: ([UInt8]) throws(JSONError) -> Answer = { bytes throws(JSONError) in try Answer(bytes: bytes) }
    ) async throws(SyncFailure) -> Answer {
        var request = try request(method, path, query, token: token)
        request.headers.add(name: "accept", value: "application/json")
        if body != nil { request.headers.add(name: "content-type", value: "application/json") }
        let response = try await wholeAnswer(
            request, body.map { ByteBuffer(bytes: $0) }, limit: maximumBytes, mayHold: time)
        try await check(response, isOfKnownServer: isOfKnownServer)
        let bytes = try await collect(response, limit: maximumBytes)
        do { return try reading(bytes) } catch { throw notOurs("invalid response: \(error)") }
    }

    /// Returns the whole response, whatever its status. The library collects it on its own thread: a large one does not
    /// pass through the task pool in pieces.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of its body.
    ///   - time: How long the server may hold it back.
    ///   - sent: Called with each number of bytes of the body that were handed to the connection, on its event loop.
    func wholeAnswer(
        _ asked: HTTPClientRequest, _ body: ByteBuffer?, limit: Int, mayHold time: TimeAmount = .zero,
        sent: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(SyncFailure) -> HTTPClientResponse {
        let number = recorder?.began(asked.method.rawValue, url: asked.url)
        do {
            let answer = try await moving(within: TimeAmount(patience) + time, number) { motion in
                let request = try HTTPClient.Request(
                    url: asked.url, method: asked.method, headers: asked.headers, body: body.map { .inParts($0) })
                return try await http.reach(address) { http in
                    let task = http.execute(
                        request: request, delegate: MovingResponse(request, limit: limit, motion, sent: sent))
                    return try await withTaskCancellationHandler {
                        try await task.get()
                    } onCancel: {
                        task.cancel()
                    }
                }
            }
            if let number { recorder?.ended(number, "\(answer.status.code)", isAnswered: answer.status == .ok) }
            return HTTPClientResponse(
                version: answer.version, status: answer.status, headers: answer.headers,
                body: .bytes(answer.body ?? ByteBuffer()))
        } catch {
            let failure =
                error is ResponseAccumulator.ResponseTooBigError ? tooLarge(limit) : connectionFailure(error)
            if let number { recorder?.ended(number, failure.description) }
            throw failure
        }
    }

    private func tooLarge(_ limit: Int) -> SyncFailure {
        let size = limit >= 1 << 20 ? "\(limit >> 20) MB" : "\(limit) bytes"
        return .invalidServer("\(address.host) sent a response larger than \(size)")
    }

    /// Returns the head of the response, whatever its status. Nothing limits the time.
    func execute(_ request: HTTPClientRequest) async throws(SyncFailure) -> HTTPClientResponse {
        let number = recorder?.began(request.method.rawValue, url: request.url)
        do {
            let response = try await http.reach(address) { try await $0.execute(request, deadline: .distantFuture) }
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
            throw notOurs("it returned an unrequested encoding")
        }
        return try await movingOrFailing { motion in
            var bytes: [UInt8] = []
            for try await part in response.body {
                motion.moved()
                guard bytes.count + part.readableBytes <= limit else { throw tooLarge(limit) }
                bytes.append(contentsOf: part.readableBytesView)
            }
            return bytes
        }
    }

    func connectionFailure(_ error: any Error) -> SyncFailure {
        if let error = error as? HTTPParserError, error != .invalidEOFState {
            return .unreachable("\(address.host) does not answer in HTTP")
        }
        if let stalled = error as? Stalled {
            let seconds = stalled.time.nanoseconds / 1_000_000_000
            return .stalled("\(address.host) did not answer: nothing moved for \(seconds) s")
        }
        let what = Self.isConnected(error) ? "did not answer" : "cannot be reached"
        return .unreachable("\(address.host) \(what): \(Self.reason(for: error))")
    }

    /// Whether the error is from after there was a connection.
    private static func isConnected(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is HTTPParserError, is ChannelError: true
        case let error as HTTPClientError:
            ![.connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout].contains(error)
        case let error as IOError: error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
        default: false
        }
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
        .invalidServer("\(address.canonical) is not a Postilla server: \(why)")
    }

    static func short(_ text: String) -> String { String(text.prefix(scalars: 200)) }
}

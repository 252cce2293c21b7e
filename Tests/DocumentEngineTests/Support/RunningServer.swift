import Annotations
import AsyncHTTPClient
import DocumentEngine
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import PDFPages
import PostgresSupport
import SyncProtocol
import TestSupport
import TestThreads

/// A server on a free local port, with its own folder.
struct RunningServer: Sendable {
    static let secret = "the backend's secret"

    let server: Server
    let port: Int
    let clock: TestClock
    let mint: Mint

    /// Runs all tests on PostgreSQL, except those that read the folder: `STORE=postgres swift test …`.
    private static let onPostgres = ProcessInfo.processInfo.environment["STORE"] == "postgres"

    /// Runs a server while the body runs.
    ///
    /// - Parameter folder: The folder that an earlier server left; nil for a new one.
    static func run<Result: Sendable>(
        folder: TemporaryFolder? = nil, clock: TestClock = TestClock(),
        _ change: (inout Server.Options) async throws -> Void = { _ in },
        _ body: (RunningServer) async throws -> Result
    ) async throws -> Result {
        try await Turns.take(.servers) {
            try await Watchdog.shared.watch("a server") {
                try await start(folder: folder, clock: clock, change, body)
            }
        }
    }

    private static func start<Result: Sendable>(
        folder: TemporaryFolder?, clock: TestClock, _ change: (inout Server.Options) async throws -> Void,
        _ body: (RunningServer) async throws -> Result
    ) async throws -> Result {
        let place = try folder ?? TemporaryFolder()
        defer { withExtendedLifetime(place) {} }
        let mint = try await Mint.es256()
        var options = Server.Options(
            dataFolder: place.path + "/data", keys: [try await VerificationKey(pem: mint.publicPEM)], secrets: [secret])
        if folder == nil, onPostgres { options.postgres = try TestDatabase().address }
        options.now = { clock.now }
        options.usesDatabaseClock = false
        // A busy machine is not a database that hangs.
        options.databasePatience = .seconds(60)
        options.wait = { _ in }
        options.uptime = { clock.uptime }
        options.timeEvery = .milliseconds(20)
        options.checksCaches = true
        options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await change(&options)
        let server = try Server(options)
        let (ports, ready) = AsyncStream<Int>.makeStream()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { ready.finish() }
                try await server.run { ready.yield($0) }
            }
            var port: Int?
            for await number in ports {
                port = number
                break
            }
            guard let port else {
                try await group.waitForAll()
                throw NotRunning()
            }
            let outcome: Swift.Result<Result, any Error>
            do {
                outcome = .success(
                    try await body(
                        RunningServer(server: server, port: port, clock: clock, mint: mint)))
            } catch { outcome = .failure(error) }
            await server.stop()
            try await group.waitForAll()
            return try outcome.get()
        }
    }

    struct NotRunning: Error {}

    var url: String { "http://127.0.0.1:\(port)" }

    // MARK: Requests

    struct Answer: Sendable {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSON { (try? JSONReader.parse(body)) ?? .null }
        /// The reason in the error envelope.
        var reason: String? { json["error"]?["reason"]?.string }
        func message<M: WireMessage>(_: M.Type = M.self) throws -> M { try M(bytes: body) }
    }

    func send(
        _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> Answer {
        try await send(method, to: url + path, headers: headers, body: body)
    }

    /// The metrics page.
    func figures() async throws -> String { try await operations("/metrics").text }

    func operations(_ path: String, method: String = "GET") async throws -> Answer {
        try await send(method, to: "http://127.0.0.1:\(server.metricsPort ?? 0)\(path)")
    }

    private func send(
        _ method: String, to address: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: address)
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        let response = try await HTTPClient.tests.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 64 << 20)
        var fields: [String: String] = [:]
        for (name, value) in response.headers { fields[name.lowercased()] = value }
        return Answer(status: Int(response.status.code), headers: fields, body: Array(bytes.readableBytesView))
    }

    /// Sends a request as the customer's backend.
    func backend(
        _ method: String, _ path: String, json: String? = nil, headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send(
            method, path, headers: [("Authorization", #"Token token="\#(Self.secret)""#)] + headers,
            body: json.map { Array($0.utf8) })
    }

    /// Sends a request as a client with a token.
    func client(
        _ token: String, _ method: String = "GET", _ path: String, headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws -> Answer {
        try await send(
            method, "/instant/v1/" + path, headers: [("Authorization", "Bearer \(token)")] + headers, body: body)
    }

    // MARK: Common first steps

    @discardableResult
    func upload(_ id: String = "doc", _ pdf: [UInt8] = Samples.pdf) async throws -> Answer {
        try await send(
            "POST", "/api/documents?document_id=\(id)",
            headers: [
                ("Authorization", #"Token token="\#(Self.secret)""#), ("Content-Type", "application/pdf"),
            ], body: pdf)
    }

    func push(_ token: String, client: String = "c1", acked: Int64 = 0, _ changes: [Change]) async throws -> Answer {
        try await self.client(
            token, "POST", "changes",
            body: PushRequest(clientID: client, acked: acked, cursor: nil, changes: changes).bytes)
    }

    /// Sends a presence heartbeat.
    func announce(_ token: String, _ sign: PresenceSign) async throws -> Answer {
        try await client(token, "POST", "presence", body: sign.bytes)
    }

    func session(_ token: String) async throws -> SessionAnswer {
        try await client(token, "GET", "session").message()
    }
}

extension HTTPClient {
    /// Like the shared client, but it gives up a connection after a minute without data: a test fails instead of
    /// hanging.
    static let tests: HTTPClient = {
        var configuration = Configuration.singletonConfiguration
        configuration.timeout.read = .seconds(60)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

enum Samples {
    /// Two pages, a highlight and a note on the first.
    static let pdf: [UInt8] = SmallPDF(annotations: [
        "<</Type/Annot/Subtype/Highlight/Rect[100 600 160 620]/QuadPoints[100 620 160 620 100 600 160 600]"
            + "/Contents(look here)/T(Ann)/C[1 1 0]>>",
        "<</Type/Annot/Subtype/Text/Rect[10 700 30 720]/Contents(a note)/T(Bob)>>",
    ]).bytes

    static func note(_ text: String, page: Int = 0) -> Content {
        var object = JSONObject()
        object["v"] = 2
        object["type"] = "pspdfkit/note"
        object["pageIndex"] = .number(JSONNumber(Int64(page)))
        object["bbox"] = [10, 10, 20, 20]
        object["text"] = .string(text)
        return Content(object)
    }

    static func create(_ n: Int64, _ id: String, _ text: String = "words", group: String? = nil) -> Change {
        Change(n: n, kind: .create, id: id, baseRevision: 0, group: group, content: note(text))
    }
}

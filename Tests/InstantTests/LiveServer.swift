import Annotations
import AsyncHTTPClient
import Crypto
import DocumentEngine
import Foundation
import Glibc
import InstantCore
import Logging
import NIOCore
import NIOHTTP1
import SyncProtocol
import TestSupport
import TestThreads

@testable import Instant

/// A document engine in this process on loopback, with one document and the key that signs its tokens.
final class LiveServer: Sendable {
    let url: URL
    let port: Int
    private let key: P256.Signing.PrivateKey
    private let server: Server
    private let running: Task<Void, any Error>
    private let watched = Watchdog.shared.began("a server")

    /// - Parameters:
    ///   - folder: Retained by the caller, so that another server can start on it later.
    ///   - port: 0 for any.
    init(folder: TemporaryFolder, key: P256.Signing.PrivateKey = .init(), port: Int = 0) async throws {
        self.key = key
        var options = Server.Options(
            dataFolder: folder.path + "/server",
            keys: [try await VerificationKey(pem: key.publicKey.pemRepresentation)], secrets: ["secret"])
        options.port = port
        options.logger.logLevel = .error
        while true {
            do {
                (server, running, self.port) = try await Self.start(options)
                break
            } catch let error as IOError where port != 0 && error.errnoCode == EADDRINUSE {
                // A child process that another test starts has a copy of the last server's socket until its exec.
                await Task.yield()
            }
        }
        guard let url = URL(string: "http://127.0.0.1:\(self.port)") else { throw EventsEnded() }
        self.url = url
    }

    /// A server that has the document.
    static func withDocument(in folder: TemporaryFolder) async throws -> LiveServer {
        let server = try await LiveServer(folder: folder)
        try await server.upload(SmallPDF(annotations: []).bytes)
        return server
    }

    /// - Returns: A listening server, its task and its port.
    private static func start(_ options: Server.Options) async throws -> (Server, Task<Void, any Error>, Int) {
        let server = try Server(options)
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        let running = Task {
            defer { ready.finish() }
            try await server.run { ready.yield($0) }
        }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else {
            try await running.value
            throw EventsEnded()
        }
        return (server, running, port)
    }

    deinit { Watchdog.shared.ended(watched) }

    func stop() async throws {
        await server.stop()
        try await running.value
    }

    /// A token signed with ES256.
    func token(
        _ user: String? = "ana", permissions: String = #""all""#, id: String = UUID().uuidString, more: String = ""
    ) throws -> String {
        let user = user.map { #","user_id":"\#($0)","creator_name":"\#($0)""# } ?? ""
        return try sign(
            #"{"document_id":"doc","layer":"review","permissions":\#(permissions),"jti":"\#(id)","exp":4000000000\#(user)\#(more)}"#
        )
    }

    /// A token with these claims and the required ones.
    func token(_ claims: JSONObject) throws -> String {
        var claims = claims
        claims["document_id"] = "doc"
        claims["layer"] = "review"
        claims["exp"] = 4_000_000_000
        return try sign(JSON.object(claims).text)
    }

    private func sign(_ payload: String) throws -> String {
        let text = [#"{"alg":"ES256","typ":"JWT"}"#, payload].map(Self.base64URL).joined(separator: ".")
        let signature = try key.signature(for: Data(text.utf8))
        return text + "." + Self.base64URL(signature.rawRepresentation)
    }

    /// Pushes changes without a permission check on the client.
    func push(_ jwt: String, client: String, _ changes: [Change]) async throws -> [ChangeResult] {
        let request = PushRequest(clientID: client, acked: 0, cursor: nil, changes: changes)
        let answer = try await exchange(
            "POST", "/instant/v1/changes", "Bearer \(jwt)", "application/json", request.bytes)
        return try PushAnswer(bytes: answer).results
    }

    func upload(_ pdf: [UInt8]) async throws {
        try await send("POST", "/api/documents?document_id=doc&title=A%20paper", "application/pdf", pdf)
    }

    func revoke(_ jwt: String) async throws {
        try await send("POST", "/api/revoke", "application/json", Array(#"{"jwts":["\#(jwt)"]}"#.utf8))
    }

    /// A record as this token sees it.
    func record(_ id: Record.ID, as jwt: String) async throws -> (record: Record, revision: Revision)? {
        let answer = try await exchange("GET", "/instant/v1/records", "Bearer \(jwt)", "application/json", [])
        for case .record(let record, let revision) in try SnapshotPage(bytes: answer).records where record.id == id {
            return (record, revision)
        }
        return nil
    }

    private func send(_ method: String, _ path: String, _ type: String, _ body: [UInt8]) async throws {
        _ = try await exchange(method, path, #"Token token="secret""#, type, body)
    }

    private func exchange(
        _ method: String, _ path: String, _ authorization: String, _ type: String, _ body: [UInt8]
    ) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: url.absoluteString + path)
        request.method = .init(rawValue: method)
        request.headers.add(name: "authorization", value: authorization)
        request.headers.add(name: "content-type", value: type)
        request.body = .bytes(body)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 1 << 20)
        guard response.status.code == 200 else {
            throw InstantError(.requestFailed, "\(response.status): \(String(buffer: answer))")
        }
        return Array(answer.readableBytesView)
    }

    private static func base64URL(_ text: String) -> String { base64URL(Data(text.utf8)) }
    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// A person with their own client and data folder.
struct Person {
    let folder: TemporaryFolder
    let client: InstantClient
    let descriptor: InstantDocumentDescriptor

    /// Joins and waits until the client is live with everything downloaded.
    ///
    /// - Parameter url: The address of a proxy between client and server.
    init(
        _ server: LiveServer, _ jwt: String, folder: TemporaryFolder? = nil, through url: URL? = nil,
        environment: Environment = .system
    ) async throws {
        self.folder = try folder ?? TemporaryFolder()
        client = try InstantClient(
            serverURL: url ?? server.url, dataDirectory: self.folder.url, environment: environment)
        descriptor = try client.documentDescriptor(forJWT: jwt)
        descriptor.delayForSyncingLocalChanges = .zero
        descriptor.startListeningForServerChanges()
        let events = descriptor.events
        if descriptor.isDownloaded {
            descriptor.reauthenticate(withJWT: jwt)
            try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        } else {
            try descriptor.download(usingJWT: jwt)
            try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        }
    }

    /// Waits for a state of the layer, checking it at each event.
    func see(_ isSo: @escaping () throws -> Bool) async throws {
        let events = descriptor.events
        if try isSo() { return }
        try await limited("the layer is in the expected state", seconds: 600) {
            for await _ in events where try isSo() { return }
            throw EventsEnded()
        }
    }

    func texts() throws -> [String] {
        try descriptor.layer.rows(ListQuery(), offset: 0, limit: 100).map(\.text).sorted()
    }
}

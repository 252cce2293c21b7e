import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import SyncProtocol
import Testing

@testable import DocumentEngine

@Suite(.timeLimit(.minutes(15))) struct TLSTests {
    private static func run(_ body: (RunningServer) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run {
            $0.tls = try TLSTestKey.files(in: folder)
        } _: {
            try await body($0)
        }
    }

    private static func client(_ change: (inout TLSConfiguration) throws -> Void) throws -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: Array(TLSTestKey.certificatePEM.utf8), format: .pem)
        ])
        try change(&tls)
        configuration.tlsConfiguration = tls
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    @Test func whoTrustsTheCertificateIsServed() async throws {
        try await Self.run { server in
            let client = try Self.client { _ in }
            let answer = try await client.execute(
                HTTPClientRequest(url: "https://127.0.0.1:\(server.port)/healthcheck"), timeout: .seconds(30))
            #expect(answer.status == .ok)
            // A browser that connected once uses https only from then on.
            #expect(answer.headers.first(name: "Strict-Transport-Security") == "max-age=31536000")
            try await client.shutdown()
        }
    }

    @Test func whoListensHears() async throws {
        try await Self.run { server in
            let client = try Self.client { _ in }
            let address = "https://127.0.0.1:\(server.port)"
            let token = try server.mint.token(TokenClaims())
            func request(
                _ method: HTTPMethod, _ path: String, _ authorization: String, _ body: [UInt8] = []
            ) async throws -> HTTPClientResponse {
                var request = HTTPClientRequest(url: address + path)
                request.method = method
                request.headers = ["Authorization": authorization, "Content-Type": "application/pdf"]
                if !body.isEmpty { request.body = .bytes(body) }
                return try await client.execute(request, timeout: .seconds(60))
            }
            let secret = #"Token token="\#(RunningServer.secret)""#
            let made = try await request(.POST, "/api/documents?document_id=doc", secret, Samples.pdf)
            #expect(made.status == .ok)
            var events = try await request(.GET, "/instant/v1/events", "Bearer " + token).body.makeAsyncIterator()
            var heard = ""
            while !heard.contains(#""open""#), let piece = try await events.next() { heard += String(buffer: piece) }
            for n in Int64(1)...3 {
                let push = PushRequest(clientID: "c", acked: 0, cursor: nil, changes: [Samples.create(n, "n\(n)")])
                #expect(try await request(.POST, "/instant/v1/changes", "Bearer " + token, push.bytes).status == .ok)
                while !heard.contains("\"n\(n)\""), let piece = try await events.next() {
                    heard += String(buffer: piece)
                }
            }
            await server.server.stop()
            while let piece = try await events.next() { heard += String(buffer: piece) }
            #expect(heard.contains(#""closing""#), "\(heard)")
            try await client.shutdown()
        }
    }

    @Test func nobodyElseIs() async throws {
        try await Self.run { server in
            let address = "127.0.0.1:\(server.port)/healthcheck"
            let old = try Self.client { $0.maximumTLSVersion = .tlsv11 }
            let strange = try Self.client { $0.trustRoots = .certificates([]) }
            for client in [old, strange] {
                await #expect(throws: (any Error).self) {
                    try await client.execute(HTTPClientRequest(url: "https://" + address), timeout: .seconds(30))
                }
                try await client.shutdown()
            }
            await #expect(throws: (any Error).self) { try await server.send("GET", "/healthcheck") }
        }
    }

    @Test func filesThatAreNoneAreToldBeforeAnythingListens() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/cert.pem"
        #expect(throws: (any Error).self) { try Server.TLS(certificate: path, key: path).check() }
        try Data(TLSTestKey.certificatePEM.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: (any Error).self) { try Server.TLS(certificate: path, key: path).check() }
    }
}

import AsyncHTTPClient
import InstantCore
import SyncProtocol
import Testing

@testable import Instant

@Suite struct OneWriteTests {
    /// Head and body of a push wake the server once.
    @Test func aRequestComesInOnePiece() async throws {
        let server = try FakeServer { _ in .json(PushAnswer(results: [], delta: nil).bytes) }
        let http = HTTPTransport.makeHTTPClient()
        let address = try ServerAddress(server.url)
        let transport = HTTPTransport(http: http, lines: Lines(address), address: address)
        let push = PushRequest(clientID: "client", acked: 0, cursor: nil, changes: [])
        for _ in 0..<20 {
            #expect(try await transport.send(.push(push), token: "t") == .push(PushAnswer(results: [], delta: nil)))
        }
        try await http.shutdown()
        #expect(server.requests.map(\.pieces) == Array(repeating: 1, count: 20))
        #expect(server.requests.allSatisfy { $0.body == push.bytes })
    }
}

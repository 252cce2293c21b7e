import Annotations
import EngineCore
import Postgres
import PostgresSupport
import SyncProtocol
import TestThreads
import Testing

/// Concurrent copies and deletions on two servers that share a database do not deadlock.
@Suite("Copies on two servers", .serialized, .onDatabaseThreads, .timeLimit(.minutes(15))) struct CopyPairTests {
    private static let count = 600

    private func fill(_ server: RunningServer, _ document: String, _ layer: String) async throws {
        let ana = try server.mint.token(TokenClaims(document: document, layer: layer))
        let changes = (1...Int64(Self.count)).map { Samples.create($0, "r\($0)") }
        #expect(try await server.push(ana, client: layer, changes).status == 200)
    }

    private func copy(_ server: RunningServer, _ source: String, to layer: String) async throws -> Int {
        try await server.backend(
            "POST", "/api/documents/doc/layers", json: #"{"name":"\#(layer)","source_layer_name":"\#(source)"}"#
        ).status
    }

    private func copyDocument(_ server: RunningServer, _ source: String, to id: String) async throws -> Int {
        try await server.backend(
            "POST", "/api/copy_document", json: #"{"document_id":"\#(source)","new_document_id":"\#(id)"}"#
        ).status
    }

    private func isEmpty(_ address: PostgresAddress) throws -> Bool {
        let store = try PostgresStore(address, patience: .seconds(60))
        defer { store.close() }
        return try store.read { store in
            try store.hiddenLayers().isEmpty && store.unusedBases(before: TestClock.start + 1).isEmpty
        }
    }

    @Test func layersAreCopiedInOppositeDirections() async throws {
        let address = try TestDatabase().address
        try await Pair.run(on: address) { pair in
            try await pair.one.upload()
            for layer in ["a", "b"] { try await fill(pair.one, "doc", layer) }
            for round in 0..<4 {
                async let here = copy(pair.one, "a", to: "b\(round)")
                async let there = copy(pair.other, "b", to: "a\(round)")
                #expect(try await [here, there] == [200, 200])
            }
            // Both request the same name: the later one fails.
            async let here = copy(pair.one, "a", to: "same")
            async let there = copy(pair.other, "b", to: "same")
            #expect(try await [here, there].sorted() == [200, 400])
        }
        #expect(try isEmpty(address))
    }

    @Test func documentsAreCopiedInOppositeDirectionsAndDeletedMeanwhile() async throws {
        let address = try TestDatabase().address
        try await Pair.run(on: address) { pair in
            for document in ["one", "two"] {
                try await pair.one.upload(document)
                try await fill(pair.one, document, "review")
            }
            for round in 0..<4 {
                async let here = copyDocument(pair.one, "one", to: "two\(round)")
                async let there = copyDocument(pair.other, "two", to: "one\(round)")
                #expect(try await [here, there] == [200, 200])
            }
            for round in 0..<4 {
                async let copied = copyDocument(pair.one, "one\(round)", to: "copy\(round)")
                async let deleted = pair.other.backend("DELETE", "/api/documents/one\(round)").status
                let (answer, status) = try await (copied, deleted)
                #expect(status == 200)
                #expect(answer == 200 || answer == 404, "\(answer)")
                let layers = try await pair.one.backend("GET", "/api/documents/copy\(round)/layers")
                #expect(layers.status == answer, "complete or absent")
            }
            try await pair.one.server.tidy()
        }
        #expect(try isEmpty(address))
    }
}

import Annotations
import EngineCore
import Postgres
import SyncProtocol
import Synchronization
import Testing

@testable import DocumentEngine

/// Copies, stores and deletes layers and documents with more records than one transaction takes, while other clients
/// work.
@Suite("Large copies", .timeLimit(.minutes(15))) struct LargeCopyTests {
    private static let count = 1_100

    /// Fills the layer `review` of the document `doc`.
    private func fill(_ server: RunningServer) async throws -> String {
        try await server.upload()
        let ana = try server.mint.token(TokenClaims())
        for start in stride(from: Int64(0), to: Int64(Self.count), by: 550) {
            let changes = (start + 1...start + 550).map { Samples.create($0, "r\($0)") }
            #expect(try await server.push(ana, client: "filler", acked: start, changes).status == 200)
        }
        return ana
    }

    /// The ids of a layer's annotations; empty without a layer.
    private func ids(_ server: RunningServer, _ path: String) async throws -> [String] {
        let answer = try await server.backend(
            "GET", "/api/documents/\(path)/annotations", headers: [("Accept", "application/x-ndjson")])
        guard answer.status == 200 else { return [] }
        return answer.text.split(separator: "\n").compactMap { (try? JSON(parsing: String($0)))?["id"]?.string }
    }

    private func names(_ server: RunningServer, _ document: String = "doc") async throws -> [String] {
        try await server.backend("GET", "/api/documents/\(document)/layers").json["data"]?.array?
            .compactMap(\.string) ?? []
    }

    @Test(arguments: [false, true]) func aCopyIsOneOfTheStatesOfItsSource(_ isDocument: Bool) async throws {
        try await RunningServer.run { server in
            let ana = try await fill(server)
            let isOver = Flag()
            let copy = isDocument ? "copy/layers/review" : "doc/layers/copy"
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let answer =
                        try await isDocument
                        ? server.backend(
                            "POST", "/api/copy_document", json: #"{"document_id":"doc","new_document_id":"copy"}"#)
                        : server.backend(
                            "POST", "/api/documents/doc/layers",
                            json: #"{"name":"copy","source_layer_name":"review"}"#)
                    isOver.set()
                    #expect(answer.status == 200, "\(answer.text)")
                }
                group.addTask {
                    // Each push has two records: every state contains both or neither, and all earlier ones.
                    var pushes: Int64 = 0
                    repeat {
                        pushes += 1
                        let pair = [
                            Samples.create(2 * pushes - 1, "a\(pushes)"), Samples.create(2 * pushes, "b\(pushes)"),
                        ]
                        let answer = try await server.push(ana, client: "writer", acked: 2 * pushes - 2, pair)
                        #expect(answer.status == 200, "\(answer.text)")
                        let names = try await names(server)
                        #expect(names == ["review"] || names == ["copy", "review"], "\(names)")
                        let found = try await ids(server, copy).count
                        #expect(found == 0 || found >= Self.count + 2, "no partial copy is visible")
                    } while !isOver.isSet
                }
                try await group.waitForAll()
            }
            let found = try await ids(server, copy)
            let written = Set(found).subtracting((1...Self.count).map { "r\($0)" })
            #expect(found.count - written.count == Self.count, "every record from before the copy")
            let pushes = (written.count - 2) / 2
            #expect(written == Set(["6", "7"] + (0..<pushes).flatMap { ["a\($0 + 1)", "b\($0 + 1)"] }))
        }
    }

    /// A copy as a server leaves it when killed during copying.
    @Test func aCopyThatWasCutOffIsSeenByNobodyAndRemovedADayLater() async throws {
        let place = Mutex<(folder: String, postgres: PostgresAddress?)>(("", nil))
        try await RunningServer.run { options in
            let found = (options.dataFolder, options.postgres)
            place.withLock { $0 = found }
        } _: { server in
            _ = try await fill(server)
            let store: any LayerStore
            let (folder, address) = place.withLock { $0 }
            if let address {
                store = try PostgresStore(address, patience: .seconds(60))
            } else {
                store = try SQLiteStore(path: folder + "/postilla.sqlite")
            }
            let now = server.clock.now
            let copy = try store.read { store in
                try StagedCopy(ofLayer: "review", to: LayerKey(document: "doc", name: "copy"), in: store, now: now)
            }
            let next = try store.read { store in try copy.next(in: store) }
            let piece = try #require(next)
            let hidden = try store.write { store in
                var (copy, random) = (copy, SystemRandomNumberGenerator())
                try copy.write(piece, in: store, using: &random)
                try store.add([Record(id: "9", content: Samples.note("left"))], toBase: try store.addBase(at: now))
                return try store.hiddenLayers()
            }
            #expect(hidden.count == 1)
            #expect(try await names(server) == ["review"])
            for key in hidden.map(\.key) {
                let path = "doc/layers/" + key.name.replacing("*", with: "%2A")
                #expect(try await ids(server, path).isEmpty)
                #expect(try await server.backend("DELETE", "/api/documents/" + path).status == 404)
                let token = try server.mint.token(TokenClaims(layer: key.name))
                #expect(try await server.client(token, "GET", "records").status >= 400)
            }
            try await server.server.tidy()
            #expect(try store.read { try $0.hiddenLayers() } == hidden, "another server may still be working on it")
            server.clock.advance(seconds: 86_401)
            try await server.server.tidy()
            #expect(try store.read { try $0.hiddenLayers() }.isEmpty)
            #expect(try store.read { try $0.unusedBases(before: now + 1) }.isEmpty)
            #expect(try await ids(server, "doc/layers/review").count == Self.count + 2)
        }
    }

    @Test func aTokenThatNamesTheCopyBeforeItIsThereMakesALayerOfItsOwn() async throws {
        try await RunningServer.run { server in
            _ = try await fill(server)
            _ = try await server.session(server.mint.token(TokenClaims(layer: "copy")))
            let answer = try await server.backend(
                "POST", "/api/documents/doc/layers", json: #"{"name":"copy","source_layer_name":"review"}"#)
            #expect((answer.status, answer.reason) == (400, "already_exists"))
            #expect(try await ids(server, "doc/layers/copy") == ["6", "7"])
        }
    }

    @Test func aLargeLayerThatIsDeletedIsMadeAnewAtOnce() async throws {
        try await RunningServer.run { server in
            _ = try await fill(server)
            #expect(try await server.backend("DELETE", "/api/documents/doc/layers/review").status == 200)
            #expect(try await names(server).isEmpty)
            let made = try await server.backend("POST", "/api/documents/doc/layers", json: #"{"name":"review"}"#)
            #expect(made.status == 200)
            #expect(try await ids(server, "doc/layers/review") == ["6", "7"])
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 200)
            try await server.upload()
            #expect(try await names(server).isEmpty)
        }
    }

    /// The PDF contains more annotations than one transaction takes.
    @Test func aDocumentWithManyAnnotationsIsStoredWholeAndReplaced() async throws {
        try await RunningServer.run { server in
            func upload(_ count: Int) async throws -> RunningServer.Answer {
                let notes = (0..<count).map {
                    #"{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":"x","id":"n\#($0)"}"#
                }
                let file =
                    #"{"format":"https://pspdfkit.com/instant-json/v1","annotations":[\#(notes.joined(separator: ","))]}"#
                return try await server.backend(
                    Form([
                        ("file", "a.pdf", Samples.pdf), ("document_id", nil, Array("doc".utf8)),
                        ("overwrite_existing_document", nil, Array("true".utf8)),
                        ("attachment", "a.json", Array(file.utf8)),
                    ]))
            }
            for count in [Self.count, 500, 501, 3] {
                let answer = try await upload(count)
                #expect(answer.json["data"]?["errors"]?.array?.isEmpty == true, "\(answer.text)")
                #expect(try await ids(server, "doc").count == count)
            }
        }
    }
}

/// A flag that one task sets and another reads.
private final class Flag: Sendable {
    private let state = Atomic(false)

    func set() { state.store(true, ordering: .sequentiallyConsistent) }

    var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }
}

import Annotations
import Authorization
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// A signed token that names a layer creates it, but a token from before its deletion does not create it again.
@Suite("Layers that tokens create") struct LayersTests {
    private let world: World

    init() throws { world = try World() }

    private func open(_ name: String, document: String = "doc", issued: Timestamp? = World.now) throws -> ServerLayer {
        var grant = World.grant()
        (grant.documentID, grant.layer) = (document, name)
        let wanted = grant
        return try world.store.write { store in
            var random = SeededRandom(seed: 7)
            return try Layers.open(wanted, issuedAt: issued, in: store, using: &random)
        }
    }

    @Test func theFirstTokenMakesItTheNextFindsIt() throws {
        let made = try open("new")
        #expect(try open("new") == made)
        #expect(made.generation.count == 16)
        #expect(throws: APIError(.documentNotFound, "the token's document does not exist")) {
            try open("new", document: "none")
        }
    }

    @Test(arguments: [(-1, false), (0, false), (1, true), (nil, false)] as [(Int64?, Bool)])
    func aDeletedLayerComesBackByAYoungerTokenOnly(_ after: Int64?, _ isMade: Bool) throws {
        let layer = try open("gone")
        try world.store.write { try $0.removeLayer(layer, at: World.now) }
        let issued = after.map { World.now + $0 }
        if isMade {
            #expect(try open("gone", issued: issued).id != layer.id)
        } else {
            #expect(throws: APIError.self) { try open("gone", issued: issued) }
            #expect(try world.store.read { try $0.layer(layer.key) } == nil)
        }
    }

    @Test(arguments: [
        "a*b", "a\u{0}b", "a\nb", "a\u{9B}b", "a\u{202E}b", "a\u{2028}b", "a\u{200B}b",
        String(repeating: "x", count: 257),
    ])
    func aNameThatIsNoneMakesNothing(_ name: String) throws {
        #expect(throws: APIError.self) { try open(name) }
    }
}

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

    @Test func aRestoredLayerNamesItsEarlierGenerations() throws {
        func lineage(_ layer: ServerLayer) throws -> [LineageEntry] {
            try world.store.read { try Layers.lineage(of: layer, in: $0) }
        }
        let made = try open("new")
        #expect(try lineage(made) == [])
        var random = SeededRandom(seed: 8)
        for n in 1...2 {
            try world.store.write { store in
                try store.setHead(Revision(10 * n), of: try #require(try store.layer(made.key)))
                try Layers.renew(in: store, at: World.now + Int64(n), using: &random)
            }
        }
        let found = try lineage(made)
        #expect(found.map(\.head) == [10, 20] && found.map(\.at) == [World.now + 1, World.now + 2])
        #expect(found[0].generation == made.generation && found.allSatisfy { $0.ending == .restored })
        #expect(found[1].generation != made.generation)
        // Nothing is left of it in the layer that has its name now.
        try world.store.write { try $0.removeLayer(made, at: World.now + 3) }
        let again = try open("new", issued: World.now + 4)
        let deleted = LineageEntry(generation: nil, head: 0, at: World.now + 3, ending: .recreated)
        #expect(try lineage(again) == [deleted])
    }

    @Test(arguments: [(-1, false), (0, false), (1, true), (nil, false)] as [(Int64?, Bool)])
    func aDocumentThatWasMadeAgainOpensToAYoungerTokenOnly(_ after: Int64?, _ isOpen: Bool) throws {
        let issued = after.map { World.now + $0 }
        let world = try World()
        try world.store.write { store in
            let document = try #require(try store.document("doc"))
            try store.removeDocument("doc", at: World.now)
            try store.put(document)
        }
        var grant = World.grant()
        // No layer of this name was deleted.
        grant.layer = "new"
        let wanted = grant
        let found = Result { try world.store.read { try Layers.find(wanted, issuedAt: issued, in: $0) } }
        if isOpen {
            #expect(try found.get() == nil)
        } else {
            #expect(throws: APIError.self) { try found.get() }
        }
    }

    /// It does not matter that something of the name exists, nor who created it.
    @Test(arguments: [(-1, false), (0, false), (1, true), (nil, false)] as [(Int64?, Bool)])
    func whatHasTheNameNowOpensToAYoungerTokenOnly(_ after: Int64?, _ isOpen: Bool) throws {
        let issued = after.map { World.now + $0 }
        for deleted in [LayerKey.whole("doc"), LayerKey(document: "doc", name: "again")] {
            let world = try World()
            let key = LayerKey(document: "doc", name: "again")
            try world.store.write { store in
                var random = SeededRandom(seed: 7)
                let layer = try Layers.make(key, in: store, using: &random)
                let document = try #require(try store.document("doc"))
                if deleted.isHidden {
                    try store.removeDocument("doc", at: World.now)
                    try store.put(document)
                } else {
                    try store.removeLayer(layer, at: World.now)
                }
                _ = try Layers.make(key, in: store, using: &random)
            }
            var grant = World.grant()
            grant.layer = key.name
            let wanted = grant
            let found = Result { try world.store.read { try Layers.find(wanted, issuedAt: issued, in: $0)?.key } }
            if isOpen {
                #expect(try found.get() == key)
            } else {
                let refusal = #expect(throws: APIError.self) { try found.get() }
                #expect(
                    refusal?.reason == .layerDeleted && refusal?.description.contains("issue a token with iat") == true)
            }
        }
    }

    /// A token is later than a deletion from the next second on.
    @Test(
        arguments: [(0, 0, 1000), (0, 999, 1), (0, 1000, 0), (999, 999, 1), (999, 1001, 0), (5000, 0, 1000)]
            as [(Int64, Int64, Int64)])
    func tokensAreLaterFromTheNextSecondOn(_ deleted: Int64, _ now: Int64, _ wait: Int64) throws {
        try world.store.write { try $0.noteDeletion(of: .whole("doc"), at: World.now + deleted) }
        let (key, moment) = (LayerKey(document: "doc", name: "x"), World.now + now)
        #expect(try world.store.read { try Layers.timeUntilTokens(for: key, in: $0, now: moment) } == wait)
        let other = LayerKey(document: "other", name: "x")
        #expect(try world.store.read { try Layers.timeUntilTokens(for: other, in: $0, now: moment) } == 0)
    }

    @Test(arguments: [
        "a*b", "a\u{0}b", "a\nb", "a\u{9B}b", "a\u{202E}b", "a\u{2028}b", "a\u{200B}b",
        String(repeating: "x", count: 257),
    ])
    func aNameThatIsNoneMakesNothing(_ name: String) throws {
        #expect(throws: APIError.self) { try open(name) }
    }
}

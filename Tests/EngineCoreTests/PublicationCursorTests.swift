import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Testing

/// What can be published at once and what must be read first, when several servers write to one store.
@Suite("Publication order") struct PublicationCursorTests {
    private let world: World
    init() throws { world = try World() }

    private func commit(_ id: String) throws -> Commit {
        try world.push(.create, id, group: nil, World.note("words"))
        return try #require(world.commits.last)
    }

    @Test func whatFollowsOnIsToldAtOnce() throws {
        var feed = PublicationCursor()
        feed.join(try world.layer)
        let (a, b) = (try commit("a"), try commit("b"))
        #expect(feed.take(a) == .publish)
        #expect(feed.take(b) == .publish)
        #expect(feed.take(a) == .nothing, "already published")
    }

    @Test func aGapIsReadFirst() throws {
        var feed = PublicationCursor()
        let told = try world.layer
        feed.join(told)
        // The first commit is another server's, whose notification has not arrived yet.
        let (_, mine) = (try commit("a"), try commit("b"))
        #expect(feed.take(mine) == .look)
        let finding = try world.store.read { try CatchUp.read([told], in: $0)[0] }
        guard case .changed(let both) = finding else { throw Unexpected(finding: finding) }
        #expect((both.before, both.layer.head) == (0, 2))
        #expect(both.records.map(\.id) == ["a", "b"])
        #expect(feed.take(both) == .publish)
        #expect(feed.take(mine) == .nothing)
        #expect(feed.take(try commit("c")) == .publish)
    }

    @Test func whereNobodyListensNothingIsKept() throws {
        var feed = PublicationCursor()
        let layer = try world.layer
        #expect(feed.take(try commit("a")) == .nothing)
        feed.join(layer)
        feed.join(layer)
        feed.leave(layer.id)
        #expect(feed.layers == [layer])
        #expect(feed.layer(layer.id, ifBehind: 1) == layer)
        #expect(feed.layer(layer.id, ifBehind: 0) == nil)
        feed.leave(layer.id)
        #expect(feed.layers.isEmpty)
        #expect(feed.layer(layer.id, ifBehind: 1) == nil)
    }

    @Test func alsoWhatLeftSightIsFound() throws {
        try world.push(.create, "a", group: "crew", World.note("words"))
        let told = try world.layer
        try world.push(.update, "a", group: "other", World.note("words"))
        let finding = try world.store.read { try CatchUp.read([told], in: $0)[0] }
        guard case .changed(let commit) = finding else { throw Unexpected(finding: finding) }
        let crew = World.grant("guest", ["annotations:view:group=crew"]).viewScope
        #expect(commit.records.compactMap { crew.item($0, departures: commit.departures) } == [.removed("a", 2)])
    }

    @Test func aLayerThatIsNoLongerTheSameEnds() throws {
        let told = try world.layer
        func ended() throws -> SessionEvent.Kind? {
            let finding = try world.store.read { try CatchUp.read([told], in: $0)[0] }
            return if case .ended(let event) = finding { event.kind } else { nil }
        }
        #expect(try ended() == nil)
        try world.store.write { try $0.renew(told, generation: "another", at: World.now) }
        #expect(try ended() == .behind)
        try world.store.write { try $0.removeLayer(told, at: World.now) }
        #expect(try ended() == .lost)
        _ = try world.store.write { try $0.addLayer(told.key, generation: "again") }
        #expect(try ended() == .lost)
    }

    private struct Unexpected: Error { var finding: CatchUp }
}

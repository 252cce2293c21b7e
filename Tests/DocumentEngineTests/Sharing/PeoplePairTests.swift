import Annotations
import EngineCore
import PostgresSupport
import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

/// Participants at two servers on one database see each other.
@Suite("People at two servers", .serialized, .onDatabaseThreads, .timeLimit(.minutes(15))) struct PeoplePairTests {
    private func sign(_ session: String, _ page: Int, record: String? = nil, presents: Bool = false) -> PresenceSign {
        PresenceSign(
            session: session, whereabouts: Location(pageIndex: page, record: record), isPresenting: presents)
    }

    @Test func theyComeMoveAndLeaveOnBoth() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims())
            let guest = try pair.one.mint.token(
                TokenClaims(user: "guest", collaboration: ["annotations:view:group=open"]))
            _ = try await pair.one.push(ana, [Samples.create(1, "hidden", group: "secret")])
            var all = try await EventReader(pair.other, ana)
            var some = try await EventReader(pair.other, guest)
            #expect(try await all.presence()?.people == [])
            #expect(try await some.presence()?.people == [])
            let here: PresenceAnswer = try await pair.one.announce(ana, sign("a", 3, record: "hidden")).message()
            let seen = try #require(try await all.presence()?.people.first)
            #expect((seen.id, seen.userID, seen.whereabouts.pageIndex) == (here.id, "ana", 3))
            #expect(seen.whereabouts.record == "hidden", "looked up at the other server too")
            let hidden = try #require(try await some.presence()?.people.first)
            #expect(hidden.id == here.id && hidden.whereabouts.record == nil)
            _ = try await pair.one.announce(ana, PresenceSign(session: "a", hasLeft: true))
            #expect(try await all.presence()?.left == [hidden.id])
            #expect(try await some.presence()?.left == [hidden.id])
        }
    }

    @Test func onePresentsOnBoth() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims())
            let bo = try pair.one.mint.token(TokenClaims(user: "bo"))
            var events = try await EventReader(pair.other, bo)
            #expect(try await events.presence()?.people == [])
            let first: PresenceAnswer = try await pair.one.announce(ana, sign("a", 1, presents: true)).message()
            #expect(try await events.presence()?.people.first?.isPresenting == true)
            let second: PresenceAnswer = try await pair.other.announce(bo, sign("b", 2, presents: true)).message()
            #expect((first.presenter, second.presenter) == (first.id, first.id))
        }
    }

    /// A server that starts, or that was disconnected from the others, requests the current participants.
    @Test func aServerThatComesLaterHearsOfThoseWhoAreThere() async throws {
        let address = try TestDatabase().address
        let change = { (options: inout Server.Options) in options.postgres = address }
        try await RunningServer.run(change) { first in
            try await first.upload()
            let ana = try first.mint.token(TokenClaims())
            _ = try await first.announce(ana, sign("a", 3))
            try await RunningServer.run(clock: first.clock, change) { second in
                var events = try await EventReader(second, ana)
                var people: [PresentPerson] = []
                while people.isEmpty { people = try #require(try await events.presence()).people }
                #expect(people.map(\.userID) == ["ana"])
            }
        }
    }

    // MARK: Messages

    private func peer(_ n: Int, name: String? = nil, user: String? = nil, rects: Int = 0) -> PeerPerson {
        let rect = Rect(left: 123.456, top: 234.567, width: 345.678, height: 12.345)
        let area = PageArea(pageIndex: n, rects: Array(repeating: rect, count: rects))
        return PeerPerson(
            layer: Int64(n),
            person: PresentPerson(
                id: "n1-\(n)", userID: user, name: name,
                whereabouts: Location(pageIndex: n, selection: rects > 0 ? [area] : [], record: "r\(n)")),
            presentingSince: n % 2 == 0 ? Timestamp(seconds: 7) : nil)
    }

    @Test func aCrowdIsToldInNoticesThatFit() throws {
        let people = (0..<300).map { peer($0, name: "Ana", user: "ana", rects: $0 % 60) }
        let left = (0..<300).map { Presence.ParticipantKey(layer: Int64($0), id: "n1-\($0)") }
        let notices = PresenceMessage.pack(people, left: left)
        #expect(notices.count > 10)
        var (told, gone): ([PeerPerson], [Presence.ParticipantKey]) = ([], [])
        for notice in notices {
            let text = ClusterMessage.people(notice).text
            #expect(text.utf8.count < 8_000)
            guard case .people(let again)? = ClusterMessage(text) else {
                Issue.record("\(text)")
                return
            }
            told += again.people
            gone += again.left
        }
        #expect(told == people && gone == left)
        #expect(PresenceMessage.pack([], left: []).isEmpty)
    }

    @Test func whoDoesNotFitIsToldWithLess() throws {
        let hostile = String(repeating: "\u{1}", count: 1024)
        func fitting(_ person: PeerPerson) -> PresentPerson? {
            PresenceMessage.pack([person], left: []).first?.people.first?.person
        }
        let marked = try #require(fitting(peer(1, user: hostile, rects: 100)))
        #expect(marked.whereabouts.selection.isEmpty && marked.userID == hostile)
        let named = try #require(fitting(peer(1, name: hostile, user: hostile)))
        #expect(named.name == nil && named.userID == hostile)
    }

    @Test(
        arguments: [
            "people ", "people {", "people []", #"people {"people":[{}]}"#, #"people {"left":[{"layer":1}]}"#,
            #"people {"people":[{"layer":1}]}"#, #"people {"left":[]}x"#, "peoples {}",
        ])
    func anythingElseIsPassedOver(_ text: String) { #expect(ClusterMessage(text) == nil) }
}

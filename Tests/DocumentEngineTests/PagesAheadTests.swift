import Annotations
import Authorization
import SyncProtocol
import TestSupport
import Testing

/// A large layer is loaded page after page, and the server reads ahead of who loads it. Nobody can tell by what he gets.
@Suite("Pages read ahead", .timeLimit(.minutes(15))) struct PagesAheadTests {
    private static let ids = (0..<30).map { "n\($0 + 10)" }

    @Test func pagesInARowAreThoseOfOneReading() async throws {
        try await Self.run { server, token in
            let whole: SnapshotPage = try await server.client(token, "GET", "records").message()
            #expect(whole.records.map(\.id) == ["6", "7"] + Self.ids)
            for limit in [1, 4, 31, 32] {
                var page = try await Self.page(server, token, limit: limit)
                var records = page.records
                while page.next != nil {
                    page = try await Self.page(server, token, limit: limit, behind: page)
                    #expect((1...limit).contains(page.records.count))
                    records += page.records
                }
                #expect(records == whole.records, "\(limit) a page")
            }
            while server.server.pagesAhead > 0 { await Task.yield() }
        }
    }

    @Test func twoPagesAreReadAhead() async throws {
        try await Self.run { server, token in
            var page = try await Self.page(server, token)
            for _ in 0..<2 {
                while server.server.pagesAhead < 2 { await Task.yield() }
                page = try await Self.page(server, token, behind: page)
            }
            while server.server.pagesAhead < 2 { await Task.yield() }
            #expect(server.server.pagesAhead == 2)
        }
    }

    @Test func aPageThatWasReadBeforeAWriteIsReadAgain() async throws {
        try await Self.run { server, token in
            let page = try await Self.page(server, token)
            while server.server.pagesAhead < 2 { await Task.yield() }
            let change = Change(
                n: 31, kind: .update, id: Self.ids[3], baseRevision: 4, content: Samples.note("changed since"))
            let answer: PushAnswer = try await server.push(token, [change]).message()
            #expect(answer.results.map(\.status) == [.applied])
            let next = try await Self.page(server, token, behind: page)
            #expect(next.at == page.at)
            let found = next.records.compactMap { item -> String? in
                guard case .record(let record, _) = item, record.id == Self.ids[3] else { return nil }
                return record.content["text"]?.text
            }
            #expect(found.count == 1 && found[0].contains("changed since"))
        }
    }

    /// A page that is taken while it is being read may turn out to be of another state: that is nobody's fault.
    @Test func writesMeanwhileStopNobody() async throws {
        try await Self.run { server, token in
            let writes = Task {
                for n in Int64(31)..<431 {
                    let change = Change(
                        n: n, kind: .update, id: Self.ids[3], baseRevision: n == 31 ? 4 : n - 1,
                        content: Samples.note("\(n)"))
                    let answer: PushAnswer = try await server.push(token, [change]).message()
                    #expect(answer.results.map(\.status) == [.applied])
                }
            }
            var at = Revision(0)
            while at < 430 {
                var page = try await Self.page(server, token, limit: 1)
                at = page.at
                var ids = page.records.map(\.id)
                while page.next != nil {
                    page = try await Self.page(server, token, limit: 1, behind: page)
                    ids += page.records.map(\.id)
                }
                #expect(ids == ["6", "7"] + Self.ids)
            }
            try await writes.value
        }
    }

    @Test func whoSeesLessGetsNothingThatWasReadForAnother() async throws {
        try await Self.run { server, token in
            let page = try await Self.page(server, token)
            while server.server.pagesAhead < 2 { await Task.yield() }
            let own = try server.mint.token(
                TokenClaims(user: "bo", collaboration: ["annotations:view:self", "annotations:edit:self"]))
            let start = try await server.session(own)
            let path = "records?limit=5&after=\(page.next ?? "")&at=\(page.at)&epoch="
            let seen: SnapshotPage = try await server.client(own, "GET", path + start.epoch).message()
            #expect(seen.records.isEmpty)
            let refused = try await server.client(own, "GET", path + page.epoch)
            #expect(refused.status == 410)
            // Without the right to read, or with a revoked token, there is not even a question.
            let none = try server.mint.token(TokenClaims(permissions: #"["write"]"#))
            #expect(try await server.client(none, "GET", path + page.epoch).status == 403)
        }
    }

    @Test func whatNobodyComesForIsForgotten() async throws {
        try await Self.run { server, token in
            _ = try await Self.page(server, token)
            while server.server.pagesAhead < 2 { await Task.yield() }
            server.clock.advance(seconds: 4)
            while server.server.pagesAhead > 0 { await Task.yield() }
            // Others who begin and never go on fill no memory either.
            for limit in 1...20 { _ = try await Self.page(server, token, limit: limit) }
            #expect(server.server.pagesAhead <= 8)
        }
    }

    // MARK: -

    private static func run(_ body: @Sendable (RunningServer, String) async throws -> Void) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let changes = ids.enumerated().map { Samples.create(Int64($0.offset + 1), $0.element) }
            #expect(try await server.push(token, changes).status == 200)
            try await body(server, token)
        }
    }

    private static func page(
        _ server: RunningServer, _ token: String, limit: Int = 5, behind page: SnapshotPage? = nil
    ) async throws -> SnapshotPage {
        let place = page.map { "&after=\($0.next ?? "")&at=\($0.at)&epoch=\($0.epoch)" } ?? ""
        return try await server.client(token, "GET", "records?limit=\(limit)\(place)").message()
    }
}

import Annotations
import SyncProtocol
import Testing

/// Deleting threads over HTTP, by a client without the library that does not see all comments.
@Suite("Deleting threads over HTTP", .timeLimit(.minutes(15))) struct ThreadDeletionTests {
    private static let layer = "/api/documents/doc/layers/review"

    /// May delete annotations, and sees only their own comments.
    private func guest(_ server: RunningServer) throws -> String {
        try server.mint.token(
            TokenClaims(
                user: "guest",
                collaboration: [
                    "annotations:view:all", "annotations:delete:all", "comments:view:self", "comments:reply:all",
                    "comments:delete:self",
                ]))
    }

    private func ana(_ server: RunningServer) throws -> String { try server.mint.token(TokenClaims()) }

    private func mark(_ n: Int64, _ id: String, _ content: Content = Attempt.highlight) -> Change {
        Change(n: n, kind: .create, id: id, baseRevision: 0, content: content)
    }

    private func comment(_ n: Int64, _ id: String, under root: String) -> Change {
        Change(n: n, kind: .create, id: id, baseRevision: 0, content: Attempt.comment(under: root))
    }

    private func results(_ answer: RunningServer.Answer) throws -> [ChangeResult] {
        try answer.message(PushAnswer.self).results
    }

    private func ids(_ server: RunningServer, _ token: String) async throws -> [String] {
        let page: SnapshotPage = try await server.client(token, "GET", "records").message()
        return page.records.map(\.id).filter { !Attempt.base.contains($0) }.sorted()
    }

    /// Two marks that look alike to the guest; `one` has a hidden comment. Whatever a deletion claims to have seen, both
    /// answers are the same and the hidden comment stays.
    @Test(arguments: [nil, 0, 2, 4, 1 << 53] as [Revision?])
    func aHiddenCommentStaysAndIsNotTold(_ claim: Revision?) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let (ana, guest) = (try ana(server), try guest(server))
            let made = [mark(1, "one"), mark(2, "two"), comment(3, "hidden", under: "one")]
            #expect(try results(try await server.push(ana, made)).map(\.status) == [.applied, .applied, .applied])
            let deletions = ["one", "two"].enumerated().map { index, id in
                Change(
                    n: Int64(index + 1), kind: .delete, id: id, baseRevision: Revision(index + 1),
                    threadRevision: claim)
            }
            let answer = try await server.push(guest, client: "g", deletions)
            #expect(
                try results(answer).map { [$0.status.rawValue, $0.reason] } == [["applied", nil], ["applied", nil]])
            #expect(!answer.text.contains("hidden"))
            #expect(try await ids(server, guest) == [])
            #expect(try await ids(server, ana) == ["hidden"])
            // Nobody can reply any more, whether they see the comment or not.
            for (token, client) in [(ana, "c1"), (guest, "g")] {
                let late = try await server.push(
                    token, client: client, [comment(client == "g" ? 3 : 4, "x", under: "one")])
                #expect(
                    try results(late).map { [$0.status.rawValue, $0.reason] } == [["gone", "the thread was deleted"]])
            }
            // The deleter restores the root, and the comment is in its thread again.
            let revision = try #require(try results(answer)[0].revision)
            let restore = Change(n: 4, kind: .restore, id: "one", baseRevision: revision)
            #expect(try results(try await server.push(guest, client: "g", [restore])).map(\.status) == [.applied])
            #expect(try await ids(server, ana) == ["hidden", "one"])
        }
    }

    @Test func theFlagOfTheCreationDecides() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try ana(server)
            let flagged = Attempt.highlight.asCommentThreadRoot
            let made = try results(
                try await server.push(
                    ana,
                    [
                        mark(1, "flagged", flagged), mark(2, "plain"),
                        Change(n: 3, kind: .update, id: "flagged", baseRevision: 1, content: Attempt.highlight),
                        Change(n: 4, kind: .update, id: "plain", baseRevision: 2, content: flagged),
                        comment(5, "c", under: "flagged"), comment(6, "d", under: "plain"),
                    ]))
            let head = try #require(made.last?.revision)
            let gone = ["c", "d"].enumerated().map { index, id in
                Change(n: Int64(index + 7), kind: .delete, id: id, baseRevision: head, threadRevision: head)
            }
            // The base of "c" must be in its own run.
            #expect(try results(try await server.push(ana, gone)).map(\.status) == [.conflict, .applied])
            let base = try #require(made[4].revision)
            let again = Change(n: 9, kind: .delete, id: "c", baseRevision: base, threadRevision: head)
            #expect(try results(try await server.push(ana, [again])).map(\.status) == [.applied])
            #expect(try await ids(server, ana) == ["plain"])
        }
    }

    // MARK: The backend

    /// The guest deleted `one`; ana's comment `hidden` remains.
    private func leave(_ server: RunningServer) async throws {
        try await server.upload()
        _ = try await server.push(try ana(server), [mark(1, "one"), comment(2, "hidden", under: "one")])
        _ = try await server.push(
            try guest(server), client: "g", [Change(n: 1, kind: .delete, id: "one", baseRevision: 1)])
    }

    @Test func theBackendFindsWhatIsLeft() async throws {
        try await RunningServer.run { server in
            try await leave(server)
            let thread = try await server.backend("GET", Self.layer + "/annotations/one/comments")
            #expect(thread.json["data"]?["comments"]?.array?.map { $0["id"]?.string } == ["hidden"])
            #expect(try await server.backend("GET", Self.layer + "/annotations/one").status == 404)
            #expect(try await server.backend("GET", Self.layer + "/document.json").text.contains(#""hidden""#))
            // A reply needs the annotation that it replies to.
            for name in ["document.xfdf", "pdf"] {
                let file = try await server.backend("GET", Self.layer + "/" + name)
                #expect(file.status == 200)
                #expect(!file.body.contains(Array("hidden".utf8)), "\(name)")
            }
            let all = try await server.backend("DELETE", Self.layer + "/annotations", json: #"{"annotationIds":"all"}"#)
            #expect(all.json["result"] == "success")
            #expect(try await ids(server, ana(server)) == [])
            #expect(try await server.backend("GET", Self.layer + "/annotations/one/comments").status == 404)
        }
    }

    @Test func copiesKeepWhatIsLeft() async throws {
        try await RunningServer.run { server in
            try await leave(server)
            let copied = try await server.backend(
                "POST", "/api/documents/doc/layers", json: #"{"name":"copy","source_layer_name":"review"}"#)
            #expect(copied.status == 200)
            let token = try server.mint.token(TokenClaims(layer: "copy"))
            #expect(try await ids(server, token) == ["hidden"])
            #expect(
                try results(try await server.push(token, [comment(1, "late", under: "one")])).map(\.status) == [.gone])
        }
    }

    // MARK: Groups left out

    @Test func aGroupLeftOutIsNotTheNullGroup() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(
                TokenClaims(
                    user: "guest", collaboration: ["annotations:view:all", "annotations:edit:all"],
                    defaultGroup: "crew"))
            let note = Samples.note("words").text
            func push(_ change: String) async throws -> RunningServer.Answer {
                try await server.client(
                    token, "POST", "changes", body: Array(#"{"clientID":"g","acked":0,"changes":[\#(change)]}"#.utf8))
            }
            func group() async throws -> JSON? {
                try await server.backend("GET", Self.layer + "/annotations/a").json["group"]
            }
            let create = #"{"n":1,"op":"create","id":"a","content":\#(note)}"#
            let first = try await push(create)
            #expect(try results(first).map(\.status) == [.applied])
            #expect(try await group() == "crew")
            #expect(try await push(create).body == first.body, "repeated")
            let null = try await push(#"{"n":1,"op":"create","id":"a","group":null,"content":\#(note)}"#)
            #expect(try results(null).map(\.status) == [.mismatch])
            // A backend moves it; an update without a group leaves it there.
            let moved = try await server.backend(
                "PUT", Self.layer + "/annotations/a", json: #"{"group":"other","content":\#(note)}"#)
            #expect(moved.status == 200)
            let update = try await push(#"{"n":2,"op":"update","id":"a","baseRevision":2,"content":\#(note)}"#)
            #expect(try results(update).map(\.status) == [.applied])
            #expect(try await group() == "other")
            for (n, empty) in [(3, "null"), (4, #""""#)] {
                let change =
                    #"{"n":\#(n),"op":"update","id":"a","baseRevision":3,"group":\#(empty),"content":\#(note)}"#
                let answer = try results(try await push(change))
                #expect(answer.map(\.reason) == ["needs annotations:set-group:group= (records without a group)"])
            }
        }
    }
}

extension Array<UInt8> {
    fileprivate func contains(_ other: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: other) }
    }
}

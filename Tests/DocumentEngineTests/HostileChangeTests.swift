import Annotations
import SyncProtocol
import Testing

/// Changes with wrong numbers, names, revisions and ids that no honest client sends. Each gets its own result, and
/// refused ones write nothing.
@Suite("Hostile changes", .timeLimit(.minutes(15))) struct HostileChangeTests {
    private func results(_ answer: RunningServer.Answer) throws -> [ChangeResult] {
        try answer.message(PushAnswer.self).results
    }

    private func text(_ server: RunningServer, _ id: Record.ID) async throws -> String? {
        try await server.backend("GET", "/api/documents/doc/layers/review/annotations/\(id)")
            .json["content"]?["text"]?.string
    }

    @Test func aNumberIsOneChangeForEver() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let first = try await server.push(ana, [Samples.create(1, "a", "one")])
            #expect(try results(first).map(\.status) == [.applied])
            #expect(try await server.push(ana, [Samples.create(1, "a", "one")]).text == first.text, "same response")
            for other in [
                Samples.create(1, "a", "two"), Samples.create(1, "b", "one"), Samples.create(1, "a", "one", group: "g"),
                Change(n: 1, kind: .delete, id: "a", baseRevision: 1),
            ] {
                #expect(try results(await server.push(ana, [other])).map(\.status) == [.mismatch])
            }
            #expect(try await server.session(ana).head == 1)
            #expect(try await text(server, "a") == "one")
        }
    }

    @Test(arguments: [2, 3, 1000, Int64.max])
    func aNumberTooFarConsumesNothing(_ n: Int64) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            // The next change in order is still accepted.
            let answer = try await server.push(ana, [Samples.create(n, "far"), Samples.create(1, "a")])
            #expect(try results(answer).map(\.status) == [.gap, .applied])
            #expect(try await text(server, "far") == nil)
        }
    }

    @Test(arguments: [0, -1, Int64.min])
    func aNumberBeforeTheFirstIsNone(_ n: Int64) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            #expect(try results(await server.push(ana, [Samples.create(n, "a")])).map(\.status) == [.mismatch])
            #expect(try await server.session(ana).head == 0)
        }
    }

    /// A client ID belongs to its first user, even against a token with all rights.
    @Test func aClientOfAnotherUserIsNotGoneOnWith() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await server.push(ana, client: "c", [Samples.create(1, "a", "ana's")])
            for user in ["bo", "Ana", nil] {
                let other = try server.mint.token(TokenClaims(user: user))
                for change in [Samples.create(2, "b"), Samples.create(1, "a", "ana's")] {
                    let answer = try await server.push(other, client: "c", [change])
                    #expect((answer.status, answer.reason) == (409, "client_id_taken"))
                    #expect(!answer.text.contains("ana"))
                }
            }
            #expect(try await server.session(ana).head == 1)
            #expect(
                try results(await server.push(ana, client: "c", [Samples.create(2, "b")])).map(\.status) == [.applied])
        }
    }

    /// No client has seen a future revision, and no revision precedes the first.
    @Test func aRevisionThatNeverWasIsNoExcuse() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await server.push(ana, client: "other", [Samples.create(1, "a", "one")])
            func update(_ n: Int64, at base: Revision) -> Change {
                Change(n: n, kind: .update, id: "a", baseRevision: base, content: Samples.note("forced"))
            }
            let answer = try await server.push(
                ana,
                [
                    update(1, at: 2), update(2, at: 99), update(3, at: .max), update(4, at: 0), update(5, at: -1),
                    update(6, at: .min), Change(n: 7, kind: .delete, id: "a", baseRevision: 99),
                    Change(n: 8, kind: .delete, id: "6", baseRevision: .max),
                ])
            #expect(
                try results(answer).map(\.status) == [
                    .conflict, .conflict, .conflict, .conflict, .invalid, .invalid, .conflict, .conflict,
                ])
            #expect(try await text(server, "a") == "one")
        }
    }

    @Test func anIDIsUsedOnce() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let answer = try await server.push(
                ana,
                [
                    Samples.create(1, "a", "one"), Samples.create(2, "a", "two"), Samples.create(3, "6", "the PDF's"),
                    Change(n: 4, kind: .delete, id: "a", baseRevision: 1), Samples.create(5, "a", "three"),
                    Change(n: 6, kind: .update, id: "a", baseRevision: 1, content: Samples.note("four")),
                    Change(n: 7, kind: .delete, id: "a", baseRevision: 1),
                    Change(n: 8, kind: .update, id: "never", baseRevision: 0, content: Samples.note("x")),
                    Change(n: 9, kind: .delete, id: "never", baseRevision: 0),
                    Change(n: 10, kind: .restore, id: "never", baseRevision: 0),
                ])
            #expect(
                try results(answer).map(\.status) == [
                    .applied, .conflict, .conflict, .applied, .gone, .gone, .applied, .gone, .gone, .gone,
                ])
            #expect(try await server.session(ana).head == 2, "created and deleted, and nothing else")
            #expect(try await text(server, "a") == nil)
        }
    }

    /// A record keeps its kind and its thread: an edit that claims others changes the rest.
    @Test func aRecordIsNotTurnedIntoAnother() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let comment = Attempt.comment(under: "6")
            _ = try await server.push(
                ana, client: "setup",
                [
                    Samples.create(1, "a"),
                    Change(n: 2, kind: .create, id: "c", baseRevision: 0, content: comment),
                    Change(n: 3, kind: .create, id: "h", baseRevision: 0, content: Attempt.highlight),
                ])
            let answer = try await server.push(
                ana,
                [
                    // A note becomes a comment, a comment becomes a note, and a comment changes its thread.
                    Change(n: 1, kind: .update, id: "a", baseRevision: 1, content: comment),
                    Change(n: 2, kind: .update, id: "c", baseRevision: 2, content: Samples.note("x")),
                    Change(
                        n: 3, kind: .update, id: "c", baseRevision: 2, content: Attempt.comment(under: "h")),
                    // A comment under a comment, under itself, or under an invalid id.
                    Change(n: 4, kind: .create, id: "x", baseRevision: 0, content: Attempt.comment(under: "c")),
                    Change(n: 5, kind: .create, id: "x", baseRevision: 0, content: Attempt.comment(under: "c")),
                    Change(n: 6, kind: .create, id: "x", baseRevision: 0, content: Attempt.comment(under: "x")),
                    Change(n: 7, kind: .create, id: "x", baseRevision: 0, content: Attempt.comment(under: "")),
                    // Without content, and on a page that the document does not have.
                    Change(n: 8, kind: .create, id: "x", baseRevision: 0),
                    Change(n: 9, kind: .update, id: "a", baseRevision: 1),
                    Change(n: 10, kind: .create, id: "x", baseRevision: 0, content: Samples.note("x", page: 2)),
                    Change(
                        n: 11, kind: .create, id: "x", baseRevision: 0, content: Samples.note("x", page: -1)),
                ])
            #expect(
                try results(answer).map(\.status) == [
                    .applied, .applied, .applied, .invalid, .invalid, .gone, .gone, .invalid, .invalid, .invalid,
                    .invalid,
                ])
            #expect(try await server.session(ana).head == 6)
            let thread = try await server.backend("GET", "/api/documents/doc/layers/review/annotations/6/comments").text
            #expect(thread.contains(#""rootId":"6""#) && !thread.contains(#""rootId":"h""#), "\(thread)")
        }
    }

    /// A cursor of another layer is invalid here, even with the same document and user.
    @Test func aCursorOfAnotherLayerStartsOver() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let here = try server.mint.token(TokenClaims())
            let there = try server.mint.token(TokenClaims(layer: "other"))
            let epoch = try await server.session(there).epoch
            for path in [
                "records?since=0&epoch=\(epoch)", "digest?epoch=\(epoch)", "events?wait=0&since=0&epoch=\(epoch)",
            ] {
                let answer = try await server.client(here, "GET", path)
                #expect((answer.status, answer.reason) == (410, "epoch_changed"), "\(path)")
            }
            // A cursor from another history of the layer: the server refuses changes based on revisions that no longer
            // exist.
            let request = PushRequest(
                clientID: "c", acked: 0, cursor: Cursor(epoch: epoch, revision: 0), changes: [Samples.create(1, "a")])
            let pushed = try await server.client(here, "POST", "changes", body: request.bytes)
            #expect((pushed.status, pushed.reason) == (410, "epoch_changed"))
            #expect(try await server.session(here).head == 0)
        }
    }

    /// The token names the layer; nothing in a request reaches another one.
    @Test func whatIsWrittenInOneLayerIsInNoOther() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            try await server.upload("doc2")
            let here = try server.mint.token(TokenClaims())
            _ = try await server.push(here, [Samples.create(1, "a", "here only")])
            for claims in [
                TokenClaims(layer: "other"), TokenClaims(layer: nil), TokenClaims(document: "doc2"),
                TokenClaims(layer: "REVIEW"), TokenClaims(layer: "review "), TokenClaims(layer: "review/../review"),
            ] {
                let token = try server.mint.token(claims)
                let records = try await server.client(token, "GET", "records")
                #expect(records.status == 200)
                #expect(!records.text.contains("here only"))
                let change = Change(n: 1, kind: .delete, id: "a", baseRevision: 1)
                #expect(try results(await server.push(token, [change])).map(\.status) == [.gone])
            }
            #expect(try await text(server, "a") == "here only")
        }
    }
}

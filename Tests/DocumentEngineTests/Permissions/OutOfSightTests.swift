import Annotations
import SyncProtocol
import Testing

/// The server never leaks records that a token may not see.
@Suite("Out of sight", .timeLimit(.minutes(15))) struct OutOfSightTests {
    private static let guest = [
        "annotations:view:group=open", "annotations:edit:all", "annotations:delete:all", "comments:reply:all",
        "annotations:set-group:all",
    ]

    private func guest(_ server: RunningServer, _ entries: [String] = guest) throws -> String {
        try server.mint.token(TokenClaims(user: "guest", collaboration: entries, defaultGroup: "open"))
    }

    private func made(_ n: Int64, _ id: String, in group: String, _ text: String = "words") -> Change {
        Samples.create(n, id, text, group: group)
    }

    private func results(_ answer: RunningServer.Answer) throws -> [ChangeResult] {
        try answer.message(PushAnswer.self).results
    }

    /// Any operation on a hidden record is answered as if the record did not exist, exactly as for an unknown id.
    @Test func hiddenAndUnknownAreAnsweredAlike() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await server.push(
                ana,
                [
                    made(1, "hidden", in: "secret"), made(2, "deleted", in: "secret"),
                    Change(n: 3, kind: .delete, id: "deleted", baseRevision: 2),
                ])
            let guest = try guest(server)
            let content = Samples.note("mine")
            var answers: [[String?]] = []
            for (client, id) in [("g1", "hidden"), ("g2", "deleted"), ("g3", "unknown")] {
                let answer = try await server.push(
                    guest, client: client,
                    [
                        Change(n: 1, kind: .update, id: id, baseRevision: 1, group: "open", content: content),
                        Change(n: 2, kind: .delete, id: id, baseRevision: 1),
                        Change(n: 3, kind: .restore, id: id, baseRevision: 1),
                        Change(
                            n: 4, kind: .create, id: "reply-\(client)", baseRevision: 0, group: "open",
                            content: Attempt.comment(under: id)),
                    ])
                let results = try results(answer)
                #expect(results.allSatisfy { $0.status == .gone && $0.item == nil })
                answers.append(results.map(\.reason))
            }
            #expect(answers[0] == answers[2])
            #expect(answers[1] == answers[2])
        }
    }

    /// The id of a hidden record cannot be reused, and the response leaks nothing about that record.
    @Test func anIDThatIsTakenOutOfSightIsNotOverwritten() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await server.push(ana, [made(1, "taken", in: "secret", "a secret")])
            let answer = try await server.push(guest(server), client: "g", [made(1, "taken", in: "open")])
            #expect(try results(answer).map(\.status) == [.gone])
            #expect(!answer.text.contains("a secret"))
            let record = try await server.backend("GET", "/api/documents/doc/layers/review/annotations/taken")
            #expect(record.text.contains("a secret"))
        }
    }

    /// Another user changed the record first and moved it out of sight: the result is not a conflict, which would
    /// show it.
    @Test func theWinnerOfAConflictIsShownOnlyWhileItIsInSight() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let guest = try guest(server)
            _ = try await server.push(ana, [made(1, "a", in: "open"), made(2, "b", in: "open")])
            func edit(_ n: Int64, _ id: String, _ base: Revision, _ group: String, _ text: String) -> Change {
                Change(n: n, kind: .update, id: id, baseRevision: base, group: group, content: Samples.note(text))
            }
            _ = try await server.push(ana, [edit(3, "a", 1, "open", "ana's"), edit(4, "b", 2, "secret", "hush")])
            let late = [edit(1, "a", 1, "open", "guest's"), edit(2, "b", 2, "open", "guest's")]
            let first = try await server.push(guest, client: "g", late)
            #expect(try results(first).map(\.status) == [.conflict, .gone])
            #expect(first.text.contains("ana's") && !first.text.contains("hush"))
            // The retry comes after the winner of the first conflict is out of sight too.
            _ = try await server.push(ana, [edit(5, "a", 3, "secret", "hidden by now")])
            let again = try await server.push(guest, client: "g", late)
            #expect(try results(again).map(\.status) == [.conflict, .gone])
            #expect(!again.text.contains("hidden by now") && !again.text.contains("ana's"), "\(again.text)")
        }
    }

    /// A push returns what a pull would return, and nothing else.
    @Test func aPushBringsOnlyWhatIsInSight() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let guest = try guest(server)
            let cursor = Cursor(epoch: try await server.session(guest).epoch, revision: 0)
            _ = try await server.push(
                ana,
                [
                    made(1, "s1", in: "secret"), made(2, "o1", in: "open"), made(3, "s2", in: "secret"),
                    Change(n: 4, kind: .delete, id: "s1", baseRevision: 1),
                ])
            let request = PushRequest(clientID: "g", acked: 0, cursor: cursor, changes: [made(1, "mine", in: "open")])
            let answer = try await server.client(guest, "POST", "changes", body: request.bytes)
            let delta = try #require(try answer.message(PushAnswer.self).delta)
            #expect(delta.changes.map(\.id) == ["o1", "mine"])
            #expect(!answer.text.contains("s1") && !answer.text.contains("s2"))
            // Revisions of hidden records look like no change at all.
            #expect(delta.upTo == 5)
        }
    }

    /// A thread with only hidden comments is not empty: the right to add the first comment no longer applies.
    @Test func aThreadOfHiddenCommentsIsNotEmpty() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let guest = try guest(server, ["annotations:view:self"])
            func reply(_ id: String, _ n: Int64) -> Change {
                Change(
                    n: n, kind: .create, id: id, baseRevision: 0, group: "open", content: Attempt.comment(under: "own"))
            }
            let root = Change(
                n: 1, kind: .create, id: "own", baseRevision: 0, group: "open", content: Attempt.highlight)
            _ = try await server.push(guest, client: "g", [root])
            _ = try await server.push(ana, [reply("first", 1)])
            let answer = try await server.push(guest, client: "g", [reply("second", 2)])
            #expect(try results(answer).map(\.status) == [.denied])
            #expect(try results(answer).map(\.reason) == ["needs comments:reply:self"])
        }
    }

    /// A cursor, page or stream started with one view scope is invalid for another.
    @Test func aCursorOfAWiderSightIsNoneOfANarrowerOne() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let all = try server.mint.token(TokenClaims(user: "guest", collaboration: ["annotations:view:all"]))
            let some = try guest(server)
            _ = try await server.push(server.mint.token(TokenClaims()), [made(1, "s1", in: "secret")])
            let wide = try await server.session(all).epoch
            #expect(try await server.session(some).epoch != wide)
            for path in [
                "records?since=0&epoch=\(wide)", "records?after=6&at=1&epoch=\(wide)", "digest?epoch=\(wide)",
                "events?wait=0&since=0&epoch=\(wide)",
            ] {
                let answer = try await server.client(some, "GET", path)
                #expect((answer.status, answer.reason) == (410, "epoch_changed"), "\(path)")
            }
            var events = try await EventReader(server, some, from: Cursor(epoch: wide, revision: 0))
            #expect(try await events.session()?.kind == .open)
            #expect(try await events.session()?.kind == .behind)
            // The changes are still accepted; only the layer is reloaded.
            let request = PushRequest(
                clientID: "g", acked: 0, cursor: Cursor(epoch: wide, revision: 0), changes: [made(1, "o", in: "open")])
            let pushed: PushAnswer = try await server.client(some, "POST", "changes", body: request.bytes).message()
            #expect((pushed.results.map(\.status), pushed.delta) == ([.applied], nil))
        }
    }

    /// The server ignores a client's claim about a record's creator.
    @Test func nobodyWritesUnderAnothersName() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let guest = try server.mint.token(
                TokenClaims(
                    user: "guest", collaboration: ["annotations:view:all", "annotations:edit:self"],
                    defaultGroup: "open", creatorName: "Guest"))
            let forged = Samples.note("forged").changing {
                $0["creatorName"] = "The boss"
                $0["createdBy"] = "boss"
                $0["updatedBy"] = "boss"
            }
            let body = #"""
                {"clientID":"g","acked":0,"changes":[{"n":1,"op":"create","id":"f","baseRevision":0,"group":"open",
                "createdBy":"boss","updatedBy":"boss","content":\#(forged.text)}]}
                """#
            #expect(try await server.client(guest, "POST", "changes", body: Array(body.utf8)).status == 200)
            func stored() async throws -> JSON {
                try await server.backend("GET", "/api/documents/doc/layers/review/annotations/f").json
            }
            #expect(try await stored()["createdBy"] == "guest")
            #expect(try await stored()["content"]?["creatorName"] == "Guest")
            let change = Change(
                n: 2, kind: .update, id: "f", baseRevision: 1, group: "open",
                content: forged.changing { $0["text"] = "again" })
            #expect(try results(await server.push(guest, client: "g", [change])).map(\.status) == [.applied])
            #expect(try await stored()["createdBy"] == "guest")
            #expect(try await stored()["updatedBy"] == "guest")
            #expect(try await stored()["content"]?["creatorName"] == "Guest")
        }
    }

    /// A queue created with write permission and sent with a read-only token is refused, and its numbers are not
    /// consumed.
    @Test func aQueueOutlivesATokenThatOnlyReads() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let writes = try server.mint.token(TokenClaims())
            let reads = try server.mint.token(TokenClaims(permissions: #"["read-document"]"#))
            let queue = [Samples.create(1, "a"), Samples.create(2, "b")]
            let refused = try await server.push(reads, queue)
            #expect((refused.status, refused.reason) == (403, "insufficient_scope"))
            #expect(try await server.session(writes).head == 0)
            #expect(try results(await server.push(writes, queue)).map(\.status) == [.applied, .applied])
        }
    }
}

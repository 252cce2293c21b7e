import Annotations
import Authorization
import SyncProtocol
import Testing

/// A client's path through the sync API: session, document, records, changes, events.
@Suite("Sync API", .timeLimit(.minutes(15))) struct SyncAPITests {
    @Test func aTokenOpensItsLayer() async throws {
        try await RunningServer.run { server in
            let upload = try await server.upload()
            #expect(upload.status == 200, "\(upload.text)")
            let token = try server.mint.token(TokenClaims(creatorName: "Ana"))
            let session = try await server.session(token)
            #expect(session.grant.userID == "ana")
            #expect(session.now == server.clock.now)
            #expect(session.head == 0)
            #expect(session.pdfSHA256 == upload.json["data"]?["sourcePdfSha256"]?.string)

            let records: SnapshotPage = try await server.client(token, "GET", "records").message()
            #expect(records.records.map(\.id) == ["6", "7"])
            #expect(records.next == nil)
            #expect(records.epoch == session.epoch)

            let pdf = try await server.client(token, "GET", "document")
            #expect(pdf.body == Samples.pdf)
        }
    }

    @Test func aChangeIsAtTheOtherListenerAndComesByPull() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims(creatorName: "Ana"))
            let bo = try server.mint.token(TokenClaims(user: "bo"))
            let start = try await server.session(bo)
            var events = try await EventReader(server, bo, from: Cursor(epoch: start.epoch, revision: 0))
            #expect(try await events.session()?.kind == .open)

            let answer: PushAnswer = try await server.push(ana, [Samples.create(1, "n1", "hello")]).message()
            #expect(answer.results == [ChangeResult(n: 1, status: .applied, revision: 1)])
            let change = try #require(try await events.change())
            #expect((change.revision, change.previous) == (1, 0))
            #expect(change.changes.map(\.id) == ["n1"])
            #expect(events.text.contains("id: \(start.epoch).1\nevent: change\ndata: {"))
            guard case .record(let record, 1) = change.changes[0] else { Issue.record("no record"); return }
            #expect(record.createdBy == "ana")
            #expect(record.content["creatorName"] == "Ana")

            let delta: Delta = try await server.client(bo, "GET", "records?since=0&epoch=\(start.epoch)").message()
            #expect(delta.changes == change.changes)
            #expect((delta.upTo, delta.more) == (1, false))
        }
    }

    @Test func theSameChangeOnManyConnectionsAtOnceIsWrittenOnce() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let change = Samples.create(1, "n1")
            let answers = try await withThrowingTaskGroup(of: PushAnswer.self) { group in
                for _ in 0..<16 { group.addTask { try await server.push(token, [change]).message() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 16)
            #expect(answers.allSatisfy { $0.results == [ChangeResult(n: 1, status: .applied, revision: 1)] })
            #expect(try await server.session(token).head == 1)
        }
    }

    @Test func manyWritersAreHeardInTheOrderOfRevisions() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let epoch = try await server.session(token).epoch
            var events = try await EventReader(server, token, from: Cursor(epoch: epoch, revision: 0))
            #expect(try await events.session()?.kind == .open)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        for n in 1...10 {
                            let change = Samples.create(Int64(n), "w\(writer)-\(n)")
                            let answer: PushAnswer = try await server.push(
                                token, client: "w\(writer)", [change]
                            ).message()
                            #expect(answer.results.map(\.status) == [.applied])
                        }
                    }
                }
                try await group.waitForAll()
            }
            var heard: [Revision] = []
            while heard.last ?? 0 < 80, let change = try await events.change() {
                #expect(change.previous == heard.last ?? 0)
                heard.append(change.revision)
            }
            #expect(heard == Array(1...80))
        }
    }
}

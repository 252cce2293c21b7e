import Annotations
import Authorization
import SyncProtocol
import Testing

/// A client's way through the sync plane: session, document, records, changes, events.
@Suite("Sync plane", .timeLimit(.minutes(2))) struct SyncPlaneTests {
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
}

import Annotations
import Authorization
import SyncProtocol
import Testing

/// `GET digest` returns the checksum that a client compares with its own rows.
@Suite("Digest", .timeLimit(.minutes(15))) struct DigestTests {
    @Test func itIsTheSumOfTheSnapshot() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            _ = try await server.push(token, (1...5).map { Samples.create(Int64($0), "n\($0)") })
            let gone = Change(n: 6, kind: .delete, id: "n2", baseRevision: 2, group: nil)
            _ = try await server.push(token, [gone])
            try await expectSum(server, token)
            // The same holds for a repeated request, and after a change.
            try await expectSum(server, token)
            _ = try await server.push(token, [Samples.create(7, "n7")])
            let answer = try await digest(server, token)
            #expect(try await sum(server, token) == answer)
            #expect((answer.upTo, answer.count) == (7, 7))
        }
    }

    @Test func eachViewHasItsOwn() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let all = try server.mint.token(TokenClaims())
            let some = try server.mint.token(
                TokenClaims(user: "bo", collaboration: ["annotations:view:self", "annotations:edit:self"]))
            _ = try await server.push(all, [Samples.create(1, "n1")])
            _ = try await server.push(some, client: "c2", [Samples.create(1, "n2")])
            #expect(try await digest(server, all).count == 4)
            #expect(try await digest(server, some).count == 1)
            try await expectSum(server, some)
        }
    }

    @Test func anotherEpochStartsOver() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let answer = try await server.client(token, "GET", "digest?epoch=other")
            #expect((answer.status, answer.reason) == (410, "epoch_changed"))
            #expect(try await server.client(token, "GET", "digest").status == 400)
            let blind = try server.mint.token(TokenClaims(permissions: #"["download"]"#))
            #expect(try await server.client(blind, "GET", "digest?epoch=e").status == 403)
        }
    }

    private func digest(_ server: RunningServer, _ token: String) async throws -> DigestAnswer {
        let epoch = try await server.session(token).epoch
        return try await server.client(token, "GET", "digest?epoch=\(epoch)").message()
    }

    private func expectSum(_ server: RunningServer, _ token: String) async throws {
        let (digest, sum) = (try await digest(server, token), try await sum(server, token))
        #expect(digest == sum)
    }

    private func sum(_ server: RunningServer, _ token: String) async throws -> DigestAnswer {
        let page: SnapshotPage = try await server.client(token, "GET", "records").message()
        var digest = ViewDigest()
        for item in page.records { digest.add(item.id, item.revision) }
        return DigestAnswer(epoch: page.epoch, upTo: page.at, digest)
    }
}

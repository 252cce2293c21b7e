import Annotations
import Foundation
import InstantCore
import TestSupport
import Testing

@testable import Instant

/// What the documentation of an edit promises, through the public API alone.
@Suite(.timeLimit(.minutes(15))) struct EditTests {
    /// The author and the creation time stay, whether the server has the record yet or not.
    @Test(arguments: [false, true]) func anUpdateKeepsAuthorAndTime(isSent: Bool) async throws {
        let (folder, server) = (try TemporaryFolder(), try plainServer())
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let jwt = token()
        let descriptor = try client.documentDescriptor(forJWT: jwt)
        descriptor.delayForSyncingLocalChanges = nil
        try await descriptor.reauthenticateAndWait(withJWT: jwt)
        let document = descriptor.editableDocument
        let id = try document.add(note("first"), author: "Ana Meier")
        let made = try #require(try document.record(id))
        #expect(made.author == "Ana Meier" && made.creationDate != nil)
        if isSent { try await descriptor.syncAndWait() }
        let forged = note("third").changing {
            $0["creatorName"] = "Bo"
            $0["createdAt"] = "1990-01-01T00:00:00Z"
            $0["createdBy"] = "bo"
            $0["rootId"] = "x"
        }
        for content in [note("second"), forged] {
            try document.update(id, content: content)
            let now = try #require(try document.record(id))
            #expect((now.author, now.creationDate, now.rootID) == ("Ana Meier", made.creationDate, nil))
            #expect(now.content["createdBy"] == nil)
        }
        try await descriptor.syncAndWait()
        let last = try #require(server.requests.last { $0.path == "/instant/v1/changes" })
        #expect(String(decoding: last.body, as: UTF8.self).contains("Ana Meier"))
        #expect(try document.record(id)?.text == "third")
        withExtendedLifetime(client) {}
    }
}

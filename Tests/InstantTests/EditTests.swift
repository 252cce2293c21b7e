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

    /// Nothing has to be taken back, which could fail, too.
    @Test func editsThatAreMadeTogetherAreAllMadeOrNone() async throws {
        let (folder, server) = (try TemporaryFolder(), try plainServer())
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let jwt = token()
        let descriptor = try client.documentDescriptor(forJWT: jwt)
        descriptor.delayForSyncingLocalChanges = nil
        try await descriptor.reauthenticateAndWait(withJWT: jwt)
        let id = try descriptor.editableDocument.add(note("first"), author: "Ana Meier")
        #expect(throws: EditError.noSuchRecord("none")) {
            try descriptor.editTogether { layer, now in
                _ = try layer.update(id, content: note("second"), at: now)
                _ = try layer.create(note("third"), id: "other", author: "Ana Meier", at: now)
                // An edit sees the ones before.
                #expect(try layer.record("other") != nil && layer.record(id)?.content["text"] == "second")
                _ = try layer.update("none", content: note("fourth"), at: now)
            }
        }
        #expect(try descriptor.layer.record("other") == nil)
        #expect(try descriptor.layer.record(id)?.content["text"] == "first")
        let receipts = try descriptor.editTogether { layer, now in
            [
                try layer.update(id, content: note("second"), at: now),
                try layer.create(note("third"), id: "other", author: "Ana Meier", at: now),
            ]
        }
        #expect(try descriptor.layer.record("other") != nil)
        #expect(try descriptor.layer.record(id)?.content["text"] == "second")
        _ = try descriptor.editTogether { layer, now in try receipts.reversed().map { try layer.undo($0, at: now) } }
        #expect(try descriptor.layer.record("other") == nil)
        #expect(try descriptor.layer.record(id)?.content["text"] == "first")
        withExtendedLifetime(client) {}
    }
}

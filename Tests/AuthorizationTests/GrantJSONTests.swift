import Annotations
import Authorization
import TestSupport
import Testing

@Suite("Grants as JSON")
struct GrantJSONTests {
    @Test func text() {
        let grant = Grant(
            documentID: "contract", layer: "review", userID: "ana", general: [.write, .readDocument],
            collaboration: [Permission(.annotations, .view, .group("a\"b"))], defaultGroup: nil, creatorName: "Ana",
            expiresAt: Timestamp(seconds: 4_000_000_000))
        #expect(
            grant.json
                == #"{"document_id":"contract","layer":"review","user_id":"ana","permissions":["read-document","write"],"#
                + #""collaboration_permissions":["annotations:view:group=a\"b"],"default_group":null,"#
                + #""creator_name":"Ana","expires_at":4000000000000}"#)
    }

    @Test func randomGrantsComeBack() throws {
        var random = SeededRandom(seed: 4)
        for _ in 0..<500 {
            let grant = RandomRights.grant(&random)
            #expect(try read(grant.json) == grant)
        }
    }

    @Test(
        "An unreadable claim is not an absent claim",
        arguments: [
            #""annotations:view:all""#, "{}", "true", "7",
        ])
    func failsClosed(claim: String) {
        #expect(throws: JSONError.self) {
            try read(
                #"{"document_id":"a","permissions":["read-document"],"user_id":"ana","#
                    + #""collaboration_permissions":\#(claim),"expires_at":0}"#)
        }
    }

    @Test("Entries that cannot be read grant nothing")
    func oddEntries() throws {
        let grant = try read(
            #"{"document_id":"a","permissions":["write","fly",7],"user_id":"ana","#
                + #""collaboration_permissions":["x:y:z",7,"comments:view:all"],"expires_at":0,"new":[]}"#)
        #expect(grant.general == [.write])
        #expect(grant.collaboration == [Permission(.comments, .view, .all)])
    }

    @Test(arguments: [
        "null", "[]", "{}", #"{"document_id":"a","permissions":[]}"#, #"{"permissions":[],"expires_at":0}"#,
        #"{"document_id":"a","permissions":"all","expires_at":0}"#,
        #"{"document_id":"a","permissions":[],"expires_at":"0"}"#,
    ])
    func refused(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    private func read(_ text: String) throws -> Grant {
        var reader = JSONReader(text)
        let grant = try Grant(from: &reader)
        try reader.end()
        return grant
    }
}

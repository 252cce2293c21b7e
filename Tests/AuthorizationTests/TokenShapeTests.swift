import Annotations
import Authorization
import TestSupport
import Testing

/// Recognising tokens in anything that a person pastes or a server receives.
@Suite("Shape of a token")
struct TokenShapeTests {
    @Test func aToken() throws {
        let claims = try Claims(token: Token.make(payload: Token.payload()))
        #expect(claims.grant.documentID == "contract")
        #expect(claims.warnings.isEmpty)
    }

    @Test(
        "One, two, four and five parts (RFC 7516 has five)",
        arguments: [
            ("", 1), ("garbage", 1), ("a.b", 2), ("a.b.c.d", 4), ("a.b.c.d.e", 5), ("...", 4),
            ("https://example.org", 2),
        ])
    func segments(text: String, count: Int) {
        #expect(problem(token: text) == .segments(count))
    }

    @Test func parts() {
        let good = Token.payload()
        let header = Base64URL.encode(Token.header.utf8)
        let payload = Base64URL.encode(good.utf8)
        let table: [(String, String)] = [
            (".\(payload).c2ln", "header"), ("e30=.\(payload).c2ln", "header"), ("WzFd.\(payload).c2ln", "header"),
            ("\(header)..c2ln", "payload"), ("\(header).!!!.c2ln", "payload"), ("\(header).bnVsbA.c2ln", "payload"),
            ("\(header).W10.c2ln", "payload"), ("\(header).\(payload)=.c2ln", "payload"),
            ("\(header).\(Base64URL.encode([0x7B, 0xFF, 0x7D])).c2ln", "payload"),
            ("\(header).\(payload).", "signature"), ("\(header).\(payload).c2l n", "signature"),
            ("\(header).\(payload).Z", "signature"), ("\(header).\(payload).c2lnbmF0dXJl\n", "signature"),
            ("Bearer \(header).\(payload).c2ln", "header"),
        ]
        for (token, part) in table { #expect(problem(token: token) == .notBase64JSON(part: part), "\(token)") }
    }

    @Test func aTokenWithoutSignatureIsCalledThat() {
        let token = "\(Base64URL.encode(Token.header.utf8)).\(Base64URL.encode(Token.payload().utf8))."
        #expect(problem(token: token)?.description == "not a token: the signature is missing or incomplete")
    }

    @Test(
        "A duplicate claim has no reliable meaning",
        arguments: [
            #""user_id":"ana","user_id":"ben""#, #""exp":5"#, #""permissions":"all""#, #""x":{"a":1,"a":2}"#,
        ])
    func duplicateClaims(claims: String) {
        #expect(problem(Token.payload(claims)) == .notBase64JSON(part: "payload"))
    }

    @Test func tooLarge() {
        let limit = Claims.maximumTokenBytes
        for bytes in [limit + 1, 10_000_000] {
            #expect(problem(token: String(repeating: ".", count: bytes)) == .tooLarge(bytes: bytes, limit: limit))
        }
        #expect(
            problem(token: String(repeating: "a", count: limit + 1))?.description
                == "the token has 24577 bytes, the limit is 24576; grant fewer permissions or shorten their names")
        let most = String(repeating: "x", count: 18_000)
        #expect(problem(Token.payload(#""other":"\#(most)""#)) == nil)
    }

    @Test("A token may list the groups of a large school")
    func manyGroups() throws {
        let entries = (0..<400).map { "annotations:delete:group=student-\(1000 + $0)" }
        let list = entries.map { #""\#($0)""# }.joined(separator: ",")
        let token = Token.make(
            payload: Token.payload(#""user_id":"ana","collaboration_permissions":[\#(list)]"#),
            signature: String(repeating: "A", count: 86))
        #expect(try Claims(token: token).grant.collaboration?.map(\.description) == entries)
    }

    @Test("Thousands of levels are not a payload")
    func tooDeep() {
        let deep = String(repeating: "[", count: 2500) + String(repeating: "]", count: 2500)
        #expect(problem(Token.payload(#""x":\#(deep)"#)) == .notBase64JSON(part: "payload"))
    }

    @Test("No problem repeats any part of the token")
    func leaksNothing() {
        let secret = "c2VjcmV0LXNpZ25hdHVyZQ"
        let tokens = [
            secret, "\(secret).\(secret)", "\(secret).\(secret).\(secret)",
            Token.make(payload: Token.payload(documentID: #"["\#(secret)"]"#), signature: secret),
            Token.make(payload: Token.payload(exp: #""\#(secret)""#), signature: secret),
            Token.make(payload: Token.payload(#""layer":"*\#(secret)""#), signature: secret),
        ]
        for token in tokens {
            let text = problem(token: token).map { "\($0) \(String(reflecting: $0))" }
            #expect(text != nil)
            #expect(text?.contains(secret) == false)
        }
    }

    @Test("Random bytes, cut and flipped tokens never crash the decoder", arguments: 0..<8 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let token = Token.make(
            payload: Token.payload(#""user_id":"ana","collaboration_permissions":["annotations:view:all"]"#))
        var refused = 0
        for _ in 0..<200 {
            var bytes = Array(token.utf8)
            for _ in 0...random.pick(0..<3) {
                let index = random.pick(bytes.indices)
                if random.chance(1, of: 4) {
                    bytes.removeSubrange(index...)
                } else {
                    bytes[index] = random.pick(33...126)
                }
                if bytes.isEmpty { break }
            }
            if problem(token: String(decoding: bytes, as: UTF8.self)) != nil { refused += 1 }
        }
        #expect(refused > 100)
    }
}

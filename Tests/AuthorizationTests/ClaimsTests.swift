import Annotations
import Authorization
import Testing

@Suite("Claims")
struct ClaimsTests {
    @Test func everything() throws {
        let claims = try claims(
            #"""
            "layer":"review","user_id":"ana","creator_name":"Ana Lopes","default_group":"law","nbf":10.5,"iat":11,
            "jti":"t-1","collaboration_permissions":["annotations:view:all","form-fields:fill:all"],"vendor":{"x":1}
            """#, permissions: #"["read-document","write"]"#, exp: "1.7e9")
        #expect(
            claims.grant
                == Grant(
                    documentID: "contract", layer: "review", userID: "ana", general: [.readDocument, .write],
                    collaboration: [Permission(.annotations, .view, .all), Permission(.formFields, .fill, .all)],
                    defaultGroup: "law", creatorName: "Ana Lopes", expiresAt: Timestamp(seconds: 1_700_000_000)))
        #expect(claims.notBefore == Timestamp(milliseconds: 10_500))
        #expect(claims.issuedAt == Timestamp(seconds: 11))
        #expect(claims.tokenID == "t-1")
        #expect(claims.warnings.isEmpty)
    }

    @Test(
        "Absent and null are the same: the default layer, an anonymous user, the null group",
        arguments: [
            "",
            #""layer":null,"user_id":null,"creator_name":null,"default_group":null,"group":null,"nbf":null,"jti":null"#,
        ])
    func absent(others: String) throws {
        let claims = try claims(others)
        #expect(claims.grant == Grant(documentID: "contract", expiresAt: Timestamp(seconds: 4_000_000_000)))
        #expect(claims.notBefore == nil && claims.issuedAt == nil && claims.tokenID == nil)
        #expect(claims.warnings.isEmpty)
    }

    @Test(
        arguments: [
            (nil, TokenError.missing("document_id")), ("null", .missing("document_id")),
            ("5", .wrongType("document_id", "a string")), (#"["a"]"#, .wrongType("document_id", "a string")),
            (#""""#, .wrongType("document_id", "a non-empty string")),
            (#""a\u0000b""#, .wrongType("document_id", "a string of at most 4096 bytes without NUL")),
            (#""../../etc/passwd""#, nil), (#""~""#, nil), (#""日本""#, nil),
        ] as [(String?, TokenError?)])
    func documentID(claim: String?, expected: TokenError?) {
        #expect(problem(Token.payload(documentID: claim)) == expected)
    }

    @Test(
        arguments: [
            (nil, TokenError.missing("permissions")), ("null", .missing("permissions")),
            (#""ALL""#, .wrongType("permissions", words)), (#""write""#, .wrongType("permissions", words)),
            ("true", .wrongType("permissions", words)), (#"{"all":true}"#, .wrongType("permissions", words)),
            (#"["write",["read-document"]]"#, .wrongType("permissions", words)),
            ("[1]", .wrongType("permissions", words)),
        ] as [(String?, TokenError?)])
    func badPermissions(claim: String?, expected: TokenError?) {
        #expect(problem(Token.payload(permissions: claim)) == expected)
    }

    @Test(
        arguments: [
            // One warning is that the token cannot open anything.
            (#""all""#, [GeneralPermission.readDocument, .download, .write], 0), ("[]", [], 1),
            (#"["write"]"#, [.write], 1),
            (#"["read-document","download","write"]"#, [.readDocument, .download, .write], 0),
            (#"["all"]"#, [], 2), (#"["read-document","extract-pages","Write"]"#, [.readDocument], 2),
            (#"["download","download"]"#, [.download], 1),
        ] as [(String, Set<GeneralPermission>, Int)])
    func permissions(claim: String, general: Set<GeneralPermission>, warnings: Int) throws {
        let claims = try claims(permissions: claim)
        #expect(claims.grant.general == general)
        #expect(claims.warnings.count == warnings)
    }

    @Test(
        arguments: [
            (nil, TokenError.missing("exp")), ("null", .missing("exp")), (#""4000000000""#, moment), ("-1", moment),
            ("1e308", moment), ("1e999", moment), ("9223372036854775808", moment), ("253402300800", moment),
            ("true", moment), ("[4000000000]", moment),
        ] as [(String?, TokenError)])
    func badExpiry(claim: String?, expected: TokenError) {
        #expect(problem(Token.payload(exp: claim)) == expected)
    }

    @Test(
        "A time is truncated to the millisecond, never rounded up: a token is not valid longer than it states",
        arguments: [
            ("0", Int64(0)), ("1.5", 1500), ("1.9999", 1999), ("4e9", 4_000_000_000_000),
            ("253402300799", 253_402_300_799_000),
        ])
    func expiry(claim: String, milliseconds: Int64) throws {
        #expect(try claims(exp: claim).grant.expiresAt.milliseconds == milliseconds)
    }

    @Test(arguments: ["nbf", "iat"])
    func otherMoments(claim: String) {
        #expect(problem(Token.payload(#""\#(claim)":"soon""#)) == .wrongType(claim, "seconds since 1970"))
    }

    @Test(arguments: ["layer", "user_id", "creator_name", "default_group", "group", "jti", "iss"])
    func names(claim: String) {
        #expect(problem(Token.payload(#""\#(claim)":7"#)) == .wrongType(claim, "a string"))
        let long = String(repeating: "x", count: 1025)
        let limit = TokenError.wrongType(claim, "a string of at most 1024 bytes without NUL")
        #expect(problem(Token.payload(#""\#(claim)":"\#(long)""#)) == limit)
        #expect(problem(Token.payload(#""\#(claim)":"a\u0000""#)) == limit)
    }

    @Test(
        "Audience and issuer (RFC 7519 sections 4.1.1 and 4.1.3)",
        arguments: [
            (#""aud":"a","iss":"i""#, ["a"], "i"), (#""aud":["a","b"]"#, ["a", "b"], nil), (#""aud":[]"#, [], nil),
            (#""aud":null,"iss":null"#, [], nil), ("", [], nil),
        ] as [(String, [String], String?)])
    func audienceAndIssuer(others: String, audience: [String], issuer: String?) throws {
        let claims = try claims(others)
        #expect(claims.audience == audience)
        #expect(claims.issuer == issuer)
    }

    @Test(arguments: ["7", "{}", "[7]", #"["a",null]"#, #"[["a"]]"#])
    func badAudience(claim: String) {
        #expect(problem(Token.payload(#""aud":\#(claim)"#)) == .wrongType("aud", "a string or an array of strings"))
    }

    @Test(
        "A server refuses users whose ids hide or act; a name to show may contain anything",
        arguments: ["\u{85}", "\u{9B}", "\u{202E}", "\u{2028}", "\u{FEFF}", "\u{200B}", "\u{7F}", "\u{1B}"])
    func invisibleUsers(character: String) throws {
        let odd = try claims(#""user_id":\#(JSON.string("a\(character)b").text)"#)
        #expect(!odd.hasVisibleUser)
        #expect(odd.warnings == [Claims.invisibleUser + "; servers refuse it"])
        let good = try claims(#""creator_name":\#(JSON.string("Ana \(character)").text),"user_id":"日本 é""#)
        #expect(good.hasVisibleUser && good.warnings.isEmpty)
        #expect(try claims("").hasVisibleUser)
    }

    @Test func whatAPersonWhoChecksATokenShouldKnow() throws {
        #expect(try claims(#""user_id":"ana","jti":"t","iat":1"#).remarks.isEmpty)
        let remarks = try claims("").remarks
        #expect(remarks.count == 3)
        for word in ["user_id", "jti", "iat"] { #expect(remarks.contains { $0.contains(#""\#(word)""#) }, "\(word)") }
        let blind = try claims(#""user_id":"ana""#, permissions: #"["download"]"#).warnings
        #expect(blind == [#"without the permission "read-document" this token cannot open the layer"#])
    }

    @Test(arguments: [
        (String(repeating: "x", count: 256), TokenError?.none), (String(repeating: "x", count: 257), .badLayerName),
        (String(repeating: "日", count: 256), nil), ("a*", .badLayerName), ("a/../b", nil), ("", nil),
    ])
    func layerNames(name: String, expected: TokenError?) {
        #expect(problem(Token.payload(#""layer":"\#(name)""#)) == expected)
    }

    @Test("The empty name is the null user and the null group, as in the grammar of permissions")
    func emptyNames() throws {
        let grant = try claims(#""user_id":"","default_group":"""#).grant
        #expect(grant.userID == nil)
        #expect(grant.defaultGroup == nil)
        #expect(problem(Token.payload(#""user_id":"","collaboration_permissions":[]"#)) == .collaborationWithoutUser)
    }

    @Test(
        arguments: [
            (#""default_group":"law""#, "law", 0), (#""group":"law""#, "law", 1),
            (#""group":"law","default_group":"law""#, "law", 0), (#""group":"law","default_group":null"#, "law", 1),
            (#""group":null,"default_group":"law""#, "law", 0), (#""group":"","default_group":"law""#, "law", 0),
            (#""group":null"#, nil, 0),
        ] as [(String, String?, Int)])
    func defaultGroup(others: String, group: String?, warnings: Int) throws {
        let claims = try claims(others)
        #expect(claims.grant.defaultGroup == group)
        #expect(claims.warnings.count == warnings)
    }

    @Test(
        "Two default groups that differ, even if they look alike",
        arguments: [
            #""group":"law","default_group":"tax""#, #""group":"\u00e9","default_group":"e\u0301""#,
        ])
    func twoDefaultGroups(others: String) {
        #expect(problem(Token.payload(others)) == .twoDefaultGroups)
    }

    @Test func collaborationPermissions() throws {
        let user = #""user_id":"ana","#
        let wrong = TokenError.wrongType("collaboration_permissions", "an array of strings")
        #expect(problem(Token.payload(#""collaboration_permissions":[]"#)) == .collaborationWithoutUser)
        #expect(problem(Token.payload(user + #""collaboration_permissions":"annotations:view:all""#)) == wrong)
        #expect(problem(Token.payload(user + #""collaboration_permissions":[["annotations:view:all"]]"#)) == wrong)
        #expect(problem(Token.payload(user + #""collaboration_permissions":{}"#)) == wrong)
        #expect(try claims(user + #""collaboration_permissions":null"#).grant.collaboration == nil)
        #expect(try claims(user + #""collaboration_permissions":[]"#).grant.collaboration == [])
        let odd = try claims(user + #""collaboration_permissions":["annotations:view","x:y:z","comments:view:all"]"#)
        #expect(odd.grant.collaboration == [Permission(.comments, .view, .all)])
        #expect(odd.warnings.count == 2)
    }

    @Test("Every problem is a sentence that a person can act on")
    func sentences() {
        #expect(
            problem(token: "x")?.description == "not a token: a JWT has three parts separated by dots; this has 1")
        #expect(problem(Token.payload(exp: nil))?.description == #"the token lacks the claim "exp""#)
        #expect(
            problem(Token.payload(documentID: "1"))?.description == #"the token's claim "document_id" must be a string"#
        )
    }

    private func claims(
        _ others: String = "", permissions: String = #""all""#, exp: String = "4000000000"
    ) throws -> Claims {
        try Claims(token: Token.make(payload: Token.payload(permissions: permissions, exp: exp, others)))
    }
}

private let words = #""all" or an array of strings"#
private let moment = TokenError.wrongType("exp", "seconds since 1970")

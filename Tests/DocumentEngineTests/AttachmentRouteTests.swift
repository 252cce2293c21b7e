import Annotations
import Authorization
import Crypto
import PostgresSupport
import SyncProtocol
import Testing

@Suite("Attachments over HTTP", .timeLimit(.minutes(15))) struct AttachmentRouteTests {
    private static let picture = Array("\u{89}PNG and the rest of a picture".utf8)
    private static let name = SHA256.hash(data: picture).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

    private func image(_ n: Int64, _ id: String, group: String? = nil) -> Change {
        let content = Samples.note("").changing {
            $0["type"] = "pspdfkit/image"
            $0["imageAttachmentId"] = .string(Self.name)
        }
        return Change(n: n, kind: .create, id: id, baseRevision: 0, group: group, content: content)
    }

    private func put(_ server: RunningServer, _ token: String, _ bytes: [UInt8] = picture) async throws
        -> RunningServer.Answer
    { try await server.client(token, "PUT", "attachments/" + Self.name, body: bytes) }

    @Test func aPictureGoesUpBeforeItsRecordAndDownToWhoSeesIt() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let early: PushAnswer = try await server.push(ana, [image(1, "i1")]).message()
            #expect(early.results.first?.status == .invalid, "the file must be uploaded first")
            #expect(try await put(server, ana).status == 200)
            #expect(try await put(server, ana).status == 200, "a repeated upload has no further effect")
            #expect(try await server.client(ana, "GET", "attachments/" + Self.name).status == 404, "no record names it")
            let named: PushAnswer = try await server.push(ana, [image(2, "i2")]).message()
            #expect(named.results.first?.status == .applied)

            let bo = try server.mint.token(TokenClaims(user: "bo"))
            let answer = try await server.client(bo, "GET", "attachments/" + Self.name)
            #expect(answer.body == Self.picture)
            #expect(answer.headers["content-type"] == "application/octet-stream")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            let backend = try await server.backend("GET", "/api/documents/doc/attachments/" + Self.name)
            #expect(backend.body == Self.picture)
            let tail = try await server.client(bo, "GET", "attachments/" + Self.name, headers: [("Range", "bytes=4-")])
            #expect((tail.status, tail.body) == (206, Array(Self.picture[4...])))
        }
    }

    /// An image record as the backend sends it. Its attachment is the form part that contains it, unless the record
    /// names one.
    private static func record(_ id: String, naming attachment: String? = nil) -> String {
        let named = attachment.map { #","imageAttachmentId":"\#($0)""# } ?? ""
        return #"{"id":"\#(id)","content":{"v":2,"type":"pspdfkit/image","pageIndex":0,"bbox":[1,2,3,4]\#(named)}}"#
    }

    @Test(arguments: [nil, "photo", Self.name])
    func aBackendSendsARecordTogetherWithItsFile(_ named: String?) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let path = "/api/documents/doc/layers/review/annotations"
            let form = Form([
                ("annotation", nil, Array(Self.record("i1", naming: named).utf8)), ("photo", "a.png", Self.picture),
            ])
            let made = try await server.backend(form, to: path)
            #expect(made.text == #"{"data":{"annotation_id":"i1"}}"#)
            let content = try await server.backend("GET", path + "/i1").json["content"]
            #expect(content?["imageAttachmentId"]?.string == Self.name)
            let file = try await server.backend("GET", "/api/documents/doc/attachments/" + Self.name)
            #expect(file.body == Self.picture)
            // Once uploaded, other records may name it.
            let second = try await server.backend("POST", path, json: Self.record("i2", naming: Self.name))
            #expect(second.status == 200)
        }
    }

    /// Exporting a layer as Instant JSON includes its files, and copying the document copies them.
    @Test func filesGoWithWhatNamesThem() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let form = Form([
                ("annotation", nil, Array(Self.record("i1").utf8)), ("photo", "a.png", Self.picture),
            ])
            _ = try await server.backend(form, to: "/api/documents/doc/annotations")
            let file = try await server.backend("GET", "/api/documents/doc/document.json")
            #expect(file.json["attachments"]?[Self.name]?["contentType"] == "application/octet-stream")
            _ = try await server.backend(
                "POST", "/api/copy_document", json: #"{"document_id":"doc","new_document_id":"copy"}"#)
            _ = try await server.backend("DELETE", "/api/documents/doc")
            let copied = try await server.backend("GET", "/api/documents/copy/attachments/" + Self.name)
            #expect(copied.body == Self.picture)
            _ = try await server.backend("DELETE", "/api/documents/copy")

            let upload = Form([
                ("file", "a.pdf", Samples.pdf), ("document_id", nil, Array("doc".utf8)),
                ("attachment", "a.json", file.body),
            ])
            #expect(try await server.backend(upload).json["data"]?["errors"] == [])
            try await server.upload("other")
            let apply = Form([("instant.json", "a.json", file.body)])
            let applied = try await server.backend(apply, to: "/api/documents/other/apply_instant_json")
            #expect(applied.json["data"]?["errors"] == [])
            // A file that a record of the base names is not deleted, and every viewer of that record can download it.
            server.clock.advance(seconds: 2 * 86_400)
            try await server.server.tidy()
            var claims = TokenClaims(expires: TestClock.start + 10 * 86_400_000)
            for document in ["doc", "other"] {
                let backend = try await server.backend("GET", "/api/documents/\(document)/attachments/" + Self.name)
                #expect(backend.body == Self.picture, "\(document)")
            }
            (claims.document, claims.issued) = ("doc", server.clock.now)
            let seen = try await server.client(try server.mint.token(claims), "GET", "attachments/" + Self.name)
            #expect(seen.body == Self.picture)
        }
    }

    @Test func aFileUnderAFalseNameIsTold() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let record =
                #"{"id":"i1","v":2,"type":"pspdfkit/image","pageIndex":0,"bbox":[1,2,3,4],"imageAttachmentId":"\#(Self.name)"}"#
            let file =
                #"{"format":"https://pspdfkit.com/instant-json/v1","annotations":[\#(record)],"attachments":{"\#(Self.name)":{"binary":"AAAA"}}}"#
            let form = Form([("instant.json", "a.json", Array(file.utf8))])
            let answer = try await server.backend(form, to: "/api/documents/doc/apply_instant_json")
            let errors = answer.json["data"]?["errors"]?.array?.compactMap { $0["reason"]?.string }
            #expect(errors?.first == Self.name + ": the SHA-256 does not match")
            #expect(errors?.count == 2, "the record that names it is refused too")
        }
    }

    @Test func aBackendNamesNoFileThatIsNotThere() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let path = "/api/documents/doc/annotations"
            let unknown = Self.record("i1", naming: Self.name)
            let alone = try await server.backend("POST", path, json: unknown)
            #expect((alone.status, alone.reason) == (422, "invalid"))
            let many = try await server.backend("POST", path, json: #"{"annotations":[\#(unknown)]}"#)
            #expect(many.json["failing_paths"]?.array?.first?["path"] == "$.annotations[0]")
            #expect(many.json["failing_paths"]?.array?.first?["error"] == "invalid")
            _ = try await server.backend("POST", path, json: Self.record("i1"))
            #expect(try await server.backend("PUT", path + "/i1", json: unknown).reason == "invalid")
        }
    }

    @Test(arguments: [
        (Form([("photo", "a.png", picture)]), "bad_request"),
        (Form([("annotation", nil, Array("{".utf8)), ("photo", "a.png", picture)]), "bad_request"),
        (Form([("annotation", nil, Array("{}".utf8)), ("photo", "a.png", picture)]), "invalid"),
        (
            Form([("annotation", nil, Array(record("i1").utf8)), ("a", "a.png", picture), ("b", "b.png", picture)]),
            "bad_request"
        ),
        (Form([("annotation", nil, Array(record("i1").utf8)), ("a", "a.png", picture)], cut: 9), "bad_request"),
    ])
    func aFormThatIsNoRecordWithItsFileIsRefused(_ form: Form, _ reason: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let answer = try await server.backend(form, to: "/api/documents/doc/annotations")
            #expect(answer.reason == reason, "\(answer.text)")
            #expect(try await server.backend("GET", "/api/documents/doc/annotations/i1").status == 404)
        }
    }

    @Test func whoSeesNoRecordThatNamesItSeesNoFile() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await put(server, ana)
            _ = try await server.push(ana, [image(1, "i1", group: "secret")])
            let outside = try server.mint.token(
                TokenClaims(user: "bo", collaboration: ["annotations:view:group=open"]))
            #expect(try await server.client(outside, "GET", "attachments/" + Self.name).reason == "not_found")
            let inside = try server.mint.token(
                TokenClaims(user: "cy", collaboration: ["annotations:view:group=secret"]))
            #expect(try await server.client(inside, "GET", "attachments/" + Self.name).status == 200)
            let elsewhere = try server.mint.token(TokenClaims(layer: "other"))
            #expect(try await server.client(elsewhere, "GET", "attachments/" + Self.name).status == 404)
        }
    }

    // MARK: Permission to name a file

    enum Kind: CaseIterable { case file, database }

    private func run(on kind: Kind, _ body: (RunningServer) async throws -> Void) async throws {
        try await RunningServer.run({ if kind == .database { $0.postgres = try TestDatabase().address } }, body)
    }

    private func naming(
        _ server: RunningServer, _ token: String, client: String, _ change: Change
    ) async throws -> ChangeResult {
        let answer: PushAnswer = try await server.push(token, client: client, [change]).message()
        return try #require(answer.results.first)
    }

    /// A token of another layer that knows the SHA-256 gets neither the file nor a hint that the server has it.
    @Test(arguments: Kind.allCases) func aFileOfAnotherLayerIsNotThere(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            try await server.upload()
            let bo = try server.mint.token(TokenClaims(layer: "other", user: "bo"))
            let missing = try await naming(server, bo, client: "b1", image(1, "b"))
            let ana = try server.mint.token(TokenClaims())
            #expect(try await put(server, ana).status == 200)
            #expect(try await naming(server, ana, client: "a1", image(1, "a")).status == .applied)
            let known = try await naming(server, bo, client: "b2", image(1, "b"))
            #expect(known == missing, "one answer")
            #expect(known.status == .invalid)
            #expect(try await server.client(bo, "GET", "attachments/" + Self.name).status == 404)
            // Uploading the bytes proves possession.
            #expect(try await put(server, bo).status == 200)
            #expect(try await naming(server, bo, client: "b2", image(2, "b")).status == .applied)
            #expect(try await server.client(bo, "GET", "attachments/" + Self.name).body == Self.picture)
        }
    }

    @Test(arguments: Kind.allCases) func aFileOfAHiddenRecordIsNotThere(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await put(server, ana)
            _ = try await naming(server, ana, client: "a", image(1, "a", group: "secret"))
            let rules = ["annotations:view:self", "annotations:edit:self"]
            let guest = try server.mint.token(
                TokenClaims(user: "guest", collaboration: rules, defaultGroup: "open"))
            let hidden = try await naming(server, guest, client: "g", image(1, "g", group: "open"))
            #expect(hidden.status == .invalid)
            _ = try await naming(server, guest, client: "g", Samples.create(2, "own", group: "open"))
            var moved = image(3, "own", group: "open")
            (moved.kind, moved.baseRevision) = (.update, 2)
            #expect(try await naming(server, guest, client: "g", moved).reason == hidden.reason)
            #expect(try await server.client(guest, "GET", "attachments/" + Self.name).status == 404)
            // A token that sees the record may name its file without uploading it.
            let inside = try server.mint.token(
                TokenClaims(user: "cy", collaboration: ["annotations:view:group=secret"], defaultGroup: "open"))
            #expect(
                try await naming(server, inside, client: "c", image(1, "c", group: "open")).status == .applied)
        }
    }

    /// All tokens without a user count as one user; a token with a name is a different user.
    @Test(arguments: Kind.allCases) func theAnonymousUserIsOne(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            try await server.upload()
            let nobody = try server.mint.token(TokenClaims(user: nil))
            #expect(try await put(server, nobody).status == 200)
            let ana = try server.mint.token(TokenClaims())
            #expect(try await naming(server, ana, client: "a", image(1, "a")).status == .invalid)
            let again = try server.mint.token(TokenClaims(user: nil, id: "another"))
            #expect(try await naming(server, again, client: "n", image(1, "n")).status == .applied)
        }
    }

    /// A copy has the records and therefore the files. The uploader's rights apply to the first layer only.
    @Test(arguments: Kind.allCases) func aCopiedLayerShowsItsFilesAndNotWhoUploadedThem(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await put(server, ana)
            _ = try await naming(server, ana, client: "a", image(1, "a", group: "secret"))
            let made = try await server.backend(
                "POST", "/api/documents/doc/layers", json: #"{"name":"copy","source_layer_name":"review"}"#)
            #expect(made.status == 200, "\(made.text)")
            let rules = ["annotations:view:group=open"]
            let hidden = try server.mint.token(
                TokenClaims(layer: "copy", user: "ana", collaboration: rules, defaultGroup: "open"))
            #expect(
                try await naming(server, hidden, client: "x", image(1, "x", group: "open")).status == .invalid)
            let seen = try server.mint.token(TokenClaims(layer: "copy", user: "bo"))
            #expect(try await naming(server, seen, client: "b", image(1, "b")).status == .applied)
        }
    }

    @Test func whatIsWrongLeavesNothingBehind() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            #expect(try await put(server, ana, Array("other bytes".utf8)).reason == "invalid")
            #expect(try await put(server, ana, []).reason == "invalid")
            let reader = try server.mint.token(TokenClaims(user: "bo", permissions: #"["read-document"]"#))
            #expect(try await put(server, reader).reason == "insufficient_scope")
            #expect(try await server.send("PUT", "/instant/v1/attachments/" + Self.name, body: []).status == 401)
            for name in ["..%2F..%2Fpostilla.sqlite", Self.name.uppercased(), "x", "%00", Self.name + "%2F"] {
                #expect(try await server.client(ana, "PUT", "attachments/" + name, body: []).status == 404, "\(name)")
                #expect(try await server.client(ana, "GET", "attachments/" + name).status == 404, "\(name)")
                #expect(try await server.backend("GET", "/api/documents/doc/attachments/" + name).status == 404)
            }
            #expect(try await server.client(ana, "POST", "attachments/" + Self.name).status == 405)
            let after: PushAnswer = try await server.push(ana, [image(1, "i1")]).message()
            #expect(after.results.first?.status == .invalid)
        }
    }

    @Test func oneThatIsTooLargeIsNotTaken() async throws {
        try await RunningServer.run {
            $0.service.attachmentBytes = Int64(Self.picture.count) - 1
        } _: { server in
            try await server.upload()
            #expect(try await put(server, try server.mint.token(TokenClaims())).reason == "payload_too_large")
        }
    }

    @Test func whatNobodyNamedForADayIsForgotten() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims(expires: TestClock.start + 10 * 86_400_000))
            _ = try await put(server, ana)
            try await server.server.tidy()
            _ = try await server.push(ana, [image(1, "i1")])
            server.clock.advance(seconds: 2 * 86_400)
            try await server.server.tidy()
            #expect(try await server.client(ana, "GET", "attachments/" + Self.name).status == 200, "a record names it")
            _ = try await server.push(
                ana, [Change(n: 2, kind: .delete, id: "i1", baseRevision: 1, group: nil, content: nil)])
            server.clock.advance(seconds: 31 * 86_400)
            try await server.server.tidy()
            #expect(try await server.backend("GET", "/api/documents/doc/attachments/" + Self.name).status == 404)
        }
    }
}

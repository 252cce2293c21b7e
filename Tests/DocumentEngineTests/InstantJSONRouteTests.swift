import Annotations
import SyncProtocol
import Testing

@Suite("Instant JSON and copies over HTTP", .timeLimit(.minutes(15))) struct InstantJSONRouteTests {
    private static let format = #""format":"https://pspdfkit.com/instant-json/v1""#
    private static let note =
        #"{"id":"n","v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":{"format":"plain","value":"noted"},"createdBy":"ana","group":"g"}"#
    private static let reply = #"{"id":"r","v":1,"rootId":"m","text":"said","pageIndex":0,"createdBy":"bo"}"#
    private static let marker =
        #"{"id":"m","v":1,"type":"pspdfkit/comment-marker","pageIndex":0,"bbox":[1,2,3,4],"createdBy":"ana"}"#

    private func apply(_ server: RunningServer, _ json: String, to path: String = "doc") async throws
        -> RunningServer.Answer
    {
        try await server.backend(
            Form([("instant.json", "layer.json", Array(json.utf8))]), to: "/api/documents/\(path)/apply_instant_json")
    }

    private func ids(_ json: JSON?, _ name: String) -> [String] {
        json?[name]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    @Test func whatIsAppliedComesOutAgain() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let before = try await server.backend("GET", "/api/documents/doc/document.json").json
            #expect(ids(before, "annotations") == ["6", "7"])
            let file =
                #"{\#(Self.format),"skippedPdfObjectIds":[6],"annotations":[\#(Self.note),\#(Self.marker)],"comments":[\#(Self.reply)]}"#
            let applied = try await apply(server, file)
            #expect((applied.status, applied.json["data"]?["errors"]?.array?.count) == (200, 0))
            let after = try await server.backend("GET", "/api/documents/doc/document.json").json
            #expect(ids(after, "annotations") == ["7", "m", "n"])
            #expect(ids(after, "comments") == ["r"])
            let note = after["annotations"]?.array?.last
            #expect(note?["createdBy"]?.string == "ana")
            #expect(note?["group"]?.string == "g")
            #expect(note?["text"]?["value"]?.string == "noted")
            // Importing again updates the text and creates no duplicates.
            let again = try await apply(
                server, file.replacing("noted", with: "noted again").replacing("[6]", with: "[]"))
            #expect(again.json["data"]?["errors"]?.array?.count == 0)
            let last = try await server.backend("GET", "/api/documents/doc/document.json").json
            #expect(ids(last, "annotations") == ["7", "m", "n"])
            #expect(last["annotations"]?.array?.last?["text"]?["value"]?.string == "noted again")
        }
    }

    @Test func aLayerIsMadeByWhatIsAppliedToIt() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            _ = try await apply(server, "{\(Self.format),\"annotations\":[\(Self.note)]}", to: "doc/layers/other")
            let other = try await server.backend("GET", "/api/documents/doc/layers/other/document.json").json
            #expect(ids(other, "annotations") == ["6", "7", "n"])
            let plain = try await server.backend("GET", "/api/documents/doc/document.json").json
            #expect(ids(plain, "annotations") == ["6", "7"])
            #expect(try await server.backend("GET", "/api/documents/doc/layers/none/document.json").status == 404)
        }
    }

    @Test func whatIsWrongInAFileIsToldAndTheRestIsDone() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let bad = #"{"id":"bad","v":1,"type":"pspdfkit/note","pageIndex":99,"bbox":[1,2,3,4]}"#
            let lost = #"{"id":"lost","v":1,"rootId":"nobody","text":"said"}"#
            let answer = try await apply(
                server, "{\(Self.format),\"annotations\":[\(bad),\(Self.note)],\"comments\":[\(lost)]}")
            let reasons = answer.json["data"]?["errors"]?.array?.compactMap { $0["reason"]?.string } ?? []
            #expect(reasons.map { $0.prefix(while: { $0 != ":" }) } == ["bad", "lost"])
            let after = try await server.backend("GET", "/api/documents/doc/document.json").json
            #expect(ids(after, "annotations") == ["6", "7", "n"])
            for garbage in ["", "[]", "{", "{}", #"{"format":"other"}"#, #"{\#(Self.format),"annotations":3}"#] {
                #expect(try await apply(server, garbage).reason == "bad_request", "\(garbage)")
            }
            #expect(try await apply(server, "{\(Self.format)}", to: "none").status == 404)
        }
    }

    @Test(arguments: [false, true]) func aFileBesideThePDFTakesThePlaceOfItsAnnotations(_ keeps: Bool) async throws {
        try await RunningServer.run { server in
            let bad = #"{"id":"bad","v":9}"#
            let file = "{\(Self.format),\"annotations\":[\(Self.note),\(bad)]}"
            let answer = try await server.backend(
                Form([
                    ("file", "a.pdf", Samples.pdf), ("document_id", nil, Array("doc".utf8)),
                    ("attachment", "a.json", Array(file.utf8)),
                    ("keep_current_annotations", nil, Array("\(keeps)".utf8)),
                ]))
            #expect(answer.status == 200)
            #expect(answer.json["data"]?["errors"]?.array?.count == 1)
            let after = try await server.backend("GET", "/api/documents/doc/document.json").json
            #expect(ids(after, "annotations") == (keeps ? ["6", "7", "n"] : ["n"]))
        }
    }

    /// Swift treats the two ids as equal strings.
    @Test func idsThatLookTheSameAreTwoRecords() async throws {
        try await RunningServer.run { server in
            let notes = ["caf\u{E9}", "cafe\u{301}"].map { Self.note.replacing(#""id":"n""#, with: #""id":"\#($0)""#) }
            let file = "{\(Self.format),\"annotations\":[\(notes.joined(separator: ","))]}"
            let form = Form([
                ("file", "a.pdf", Samples.pdf), ("document_id", nil, Array("doc".utf8)),
                ("attachment", "a.json", Array(file.utf8)),
            ])
            #expect(try await server.backend(form).json["data"]?["errors"]?.array?.isEmpty == true)
            let after = try await server.backend("GET", "/api/documents/doc/document.json").json
            #expect(after["annotations"]?.array?.count == 2)
            #expect(try await server.backend("GET", "/api/documents/doc/pdf").status == 200)
        }
    }

    @Test func aCopyIsADocumentOfItsOwn() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            _ = try await apply(server, "{\(Self.format),\"annotations\":[\(Self.note)]}", to: "doc/layers/review")
            func copy(_ body: String) async throws -> RunningServer.Answer {
                try await server.backend("POST", "/api/copy_document", json: body)
            }
            let answer = try await copy(#"{"document_id":"doc","new_document_id":"copy"}"#)
            #expect(answer.json["data"]?["document_id"]?.string == "copy")
            _ = try await server.backend("DELETE", "/api/documents/doc")
            let layers = try await server.backend("GET", "/api/documents/copy/layers").json["data"]?.array
            #expect(layers?.compactMap(\.string) == ["review"])
            let review = try await server.backend("GET", "/api/documents/copy/layers/review/document.json").json
            #expect(ids(review, "annotations") == ["6", "7", "n"])
            #expect(try await server.backend("GET", "/api/documents/copy/pdf?source=true").body == Samples.pdf)
            let named = try await copy(#"{"document_id":"copy"}"#).json["data"]?["document_id"]?.string
            #expect(named?.isEmpty == false)
            #expect(try await copy(#"{"document_id":"copy","new_document_id":"copy"}"#).reason == "already_exists")
            #expect(try await copy(#"{"document_id":"doc"}"#).status == 404)
            for bad in ["{}", "[]", #"{"document_id":3}"#, #"{"document_id":"copy","new_document_id":[]}"#] {
                #expect(try await copy(bad).reason == "bad_request", "\(bad)")
            }
        }
    }
}

import Annotations
import TestSupport
import Testing

@Suite("XFDF over HTTP", .timeLimit(.minutes(15))) struct XFDFRouteTests {
    private static let xfdf = """
        <?xml version="1.0" encoding="UTF-8"?>
        <xfdf xmlns="http://ns.adobe.com/xfdf/"><annots>
        <highlight name="h" page="0" rect="100,700,200,712" coords="100,712,200,712,100,700,200,700" title="Ana"/>
        <text name="c" page="0" rect="100,700,132,732" inreplyto="h"><contents>why?</contents></text>
        <ink page="7" rect="0,0,9,9" name="far"/>
        </annots></xfdf>
        """

    private func upload(
        _ server: RunningServer, _ file: String, keeping: Bool = false
    ) async throws -> RunningServer.Answer {
        try await server.backend(
            Form([
                ("file", "a.pdf", Samples.pdf), ("document_id", nil, Array("doc".utf8)),
                ("attachment", "a.xfdf", Array(file.utf8)),
                ("keep_current_annotations", nil, Array("\(keeping)".utf8)),
            ]))
    }

    @Test(arguments: [false, true]) func anUploadBringsItsAnnotationsAsXFDF(_ keeping: Bool) async throws {
        try await RunningServer.run { server in
            let answer = try await upload(server, "\u{FEFF} \n" + Self.xfdf.dropFirst(39), keeping: keeping)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["data"]?["errors"] == [["reason": "far: no such page in the document"]])
            let list = try await server.backend("GET", "/api/documents/doc/annotations").json["data"]?["annotations"]
            #expect(list?.array?.compactMap { $0["id"]?.string } == (keeping ? ["6", "7", "h"] : ["h"]))
            let thread = try await server.backend("GET", "/api/documents/doc/annotations/h/comments").json["data"]
            #expect(thread?["comments"]?.array?.first?["content"]?["text"] == "why?")
        }
    }

    @Test(arguments: [
        "<xfdf>", "<html/>", #"<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><xfdf>&f;</xfdf>"#,
    ])
    func whatIsNoXFDFLeavesNothingBehind(_ file: String) async throws {
        try await RunningServer.run { server in
            let answer = try await upload(server, file)
            #expect((answer.status, answer.reason) == (400, "bad_request"))
            #expect(answer.json["error"]?["description"]?.string?.hasPrefix("invalid XFDF: 1:") == true)
            #expect(try await server.backend("GET", "/api/documents/doc/properties").status == 404)
        }
    }

    @Test func aLayerGoesOutAndComesInAgain() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let path = "/api/documents/doc/layers/review"
            _ = try await server.backend(
                "POST", path + "/annotations", json: #"{"id":"n","content":\#(Samples.note("a <b> & c").text)}"#)
            _ = try await server.backend(
                "POST", path + "/annotations/6/comments", json: #"{"comments":[{"id":"c","content":{"text":"so?"}}]}"#)
            let file = try await server.backend("GET", path + "/document.xfdf")
            #expect(file.status == 200)
            #expect(file.headers["content-type"] == "application/vnd.adobe.xfdf")
            // The default layer holds the PDF's own annotations.
            let own = try await server.backend("GET", "/api/documents/doc/document.xfdf")
            #expect(own.text.contains("look here") && !own.text.contains("so?"))
            #expect(try await server.backend("GET", "/api/documents/doc/layers/none/document.xfdf").status == 404)
            #expect(try await server.backend("GET", "/api/documents/none/document.xfdf").status == 404)
            #expect(try await server.backend("POST", path + "/document.xfdf").status == 405)

            _ = try await server.backend("DELETE", "/api/documents/doc")
            #expect(try await upload(server, file.text).json["data"]?["errors"] == [])
            let again = try await server.backend("GET", "/api/documents/doc/document.xfdf")
            #expect(again.text.split(separator: "\n").sorted() == file.text.split(separator: "\n").sorted())
        }
    }

    /// The schema demands the bytes, which a record of the PDF does not have.
    @Test func anAttachedFileOfThePDFGoesAlong() async throws {
        try await RunningServer.run { server in
            let answer = try await server.backend(
                Form([
                    ("file", "a.pdf", Array(EveryKindPDF.bytes)), ("document_id", nil, Array("doc".utf8)),
                ]))
            #expect(answer.status == 200, "\(answer.text)")
            let file = try await server.backend("GET", "/api/documents/doc/document.xfdf")
            #expect(file.status == 200)
            let left = try #require(file.headers["x-postilla-left-out"])
            #expect(left.contains("1 sound") && !left.contains("attached file"), "\(left)")

            _ = try await server.backend("DELETE", "/api/documents/doc")
            // The page of the new document is not that of every annotation.
            let errors = try #require(try await upload(server, file.text).json["data"]?["errors"]?.array)
            #expect(errors.allSatisfy { $0["reason"]?.string?.hasSuffix("no such page in the document") == true })
            let list = try await server.backend("GET", "/api/documents/doc/annotations").json["data"]?["annotations"]
            let record = try #require(list?.array?.first { $0["content"]?["type"] == "postilla/file" })
            #expect(record["content"]?["fileName"] == "table.csv")
            let id = try #require(record["content"]?["fileAttachmentId"]?.string)
            let bytes = try await server.backend("GET", "/api/documents/doc/attachments/\(id)")
            #expect(bytes.text == EveryKindPDF.file)
        }
    }
}

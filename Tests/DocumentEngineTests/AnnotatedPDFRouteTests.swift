import Annotations
import Children
import Foundation
import PDFPages
import TestSupport
import Testing

@testable import DocumentEngine

@Suite("The PDF with a layer's annotations", .timeLimit(.minutes(15))) struct AnnotatedPDFRouteTests {
    /// The annotations in a PDF response, as records.
    private func annotations(_ answer: RunningServer.Answer) async throws -> [Record] {
        let folder = try TemporaryFolder()
        let path = folder.path + "/answer.pdf"
        try Data(answer.body).write(to: URL(fileURLWithPath: path))
        return try await PDFTools().annotations(of: path).records
    }

    @Test func eachLayerHasItsOwn() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            let layer = "/api/documents/doc/layers/review"
            _ = try await server.backend(
                "POST", layer + "/annotations", json: #"{"id":"n","content":\#(Samples.note("new words").text)}"#)
            _ = try await server.backend(
                "POST", layer + "/annotations/6/comments", json: #"{"comments":[{"content":{"text":"so?"}}]}"#)
            _ = try await server.backend("DELETE", layer + "/annotations/7")
            let answer = try await server.backend("GET", layer + "/pdf")
            #expect((answer.status, answer.headers["content-type"]) == (200, "application/pdf"))
            let records = try await annotations(answer)
            #expect(Set(records.map { $0.content["text"]?.string }) == [nil, "new words", "so?"])
            let root = records.first { $0.content["creatorName"] == "Ann" }
            let reply = records.first { $0.content["text"] == "so?" }
            #expect(reply?.content["rootId"]?.string == root?.id)
            // The default layer matches the file.
            let own = try await annotations(try await server.backend("GET", "/api/documents/doc/pdf"))
            #expect(own.map { $0.content["creatorName"] } == ["Ann", "Bob"])
            #expect(try await server.backend("GET", layer + "/pdf?source=true").body == Samples.pdf)
            #expect(try await server.backend("GET", "/api/documents/doc/layers/none/pdf").status == 404)
            #expect(try await server.backend("GET", "/api/documents/none/pdf").reason == "document_not_found")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/pdf")
        #expect(left.count == 2, "\(left)")
    }

    /// A PDF whose owner password restricts changes is read like any other.
    @Test func aFileWithAnOwnersPasswordIsAnnotated() async throws {
        let folder = try TemporaryFolder()
        let (plain, locked) = (folder.path + "/plain.pdf", folder.path + "/locked.pdf")
        try Data(Samples.pdf).write(to: URL(fileURLWithPath: plain))
        let process = try ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["qpdf", "--encrypt", "", "owner", "256", "--", plain, locked])
        process.waitUntilExit()
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: locked)))
        try await RunningServer.run { server in
            try await server.upload("doc", bytes)
            _ = try await server.backend(
                "POST", "/api/documents/doc/annotations", json: #"{"id":"n","content":\#(Samples.note("more").text)}"#)
            let records = try await annotations(try await server.backend("GET", "/api/documents/doc/pdf"))
            #expect(records.count == 3)
        }
    }

    @Test func aPictureIsInIt() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let record = #"{"content":{"v":1,"type":"pspdfkit/image","pageIndex":0,"bbox":[1,2,30,40]}}"#
            // The smallest possible JPEG: the server only reads its header.
            let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xFF, 0xD9]
            let form = Form([("annotation", nil, Array(record.utf8)), ("photo", "a.jpg", jpeg)])
            _ = try await server.backend(form, to: "/api/documents/doc/annotations")
            let pdf = try await server.backend("GET", "/api/documents/doc/pdf").body
            #expect(String(decoding: pdf, as: UTF8.self).contains("/DCTDecode"))
        }
    }

    /// Notes, ids and authors that begin with what joins the character before it.
    @Test func textsThatBeginWithACombiningCharacterAreInIt() async throws {
        let texts = AwkwardText.all
        try await RunningServer.run { server in
            try await server.upload()
            for (number, text) in texts.enumerated() {
                let note = Samples.note(text).changing { $0["creatorName"] = .string(text) }
                let answer = try await server.backend(
                    "POST", "/api/documents/doc/annotations",
                    json: #"{"id":"\u0308\#(number)","content":\#(note.text)}"#)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let answer = try await server.backend("GET", "/api/documents/doc/pdf")
            #expect(answer.status == 200)
            let records = try await annotations(answer)
            for member in ["text", "creatorName"] {
                let found = Set(records.compactMap { $0.content[member]?.string.map(ByteOrdered.init) })
                #expect(found.isSuperset(of: texts.map(ByteOrdered.init)), "\(member)")
            }
        }
    }

    @Test func aFileNameMayBeginWithACombiningCharacter() throws {
        var parser = MultipartParser(boundary: "b")
        let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\u{308}x;y.pdf\"\r\n\r\n"
        let events = try parser.feed(Array(head.utf8)[...])
        guard case .part(let part)? = events.first else { return #expect(Bool(false), "no part") }
        #expect(part.name == "file" && part.fileName.isExactly("\u{308}x;y.pdf"))
    }
}

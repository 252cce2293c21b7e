import Annotations
import DocumentEngine
import Foundation
import SyncProtocol
import TestSupport
import Testing

/// The customer's backend uploads, finds and deletes documents.
@Suite("Documents", .timeLimit(.minutes(15))) struct DocumentRouteTests {
    @Test func anUploadIsAnsweredInTheVendorsEnvelope() async throws {
        try await RunningServer.run { server in
            let answer = try await server.upload("contract/../7")
            let data = try #require(answer.json["data"])
            #expect(data["document_id"] == "contract/../7")
            #expect(data["password_protected"] == false)
            #expect(data["createdAt"] == .string(server.clock.now.iso8601))
            #expect(data["errors"] == [])
            #expect(data["sourcePdfSha256"]?.string?.count == 64)

            let path = "/api/documents/contract%2F..%2F7"
            let properties = try await server.backend("GET", path + "/properties").json["data"]
            #expect(properties?["byteSize"]?.integer == Int64(Samples.pdf.count))
            #expect(properties?["sourcePdfSha256"] == data["sourcePdfSha256"])
            #expect(properties?["passwordProtected"] == false)
            let info = try await server.backend("GET", path + "/document_info").json["data"]
            #expect(info?["pageCount"] == 1)
            #expect(info?["pages"]?.array?.first?["width"]?.double == 612)
            #expect(info?["pages"]?.array?.first?["height"]?.double == 792)
            #expect(try await server.backend("GET", path + "/pdf?source=true").body == Samples.pdf)
        }
    }

    @Test func anIdIsTakenOnceUnlessItIsOverwritten() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let again = try await server.upload()
            #expect((again.status, again.reason) == (400, "already_exists"))

            let other = SmallPDF(annotations: [], word: "Other").bytes
            let token = try server.mint.token(TokenClaims())
            let before = try await server.session(token)
            #expect(try await server.upload("doc&overwrite_existing_document=true", other).status == 200)
            let after = try await server.session(token)
            #expect(after.pdfSHA256 != before.pdfSHA256)
            // With a new base, a client with the old epoch starts over.
            let stale = try await server.client(token, "GET", "records?since=0&epoch=\(before.epoch)")
            #expect((stale.status, stale.reason) == (410, "epoch_changed"))
            #expect(try await server.client(token, "GET", "document").body == other)
        }
    }

    @Test func aFormBringsIdAndTitle() async throws {
        try await RunningServer.run { server in
            let form = Form([
                ("document_id", nil, Array("form-1".utf8)), ("title", nil, Array("Ünïcode — title".utf8)),
                ("file", "a;b.pdf", Samples.pdf),
            ])
            let answer = try await server.backend(form)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["data"]?["document_id"] == "form-1")
            #expect(answer.json["data"]?["title"] == "Ünïcode — title")
            #expect(try await server.backend("GET", "/api/documents/form-1/pdf?source=true").body == Samples.pdf)
        }
    }

    /// Of a longer title, whole characters are kept: as many as fit into 1,024 bytes, up to 256.
    @Test func aLongTitleIsCut() async throws {
        try await RunningServer.run { server in
            let family = "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}"
            func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }
            for (title, cut) in [
                (times(1024, "x"), times(1024, "x")), (times(1025, "x"), times(256, "x")),
                (times(100, family), times(40, family)), ("e" + times(2000, "\u{301}"), "e" + times(511, "\u{301}")),
            ] {
                let form = Form([("title", nil, Array(title.utf8)), ("file", "a.pdf", Samples.pdf)])
                let answer = try await server.backend(form)
                #expect(answer.json["data"]?["title"] == .string(cut))
            }
        }
    }

    @Test(arguments: [
        Form([("title", nil, Array("no file".utf8))]),
        Form([("file", "a.pdf", Samples.pdf), ("file", "b.pdf", Samples.pdf)]),
        Form([("file", "a.pdf", Samples.pdf), ("attachment", "x.json", [])]),
        Form([("file", "a.pdf", Samples.pdf)], cut: 20), Form([("file", "a.pdf", Samples.pdf)], boundary: ""),
    ])
    func aFormThatCannotBeTakenIsRefused(_ form: Form) async throws {
        try await RunningServer.run { server in
            let answer = try await server.backend(form)
            #expect(answer.status == 400)
            #expect(try await server.backend("GET", "/api/documents").json["document_count"] == 0)
        }
    }

    @Test(arguments: [
        (BadFile.empty, "empty"), (.text, "not a PDF"), (.cut, "incomplete or damaged"), (.encrypted, "encrypted"),
    ])
    func aFileThatCannotBeReadLeavesNothingBehind(_ file: BadFile, _ why: String) async throws {
        let folder = try TemporaryFolder()
        let bytes = try file.bytes(folder)
        try await RunningServer.run(folder: folder) { server in
            let answer = try await server.upload("bad", bytes)
            #expect((answer.status, answer.reason) == (422, "invalid"), "\(answer.text)")
            #expect(answer.json["error"]?["description"]?.string?.contains(why) == true, "\(answer.text)")
            #expect(try await server.backend("GET", "/api/documents/bad/properties").status == 404)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/pdf")
        #expect(left.isEmpty)
    }

    @Test func theListGoesPageByPage() async throws {
        try await RunningServer.run { server in
            for name in ["c", "a", "b"] {
                try await server.upload(name + "&title=T" + name)
                server.clock.advance(seconds: 1)
            }
            func ids(_ query: String) async throws -> [String] {
                let data = try await server.backend("GET", "/api/documents" + query).json["data"]?.array ?? []
                return data.compactMap { $0["document_id"]?.string }
            }
            #expect(try await ids("") == ["c", "a", "b"])
            #expect(try await ids("?order_by=title&order_direction=desc") == ["c", "b", "a"])
            #expect(try await ids("?title=tB") == ["b"])
            let first = try await server.backend("GET", "/api/documents?page_size=2&count_remaining=true").json
            #expect(first["document_count"] == 3)
            #expect(first["remaining_count"] == 1)
            #expect(first["prev_cursor"] == .null)
            let cursor = try #require(first["next_cursor"]?.string)
            #expect(!cursor.contains("="))
            #expect(try await ids("?page_size=2&cursor=\(cursor)") == ["b"])
            let second = try await server.backend("GET", "/api/documents?page_size=2&cursor=\(cursor)").json
            #expect(second["next_cursor"] == .null)
            let back = try #require(second["prev_cursor"]?.string)
            #expect(try await ids("?page_size=2&cursor=\(back)") == ["c", "a"])
            for wrong in ["?cursor=%2Fx", "?page_size=0", "?page_size=x", "?order_by=size", "?order_direction=up"] {
                #expect(try await server.backend("GET", "/api/documents" + wrong).status == 400, "\(wrong)")
            }
        }
    }

    @Test func aDeletedDocumentIsGoneForEverybody() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            var events = try await EventReader(server, token)
            #expect(try await events.session()?.kind == .open)
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 200)
            #expect(try await events.session()?.kind == .lost)
            #expect(try await events.next() == nil)
            let session = try await server.client(token, "GET", "session")
            #expect((session.status, session.reason) == (404, "document_not_found"))
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 404)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/pdf")
            #expect(left.isEmpty)
        }
    }

    @Test(arguments: [
        nil, "Token", "Token token=", #"Token token="wrong""#, #"Token token="the backend's secret2""#,
        "Bearer the backend's secret",
    ])
    func withoutTheSecretNothingIsTold(_ header: String?) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            for path in ["/api/documents", "/api/documents/doc/properties", "/api/documents/none/properties"] {
                let answer = try await server.send(
                    "GET", path, headers: header.map { [("Authorization", $0)] } ?? [])
                #expect((answer.status, answer.reason) == (401, "unauthorized"))
                #expect(answer.headers["www-authenticate"] == "Token")
            }
        }
    }

    @Test func theBackendIsClosedWithoutASecret() async throws {
        try await RunningServer.run {
            $0.secrets = []
        } _: { server in
            let answer = try await server.backend("GET", "/api/documents")
            #expect(answer.status == 401)
            #expect(try await server.send("GET", "/healthcheck").status == 200)
        }
    }
}

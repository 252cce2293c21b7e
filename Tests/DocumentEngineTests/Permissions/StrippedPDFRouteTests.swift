import Annotations
import Children
import Crypto
import Foundation
import GRDB
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// A token that may not see everything gets the PDF without annotations; one document has the same two files for all.
@Suite("The PDF for a token", .timeLimit(.minutes(15))) struct StrippedPDFRouteTests {
    private static let secretPDF = SmallPDF(
        annotations: ["<</Subtype/Text/Rect[10 700 30 720]/Contents(secret)>>"], word: "Word"
    ).bytes

    /// The records that each token of a document may view, and whether they include everything that a PDF can contain.
    static let views: [(entries: [String]?, seesOriginal: Bool)] = [
        (nil, true),
        (["annotations:view:all", "comments:view:all", "form-fields:view:all"], true),
        (["annotations:view:all", "comments:view:all"], false),
        (["annotations:view:all", "form-fields:view:all"], false),
        (["comments:view:all", "form-fields:view:all"], false),
        (["annotations:view:group=", "comments:view:group=", "form-fields:view:group="], false),
        (["annotations:edit:all", "annotations:delete:all", "comments:edit:all", "form-fields:fill:all"], false),
        ([], false),
    ]

    @Test(arguments: views.indices) func aTokenGetsOneOfTwoFiles(_ index: Int) async throws {
        let (entries, seesOriginal) = Self.views[index]
        try await RunningServer.run { server in
            try await server.upload("doc", Self.secretPDF)
            let token = try server.mint.token(TokenClaims(collaboration: entries))
            let session = try await server.session(token)
            let file = try await server.client(token, "GET", "document")
            #expect(file.status == 200)
            #expect(session.pdfSHA256 == SHA256.hash(data: file.body).map { String(format: "%02x", $0) }.joined())
            #expect(session.pdfBytes == Int64(file.body.count))
            #expect(file.headers["etag"] == "\"\(session.pdfSHA256)\"")
            #expect((file.body == Self.secretPDF) == seesOriginal)
            #expect(try Self.everyByte(of: file.body).contains("secret") == seesOriginal)
            #expect(try Self.everyByte(of: file.body).contains("(Word) Tj"))

            // No request with this token returns any part of the other file.
            let all = try await server.session(server.mint.token(TokenClaims()))
            if !seesOriginal {
                let other = try await server.client(
                    token, "GET", "document", headers: [("If-None-Match", "\"\(all.pdfSHA256)\"")])
                #expect(other.status == 200 && other.body == file.body)
            }
            #expect(all.documentVersion == session.documentVersion)
        }
    }

    @Test func onlyOverwritingTheDocumentChangesItsVersion() async throws {
        try await RunningServer.run { server in
            try await server.upload("doc", Self.secretPDF)
            let tokens = try [nil, []].map { try server.mint.token(TokenClaims(collaboration: $0)) }
            func sessions() async throws -> [SessionAnswer] {
                [try await server.session(tokens[0]), try await server.session(tokens[1])]
            }
            let before = try await sessions()
            #expect(before.allSatisfy { $0.documentVersion?.isEmpty == false })
            _ = try await server.push(tokens[0], [Samples.create(1, "n1")])
            let path = "/api/documents/doc/layers/review/annotations/6"
            #expect(try await server.backend("DELETE", path).status == 200)
            let changed = try await sessions()
            #expect(changed.map(\.documentVersion) == before.map(\.documentVersion))
            #expect(changed.map(\.pdfSHA256) == before.map(\.pdfSHA256))

            #expect(try await server.upload("doc&overwrite_existing_document=true", Self.secretPDF).status == 200)
            let overwritten = try await sessions()
            #expect(overwritten[0].documentVersion != before[0].documentVersion)
            #expect(overwritten.map(\.pdfSHA256) == before.map(\.pdfSHA256), "equal files have equal names")
        }
    }

    /// A document that an older version stored has no stripped file.
    @Test func anOlderDocumentGetsItsFileWhenItIsNeeded() async throws {
        let folder = try TemporaryFolder()
        let restricted = TokenClaims(collaboration: [])
        let sha256 = try await RunningServer.run(folder: folder) { server in
            try await server.upload("doc", Self.secretPDF)
            return try await server.session(server.mint.token(restricted)).pdfSHA256
        }
        let database = try DatabaseQueue(path: folder.path + "/data/postilla.sqlite")
        try await database.write {
            try $0.execute(sql: "UPDATE document SET stripped_sha256 = NULL, stripped_bytes = NULL")
            try SQLiteSchema.fillChecksums(in: $0)
        }
        try database.close()
        try FileManager.default.removeItem(atPath: folder.path + "/data/pdf/\(sha256).pdf")
        try await RunningServer.run(folder: folder) { server in
            let token = try server.mint.token(restricted)
            let sessions = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { try await server.session(token).pdfSHA256 } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(sessions == [sha256])
            let file = try await server.client(token, "GET", "document").body
            #expect(try !Self.everyByte(of: file).contains("secret"))
        }
    }

    @Test func bothFilesGoWithTheirLastDocument() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(folder: folder) { server in
            func files() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/pdf")
                    .filter { $0.hasSuffix(".pdf") }.count
            }
            try await server.upload("doc", Self.secretPDF)
            try await server.upload("other", Self.secretPDF)
            #expect(try files() == 2)
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 200)
            #expect(try files() == 2)
            #expect(try await server.backend("DELETE", "/api/documents/other").status == 200)
            #expect(try files() == 0)
        }
    }

    /// The bytes of a PDF as they are and with all streams uncompressed.
    private static func everyByte(of pdf: [UInt8]) throws -> String {
        let folder = try TemporaryFolder()
        let (source, plain) = (folder.path + "/a.pdf", folder.path + "/b.pdf")
        try Data(pdf).write(to: URL(fileURLWithPath: source))
        let process = try ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["qpdf", "--qdf", "--object-streams=disable", source, plain])
        process.waitUntilExit()
        let text = try Data(contentsOf: URL(fileURLWithPath: plain))
        return String(decoding: Array(text) + pdf, as: UTF8.self)
    }
}

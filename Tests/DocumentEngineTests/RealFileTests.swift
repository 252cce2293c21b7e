import Annotations
import Foundation
import SyncProtocol
import TestSupport
import Testing

/// Uploads each available real file and checks its content at both ends.
@Suite("Real files", .timeLimit(.minutes(15))) struct RealFileTests {
    private static let files = Repository.samples.filter { $0.name.hasSuffix(".pdf") }

    @Test(.enabled(if: !files.isEmpty)) func everyFileIsServedAsItWasUploaded() async throws {
        try await RunningServer.run { server in
            for (index, file) in Self.files.enumerated() {
                let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file.path)))
                let upload = try await server.upload("d\(index)", bytes)
                #expect(upload.status == 200, "\(file.name): \(upload.text)")
                guard upload.status == 200 else { continue }
                let token = try server.mint.token(TokenClaims(document: "d\(index)"))
                let lines = try await server.backend(
                    "GET", "/api/documents/d\(index)/annotations", headers: [("Accept", "application/x-ndjson")])
                var ids: [String] = []
                var next: String?
                repeat {
                    let after = next.map { "&after=\($0)" } ?? ""
                    let page: SnapshotPage = try await server.client(token, "GET", "records?limit=100\(after)")
                        .message()
                    // The values of form fields are records of their own.
                    ids += page.records.filter { !$0.id.hasSuffix(":value") }.map(\.id)
                    next = page.next
                } while next != nil
                #expect(ids.count == lines.text.split(separator: "\n").count, "\(file.name)")
                #expect(try await server.client(token, "GET", "document").body == bytes, "\(file.name)")
            }
        }
    }
}

import AsyncHTTPClient
import EngineSupport
import Foundation
import NIOCore
import SyncProtocol

/// The pages of a layer's snapshot as a plain program fetches them: one curl, one connection, the addresses known
/// beforehand, everything into one file.
struct SnapshotFetch {
    private let curl: String
    private let configuration: URL
    private let file: URL
    let pages: Int
    let bytes: Int

    /// Walks through the snapshot once to learn the addresses.
    init(server: ServerProcess, document: String, curl: String, folder: URL) async throws {
        let token = try server.mint.token(document: document, user: "curl")
        file = folder.appendingPathComponent("snapshot.json")
        var lines = "silent\nfail\nheader = \"Authorization: Bearer \(token)\"\n"
        var (pages, bytes) = (0, 0)
        var next: String? = ""
        while let query = next {
            let address = "\(server.address)/instant/v1/records\(query)"
            var request = HTTPClientRequest(url: address)
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            let response = try await HTTPClient.shared.execute(request, timeout: .minutes(1))
            let body = Array(try await response.body.collect(upTo: 1 << 26).readableBytesView)
            let page = try SnapshotPage(bytes: body)
            lines += "url = \"\(address)\"\noutput = \"\(file.path)-\(pages)\"\n"
            pages += 1
            bytes += body.count
            // Ids of this layer need no percent-encoding.
            next = page.next.map { "?after=\($0)&at=\(page.at)&epoch=\(page.epoch)" }
        }
        configuration = folder.appendingPathComponent("snapshot.curl")
        try ServerProcess.writePrivately(lines, to: configuration)
        self.curl = curl
        self.pages = pages
        self.bytes = bytes
    }

    func run() throws -> Duration {
        let start = ContinuousClock.now
        try Tools.run([curl, "--config", configuration.path])
        let end = ContinuousClock.now
        for page in 0..<pages { try? FileManager.default.removeItem(atPath: "\(file.path)-\(page)") }
        return end - start
    }
}

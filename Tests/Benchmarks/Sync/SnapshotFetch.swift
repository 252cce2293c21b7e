import AsyncHTTPClient
import EngineSupport
import Foundation
import NIOCore
import SyncProtocol

/// The pages of a layer's snapshot as a plain program fetches them: one curl process, one connection, addresses known
/// in advance, one file for each page.
struct SnapshotFetch {
    private let curl: String
    private let configuration: URL
    private let file: URL
    let pages: Int
    let bytes: Int

    private init(curl: String, configuration: URL, file: URL, pages: Int, bytes: Int) {
        self.curl = curl
        self.configuration = configuration
        self.file = file
        self.pages = pages
        self.bytes = bytes
    }

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

    /// Fetches the pages once and stores them in a folder, readable by everyone, as `0`, `1`, …
    func save(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Tools.run([curl, "--config", configuration.path])
        for page in 0..<pages {
            let name = folder.appendingPathComponent("\(page)").path
            try FileManager.default.moveItem(atPath: "\(file.path)-\(page)", toPath: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: name)
        }
    }

    /// Returns a fetch of the same bytes from a file server, in the same way.
    func copy(from port: UInt16, curl: String, folder: URL) throws -> SnapshotFetch {
        let copied = folder.appendingPathComponent("copy.json")
        var lines = "silent\nfail\n"
        for page in 0..<pages {
            lines += "url = \"http://127.0.0.1:\(port)/\(page)\"\noutput = \"\(copied.path)-\(page)\"\n"
        }
        let list = folder.appendingPathComponent("copy.curl")
        try lines.write(to: list, atomically: true, encoding: .utf8)
        return SnapshotFetch(curl: curl, configuration: list, file: copied, pages: pages, bytes: bytes)
    }
}

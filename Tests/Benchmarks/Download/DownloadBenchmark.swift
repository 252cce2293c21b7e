import EngineSupport
import Foundation
import Instant

/// A large PDF from the server to this machine's disk, verified: the library beside curl, in turns.
struct DownloadBenchmark {
    var server: ServerProcess
    var document: String
    var folder: URL
    var runs = 7

    struct Result {
        var instant = Samples()
        /// Nil where there is no curl.
        var curl: Samples?
    }

    func run() async throws -> Result {
        var result = Result()
        let curl = Tools.path("curl")
        if curl != nil { result.curl = Samples() }
        for number in -1..<runs {
            let instant = try await instant(number)
            let other = try curl.map { try measureCurl($0) }
            // The first of each fills the caches for both.
            guard number >= 0 else { continue }
            result.instant.add(instant)
            if let other { result.curl?.add(other) }
        }
        return result
    }

    /// From the call to the event: session and records too, each byte hashed, the file and its folder synced.
    private func instant(_ number: Int) async throws -> Duration {
        let folder = folder.appendingPathComponent("download-\(number)")
        defer { try? FileManager.default.removeItem(at: folder) }
        guard let url = URL(string: server.address) else { throw BenchmarkError("\(server.address) is no address") }
        let token = try server.mint.token(document: document, user: "ana")
        let start = ContinuousClock.now
        let client = try await LiveClient(server: url, folder: folder, token: token)
        let end = ContinuousClock.now
        guard client.descriptor.pdfFile != nil else { throw BenchmarkError("the download left no file") }
        return end - start
    }

    /// What a careful person would type: fetch, to the disk, hash. Only this file is synced, not the whole machine.
    private func measureCurl(_ curl: String) throws -> Duration {
        let header = folder.appendingPathComponent("header")
        let file = folder.appendingPathComponent("file.pdf")
        defer { try? FileManager.default.removeItem(at: file) }
        let token = try server.mint.token(document: document, user: "ana")
        try ServerProcess.writePrivately("Authorization: Bearer \(token)\n", to: header)
        let line =
            "\(curl) -sf -H @header -o file.pdf \(server.address)/instant/v1/document && sync file.pdf && sha256sum file.pdf"
        let start = ContinuousClock.now
        try Tools.run(["/bin/sh", "-c", "cd '\(folder.path)' && \(line)"])
        return ContinuousClock.now - start
    }
}

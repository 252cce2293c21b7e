import EngineSupport
import Foundation
import Instant

/// The verified download of a large PDF from the server to this machine's disk, by the library and by curl in turns.
struct DownloadBenchmark {
    var server: ServerProcess
    var document: String
    var folder: URL
    var runs = 7

    struct Result {
        var instant = Samples()
        /// nil if curl is not installed.
        var curl: Samples?
    }

    func run() async throws -> Result {
        var result = Result()
        let curl = Tools.path("curl")
        if curl != nil { result.curl = Samples() }
        for number in -1..<runs {
            let instant = try await instant(number)
            let other = try curl.map { try measureCurl($0) }
            // The first run of each fills the caches for both.
            guard number >= 0 else { continue }
            result.instant.add(instant)
            if let other { result.curl?.add(other) }
        }
        return result
    }

    /// Measures from the call to the event, which includes the session and the records; every byte is hashed, and the
    /// file and its folder are synced.
    private func instant(_ number: Int) async throws -> Duration {
        let folder = folder.appendingPathComponent("download-\(number)")
        defer { try? FileManager.default.removeItem(at: folder) }
        guard let url = URL(string: server.address) else { throw BenchmarkError("\(server.address) is not an address") }
        let token = try server.mint.token(document: document, user: "ana")
        let start = ContinuousClock.now
        let client = try await LiveClient(server: url, folder: folder, token: token)
        let end = ContinuousClock.now
        guard client.descriptor.pdfPath != nil else { throw BenchmarkError("the download left no file") }
        return end - start
    }

    /// Runs what a careful person would type: fetch, sync, hash. Only this file is synced, not the whole machine.
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

import ArgumentParser
import Foundation
import Instant
import InstantCore

/// A client in a separate process, so that its memory can be measured. It writes one line (the number of rows,
/// milliseconds, and milliseconds of processor time) and ends.
struct SyncChild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "client", shouldDisplay: false)

    enum Task: String, ExpressibleByArgument {
        /// Loads a layer into an empty folder.
        case download
        /// Loads a layer and reports each change by others, until its input ends.
        case follow
        /// Reads the first rows of a stored layer, without a server.
        case open
    }

    @Argument var task: Task
    @Option var server: String
    @Option var tokenFile: String
    @Option var dataDir: String

    func run() async throws {
        let token = try String(contentsOfFile: tokenFile, encoding: .utf8)
        guard let url = URL(string: server) else { throw BenchmarkError("\(server) is not an address") }
        let start = ContinuousClock.now
        switch task {
        case .download:
            let client = try await LiveClient(server: url, folder: URL(fileURLWithPath: dataDir), token: token)
            try finish(start, rows: try client.descriptor.layer.count(ListQuery()))
        case .follow:
            let client = try await LiveClient(server: url, folder: URL(fileURLWithPath: dataDir), token: token)
            try await FollowedLayer.tell(client.descriptor)
        case .open:
            let client = try InstantClient(serverURL: url, dataDirectory: URL(fileURLWithPath: dataDir))
            let descriptor = try client.documentDescriptor(forJWT: token)
            let rows = try descriptor.layer.rows(ListQuery(), offset: 0, limit: 100)
            try finish(start, rows: rows.count)
        }
    }

    private func finish(_ start: ContinuousClock.Instant, rows: Int) throws {
        let milliseconds = (ContinuousClock.now - start).milliseconds
        FileHandle.standardOutput.write(Data("\(rows) \(milliseconds) \(ProcessTime.own.milliseconds)\n".utf8))
        // The result is on disk; nothing else in this process is needed.
        _ = FileHandle.standardInput.availableData
        Foundation.exit(0)
    }
}

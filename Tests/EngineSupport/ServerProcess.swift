import Annotations
import Children
package import Foundation
import Glibc

/// `postilla serve` as a child, with data, key and secret in one folder. It can be killed and restarted on its data. It
/// ends when this program ends in any way, because its standard input is then closed.
package final class ServerProcess {
    /// Such as `http://127.0.0.1:40123`.
    package private(set) var address = ""
    package let folder: URL
    package let mint: TokenMint
    package let secret: String
    package let secretFile: URL
    /// 0 before the first start.
    package private(set) var port: Int

    private let postilla: String
    private let options: [String]
    private let environment: [String: String]?
    private let logFile: URL
    private var process: ChildProcess?
    private var input = Pipe()

    /// - Parameters:
    ///   - secret: The backend's secret; servers that share a store share it.
    ///   - port: 0 chooses a free port and reuses it at later starts.
    ///   - options: Further options of `serve`.
    ///   - environment: nil for that of this program.
    ///   - starts: Whether it is started at once.
    package init(
        postilla: String, folder: URL, mint: TokenMint = TokenMint(), secret: String = UUID().uuidString,
        port: Int = 0, options: [String] = [], environment: [String: String]? = nil, starts: Bool = true
    ) throws {
        (self.postilla, self.folder, self.mint, self.secret, self.port) = (postilla, folder, mint, secret, port)
        (self.options, self.environment) = (options, environment)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        secretFile = folder.appendingPathComponent("api-token")
        logFile = folder.appendingPathComponent("server.log")
        try Self.writePrivately(secret + "\n", to: secretFile)
        try Self.writePrivately(mint.publicKeyPEM, to: publicKey)
        try Self.writePrivately("", to: logFile)
        if starts { try start() }
    }

    deinit { kill() }

    /// The path of its store.
    package var database: String { data.appendingPathComponent("postilla.sqlite").path }
    package var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }
    /// 0 if it is not running.
    package var processID: Int32 { process?.processIdentifier ?? 0 }
    package var isRunning: Bool { process?.isRunning ?? false }
    /// How it ended; nil while it is running.
    package var ending: String? {
        guard let process, !process.isRunning else { return nil }
        let kind = process.terminationReason == .exit ? "status" : "signal"
        return "\(kind) \(process.terminationStatus)"
    }

    private var data: URL { folder.appendingPathComponent("data") }
    private var publicKey: URL { folder.appendingPathComponent("key.pub.pem") }

    /// Starts it and returns once it listens.
    package func start() throws {
        try launch()
        try waitUntilListening()
    }

    /// Starts it and returns at once.
    package func launch() throws {
        let process = ChildProcess()
        let input = Pipe()
        let log = try FileHandle(forWritingTo: logFile)
        try log.seekToEnd()
        process.executableURL = URL(fileURLWithPath: postilla)
        process.arguments =
            [
                "serve", "--port", "\(port)", "--data", data.path,
                "--jwt-public-key", publicKey.path, "--api-token-file", secretFile.path, "--exit-with-stdin",
            ] + options
        process.environment = environment
        process.standardInput = input
        process.standardOutput = Pipe()
        process.standardError = log
        try process.run()
        (self.process, self.input) = (process, input)
    }

    /// Waits for its first line, which contains the address; if it fails, the pipe ends without one.
    package func waitUntilListening() throws {
        guard let output = process?.standardOutput as? Pipe else { throw ServerTrouble("the server is not running") }
        var line = Data()
        while !line.contains(0x0A) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw ServerTrouble("the server did not start: \(log)") }
            line += more
        }
        guard let address = (try? JSONReader.parse(Array(line)))?["server"]?.string,
            let port = address.split(separator: ":").last.flatMap({ Int($0) })
        else { throw ServerTrouble("the server's first line makes no sense") }
        (self.address, self.port) = (address, port)
    }

    /// Kills it as `kill -9` does.
    package func kill() {
        guard let process else { return }
        process.kill()
        process.waitUntilExit()
        self.process = nil
    }

    /// Sends SIGTERM and returns at once.
    package func terminate() { process?.terminate() }

    /// Waits until it has ended by itself.
    ///
    /// - Returns: How it ended; nil if it was not started.
    package func waitUntilEnd() -> String? {
        process?.waitUntilExit()
        return ending
    }

    /// Shuts it down in order.
    package func stop() {
        try? input.fileHandleForWriting.close()
        process?.waitUntilExit()
        process = nil
    }

    package static func writePrivately(_ text: String, to file: URL) throws {
        let made = FileManager.default.createFile(
            atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard made else { throw ServerTrouble("cannot write \(file.path)") }
    }
}

/// Why a server did not run, in one sentence.
package struct ServerTrouble: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

import Annotations
import Foundation

/// `postilla serve` as a child on a free loopback port, with a folder of its own. It ends with this program, however
/// that ends: its standard input closes then.
final class ServerProcess {
    /// Such as `http://127.0.0.1:40123`.
    let address: String
    let mint = TokenMint()
    let secret = UUID().uuidString
    let secretFile: URL
    /// Where its store is.
    let database: String

    private let process = Process()
    private let input = Pipe()

    init(postilla: String, folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let publicKey = folder.appendingPathComponent("key.pub.pem")
        let data = folder.appendingPathComponent("data").path
        database = data + "/postilla.sqlite"
        secretFile = folder.appendingPathComponent("api-token")
        try Self.writePrivately(mint.publicKeyPEM, to: publicKey)
        try Self.writePrivately(secret + "\n", to: secretFile)

        let output = Pipe()
        let log = folder.appendingPathComponent("server.log")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.executableURL = URL(fileURLWithPath: postilla)
        process.arguments = [
            "serve", "--port", "0", "--data", data,
            "--jwt-public-key", publicKey.path, "--api-token-file", secretFile.path, "--exit-with-stdin",
        ]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()

        var line = Data()
        while !line.contains(0x0A) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        guard let ready = (try? JSONReader.parse(Array(line)))?["server"]?.string else {
            let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw BenchmarkError("the server did not start: \(said)")
        }
        address = ready
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// What the server holds now, at its peak.
    var memory: ProcessMemory {
        var memory = ProcessMemory()
        memory.note(process: process.processIdentifier)
        return memory
    }

    static func writePrivately(_ text: String, to file: URL) throws {
        let made = FileManager.default.createFile(
            atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard made else { throw BenchmarkError("cannot write \(file.path)") }
    }
}

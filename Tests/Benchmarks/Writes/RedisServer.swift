import Annotations
import Children
import Foundation

/// A separate Redis server in a new folder, with every command on disk before it is answered.
final class RedisServer {
    let version: String
    private let port: UInt16
    private let process = ChildProcess()

    /// - Returns: nil if Redis is not installed.
    static func start(in folder: URL) throws -> RedisServer? {
        guard let program = Tools.path("redis-server") else { return nil }
        return try RedisServer(program: program, folder: folder)
    }

    private init(program: String, folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let words = try Tools.firstLine(of: [program, "--version"]).split(separator: " ")
        version = words.first { $0.hasPrefix("v=") }.map { String($0.dropFirst(2)) } ?? ""
        port = try LoopbackSocket.freePort()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder.path, "--save", "", "--appendonly", "yes",
            "--appendfsync", "always",
        ]
        process.standardInput = FileHandle.nullDevice
        try process.run(until: "eady to accept connections", on: .standard)
    }

    func writer() throws -> RedisWriter { RedisWriter(socket: try LoopbackSocket(port: port)) }

    func stop() {
        // An orderly end is not needed.
        process.kill()
        process.waitUntilExit()
    }
}

/// Appends to a stream, which is what a log of changes would be in Redis.
final class RedisWriter: DurableWriter {
    private let socket: LoopbackSocket

    init(socket: LoopbackSocket) { self.socket = socket }

    func start(id: String, content: Content) throws {
        var command: [UInt8] = []
        let words = ["XADD", "layer", "*", "id", id, "content", content.text]
        command += Array("*\(words.count)\r\n".utf8)
        for word in words { command += Array("$\(word.utf8.count)\r\n\(word)\r\n".utf8) }
        try socket.send(command)
    }

    func finish() throws {
        let answer = try socket.receive()
        guard answer.first == UInt8(ascii: "$") else {
            throw BenchmarkError("Redis: \(String(decoding: answer, as: UTF8.self))")
        }
    }
}

import Children
import Foundation

/// A separate PostgreSQL server in a new folder, with default settings: every commit is on disk. It ends with this
/// program.
final class PostgresServer {
    let port: UInt16
    let version: String
    /// The superuser that `initdb` creates.
    static let user = "bench"

    private let process = ChildProcess()
    private let log = Pipe()

    /// - Returns: nil if PostgreSQL is not installed.
    static func start(in folder: URL, connections: Int = 32) throws -> PostgresServer? {
        guard let programs, let user = try commandPrefix(owning: folder) else { return nil }
        return try PostgresServer(programs: programs, asUser: user, folder: folder, connections: connections)
    }

    /// PostgreSQL refuses to run as root; any other user runs it directly.
    ///
    /// - Returns: The command prefix for its programs; nil if they cannot be run.
    private static func commandPrefix(owning folder: URL) throws -> [String]? {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let setpriv = Tools.path("setpriv") else { return geteuid() == 0 ? nil : ["/usr/bin/env"] }
        let prefix = [setpriv, "--pdeathsig", "INT"]
        guard geteuid() == 0 else { return prefix }
        guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else { return nil }
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        chown(folder.path, user, group)
        return prefix + ["--reuid", "\(user)", "--regid", "\(group)", "--clear-groups"]
    }

    private init(programs: String, asUser: [String], folder: URL, connections: Int) throws {
        let data = folder.appendingPathComponent("data").path
        try Tools.run(
            asUser + [
                programs + "/initdb", "--pgdata", data, "--username", Self.user, "--auth", "trust", "--locale", "C",
            ])
        let words = try Tools.firstLine(of: [programs + "/postgres", "--version"]).split(separator: " ")
        version = words.first { $0.first?.isNumber ?? false }.map(String.init) ?? ""
        port = try LoopbackSocket.freePort()
        process.executableURL = URL(fileURLWithPath: asUser[0])
        process.arguments =
            asUser.dropFirst() + [
                programs + "/postgres", "-D", data, "-p", "\(port)", "-c", "listen_addresses=127.0.0.1", "-c",
                "unix_socket_directories=", "-c", "fsync=on", "-c", "synchronous_commit=on",
                "-c", "max_connections=\(connections)",
            ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = log
        process.currentDirectoryURL = folder
        try process.run()
        try waitUntilReady()
    }

    /// Waits for the line in its log.
    private func waitUntilReady() throws {
        var said = ""
        while !said.contains("ready to accept connections") {
            let more = log.fileHandleForReading.availableData
            guard !more.isEmpty else { throw BenchmarkError("PostgreSQL did not start: \(said)") }
            said += String(decoding: more, as: UTF8.self)
        }
        // Discards all further output, so that the server never blocks while writing its log.
        log.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    }

    func connect() throws -> PostgresConnection { try PostgresConnection(port: port, user: Self.user) }

    func stop() {
        // On SIGINT it ends its sessions; on SIGTERM it would wait for them.
        process.interrupt()
        process.waitUntilExit()
        log.fileHandleForReading.readabilityHandler = nil
    }

    /// The folder of `postgres` and `initdb`: where Debian installs them, or in the path.
    private static var programs: String? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders = versions.sorted().reversed().map { "/usr/lib/postgresql/\($0)/bin" }
        let inPath = Tools.path("initdb").map { ($0 as NSString).deletingLastPathComponent }
        return (folders + [inPath].compactMap(\.self)).first {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
        }
    }
}

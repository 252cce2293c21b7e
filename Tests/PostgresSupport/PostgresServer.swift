import Children
import Foundation
import Postgres

/// A PostgreSQL server in a new folder, reached through a socket in it. It can be stopped, killed and restarted on its
/// data, and it ends when this program ends in any way.
package final class PostgresServer: @unchecked Sendable {
    /// The superuser that `initdb` creates.
    static let user = "postilla"

    private let programs: String
    private let folder: URL
    private let asUser: [String]
    private let settings: [String]
    private let lock = NSLock()
    private var process: ChildProcess?
    private var input = Pipe()

    /// - Parameter isDurable: Whether a commit is on disk before it is acknowledged; without that it is much faster.
    package init(isDurable: Bool = false) throws {
        guard let programs = Self.programs else { throw PostgresTrouble("PostgreSQL is not installed") }
        self.programs = programs
        folder = try Self.makeFolder()
        asUser = try Self.commandPrefix(owning: folder)
        settings = Self.settings(in: folder, isDurable: isDurable)
        try run(
            "initdb",
            ["--pgdata", data, "--username", Self.user, "--auth", "trust", "--locale", "C", "--encoding", "UTF8"]
                + (isDurable ? [] : ["--no-sync"]))
        try start()
    }

    /// Starts another server on a physical copy of a running one, made by `pg_basebackup`.
    package init(copyOf original: PostgresServer) throws {
        programs = original.programs
        folder = try Self.makeFolder()
        asUser = try Self.commandPrefix(owning: folder)
        settings = Self.settings(in: folder, isDurable: false)
        try run(
            "pg_basebackup",
            [
                "--host", original.folder.path, "--username", Self.user, "--pgdata", data, "--checkpoint", "fast",
                "--no-sync",
            ])
        try start()
    }

    private static func makeFolder() throws -> URL {
        // A socket's path has at most 107 bytes.
        let folder = URL(fileURLWithPath: "/tmp/postilla-pg-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }

    private static func settings(in folder: URL, isDurable: Bool) -> [String] {
        ["listen_addresses=", "unix_socket_directories=\(folder.path)", "max_connections=800"]
            + (isDurable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"])
    }

    deinit { stop() }

    private var data: String { folder.appendingPathComponent("data").path }

    /// - Parameter database: An existing database.
    package func address(_ database: String) -> String {
        let host = folder.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgres://\(Self.user)@\(host)/\(database)"
    }

    // MARK: Running

    /// Starts it and returns once it accepts connections.
    package func start() throws {
        let process = ChildProcess()
        let input = Pipe()
        // A shell next to it waits for its input to close: either this program has ended, or it sent `keep` because a
        // restart may follow. The shell must not wait for a child: a process created by a Dispatch thread receives no
        // SIGCHLD.
        let script = #"""
            folder=$1; shift; exec 3<&0
            (case $(cat <&3) in
                keep) kill -INT $$ ;;
                *) kill -QUIT $$; rm -rf "$folder"; rm -rf "$folder" ;;
            esac) >/dev/null 2>&1 &
            exec "$@" <&- 3<&-
            """#
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            ["-c", script, "sh", folder.path] + asUser + ["\(programs)/postgres", "-D", data]
            + settings.flatMap { ["-c", $0] }
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.currentDirectoryURL = folder
        try process.run(until: "ready to accept connections", on: .error)
        lock.withLock { (self.process, self.input) = (process, input) }
    }

    /// Shuts it down cleanly and closes its connections at once.
    package func halt() {
        let (process, input) = lock.withLock {
            defer { self.process = nil }
            return (self.process, self.input)
        }
        guard let process else { return }
        input.fileHandleForWriting.write(Data("keep".utf8))
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Kills it as a failing machine does: nothing more is written.
    package func kill() throws {
        let file = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        guard let id = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else { return }
        Glibc.kill(id, SIGQUIT)
        halt()
    }

    /// Stops all its processes, as a machine does whose disk does not answer: connections are still accepted by the kernel.
    package func hang() throws { try signal(SIGSTOP) }

    package func goOn() throws { try signal(SIGCONT) }

    private func signal(_ number: CInt) throws {
        let file = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        guard let id = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else { return }
        Glibc.kill(id, number)
        for child in try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap({ pid_t($0) }) {
            guard let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8) else { continue }
            // The parent follows the state, which follows the name in parentheses (proc(5)).
            let words = state[(state.lastIndex(of: ")") ?? state.startIndex)...].split(separator: " ")
            if words.count > 2, words[2] == "\(id)" { Glibc.kill(child, number) }
        }
    }

    private func stop() {
        try? goOn()
        halt()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Its programs

    /// Runs SQL statements without results.
    package func execute(_ sql: String, in database: String) throws {
        guard let address = PostgresAddress(address(database)) else { throw PostgresTrouble("\(database) is no name") }
        try PostgresConnection(address).execute(sql)
    }

    /// Dumps a database to a file of this server, which ``load(_:into:)`` reads.
    package func dump(_ database: String, to file: String) throws {
        try run("pg_dump", ["--format", "custom", "--file", "\(folder.path)/\(file)", "--dbname", address(database)])
    }

    /// Creates a database from a dump.
    package func load(_ file: String, into database: String) throws {
        try run(
            "createdb",
            ["--host", folder.path, "--username", Self.user, "--template", "template0", "--encoding", "UTF8", database])
        try run("pg_restore", ["--exit-on-error", "--dbname", address(database), "\(folder.path)/\(file)"])
    }

    /// Runs commands of a page, with this server's addresses in place of the page's, in a folder of their own.
    ///
    /// - Returns: their output.
    package func play(_ commands: String, in folder: String) throws -> String {
        let base = address("")
        let script = commands.replacing("postgres://postilla@db.example/", with: base)
        let process = ChildProcess()
        let said = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-eu", "-c", script]
        process.environment = ["PATH": "\(programs):/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = said
        process.standardError = said
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        try process.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw PostgresTrouble("the page's commands: \(text)") }
        return text
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let process = ChildProcess()
        let said = Pipe()
        let command = asUser + ["\(programs)/\(program)"] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = said
        process.standardError = said
        process.currentDirectoryURL = folder
        try process.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw PostgresTrouble("\(program): \(text)") }
    }

    /// Returns the command prefix that runs it as an unprivileged user if this user is root, because it refuses to run
    /// as root.
    private static func commandPrefix(owning folder: URL) throws -> [String] {
        guard geteuid() == 0 else { return ["/usr/bin/env"] }
        guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else {
            throw PostgresTrouble("PostgreSQL does not run as root, and there is no other user")
        }
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        chown(folder.path, user, group)
        return ["/usr/bin/env", "setpriv", "--reuid", "\(user)", "--regid", "\(group)", "--clear-groups"]
    }

    /// The folder of `postgres` and `initdb`: Debian's, or one in the path.
    private static var programs: String? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders = versions.sorted().reversed().map { "/usr/lib/postgresql/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + path).first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }
}

/// Why PostgreSQL did not run, in one sentence.
package struct PostgresTrouble: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

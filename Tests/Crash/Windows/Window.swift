import Foundation
import Glibc

/// A program that stays open: `watch`, or a viewer in plain mode.
final class Window {
    enum Kind: String { case watch, viewer }

    let name: String
    let kind: Kind
    let tokenFile: String
    /// The roles of its tokens so far, newest last.
    private(set) var roles: [Role]
    private(set) var token: String
    private(set) var isStopped = false
    private(set) var lines: [String] = []
    /// Whether it may still be given notes: false once one was neither confirmed nor refused.
    var takesNotes = true
    private let child: Child

    init(
        _ name: String, _ kind: Kind, postilla: String, server: String, data: String, folder: URL, role: Role,
        token: String
    ) throws {
        (self.name, self.kind, self.token, roles) = (name, kind, token, [role])
        tokenFile = folder.appendingPathComponent(name + ".jwt").path
        try Self.write(token, to: tokenFile)
        let options = ["--token-file", tokenFile, "--data-dir", data]
        let command = kind == .watch ? ["watch", "--server", server] : ["open", server, "--plain"]
        child = try Child(
            [postilla] + command + options,
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": data, "SWIFT_BACKTRACE": "enable=no"],
            log: folder.appendingPathComponent("windows.log"))
    }

    var isRunning: Bool { child.isRunning }

    func give(_ token: String, _ role: Role) throws {
        self.token = token
        roles.append(role)
        try Self.write(token, to: tokenFile)
    }

    func say(_ line: String) { child.say(line) }

    /// Reads what it has written.
    func listen() { lines += child.lines().lines }

    /// Returns once a new line contains one of these texts, or the program has ended.
    func listen(for texts: [String], after count: Int, seconds: Int) -> String? {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            listen()
            let found = lines.dropFirst(count).compactMap { line in texts.first(where: line.contains) }.first
            if let found { return found }
            guard child.isRunning else { return nil }
            Child.wait(for: [child], milliseconds: 200)
        }
        return nil
    }

    func stop(_ signal: Int32) {
        child.signal(signal)
        isStopped = true
    }

    func proceed() {
        child.signal(SIGCONT)
        isStopped = false
    }

    func end(_ signal: Int32) {
        child.signal(signal)
        if isStopped { child.signal(SIGCONT) }
        isStopped = false
    }

    func kill() {
        child.kill()
        listen()
    }

    private static func write(_ text: String, to path: String) throws {
        // Replaced in one step: the program never reads half a token.
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".new"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + ".new")
        guard rename(path + ".new", path) == 0 else { throw CrashProblem("\(path) cannot be written") }
    }
}

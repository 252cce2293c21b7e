import EngineSupport
import Foundation
import TestSupport
import TestThreads
import Testing

/// Every command line in README.md and docs/ works as written.
@Suite(.onOwnThreads)
struct DocumentedCommandStories {
    let home: Folder

    init() throws { home = try Folder() }

    /// Pages whose commands a test in this file runs.
    private static let runHere: Set = ["README.md", "docs/operations.md"]

    /// Commands that other tests run, and which.
    private static let runElsewhere: [(page: String, prefix: String, by: String)] = [
        ("docs/several-servers.md", "postilla serve --store", "SharingStories"),
        ("docs/several-servers.md", "createdb", "PostgresBackupTests"),
        ("docs/several-servers.md", "pg_", "PostgresBackupTests"),
        ("docs/several-servers.md", "psql", "RestoreStories"),
        ("docs/install.md", "sudo", "dist-test"),
        ("docs/install.md", "postilla demo", "dist-test"),
        ("docs/install.md", "mkdir", "README.md"),
        ("docs/install.md", "postilla --generate-completion-script", "README.md"),
        ("docs/testing.md", "swift build", "make test"),
        ("docs/contributing.md", "swift build", "make test"),
    ]

    @Test func everyCommandIsKnown() throws {
        let lines = try DocumentedCommands.all()
        #expect(lines.count > 30, "commands are found at all")
        let targets = Set(try Repository.text("Makefile").matches(of: #/(?m)^([a-z-]+):/#).map { String($0.1) })
        for line in lines where !Self.runHere.contains(line.page) {
            if line.text.hasPrefix("make ") {
                let target = String(line.text.split(separator: " ")[1])
                #expect(targets.contains(target), "\(line)")
            } else {
                let isRun = Self.runElsewhere.contains { $0.page == line.page && line.text.hasPrefix($0.prefix) }
                #expect(isRun, "no test runs \(line)")
            }
        }
    }

    /// The files that docs/install.md names are those of this version.
    @Test func theVersionIsInOnePlace() throws {
        let version = try Program.run(["--version"], environment: [:]).output.trimmingCharacters(in: .newlines)
        let changes = try Repository.text("CHANGELOG.md").matches(of: #/(?m)^## (.+)$/#).map { String($0.1) }
        #expect(changes.first == version, "the newest heading of CHANGELOG.md")
        let page = try Repository.text("docs/install.md")
        let named = page.matches(of: #/postilla[-_]([0-9]+\.[0-9]+\.[0-9]+)/#).map { String($0.1) }
        #expect(named.count > 3)
        #expect(Set(named) == [version])
        let script = try Program.run(
            [], environment: [:], executable: Repository.root + "/Resources/package/version.sh")
        #expect(script.output == version + "\n")
    }

    // MARK: README.md, in a shell on a terminal

    /// What commands print.
    private static let readme: [String: String] = [
        "postilla list --kind note --format ndjson | jq -r .content.text":
            "General remark: which program was used?",
        "export POSTILLA_SERVER=http://127.0.0.1:PORT": "",
        "export POSTILLA_TOKEN_FILE=~/.local/state/postilla/demo/tokens/reviewer.jwt": "",
        "postilla add --note 'Which program was used?' --page 1 --at 72,100": "an id",
        "ID=$(postilla add --highlight --page 1 --rect 72,90,200,12) && postilla reply $ID --text 'Still true?'":
            "an id",
        "postilla export -o review.json && postilla import review.json --dry-run": "unchanged",
        "postilla --generate-completion-script bash > ~/.local/share/bash-completion/completions/postilla": "",
        "mkdir -p ~/.local/share/bash-completion/completions": "",
    ]

    @Test(.enabled(if: Self.has("jq"), "jq is not installed")) func theCommandsOfTheREADME() throws {
        let demo = try RunningCommand(["demo", "--serve-only"], environment: ["HOME": home.path])
        try demo.see("\"server\"")
        let port = try #require(demo.output.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#)?.1)
        _ = try home.write("paper.pdf", SmallPDF.paper().bytes)
        let shell = try Shell(home)
        let lines = try DocumentedCommands.lines(on: "README.md").map(\.text)
        #expect(lines.count > 8)
        for line in lines {
            let command = line.replacing("PORT", with: port).replacing(".build/debug/postilla", with: "postilla")
            switch line {
            case let line where line.hasPrefix("make "):
                #expect(["make run", "make test"].contains(line), "\(line)")
            case let line where line.hasPrefix(".build/debug/postilla open paper.pdf"):
                try shell.run(command) { terminal in
                    try terminal.see("This is the first page")
                    terminal.send(text: "q")
                }
            case let line where line.hasPrefix(".build/debug/postilla add paper.pdf"):
                try shell.run(command) { _ in }
                #expect(shell.terminal.text.contains(#/01[0-9A-Z]{24}/#), "\(line)")
            case let line where line.hasPrefix(".build/debug/postilla open"):
                try shell.run(command) { terminal in
                    try terminal.see("synced")
                    try terminal.see("read-only")
                    terminal.send(text: "q")
                }
            case let line where line.hasPrefix("postilla watch"):
                // Ctrl-C ends it.
                try shell.run(command, statuses: [0, 130], watch)
            default:
                let expected = try #require(Self.readme[line], "no test knows what this prints: \(line)")
                try shell.run(command) { _ in }
                let text = shell.terminal.text
                let isThere =
                    expected == "an id"
                    ? text.contains(#/01[0-9A-Z]{24}/#) : expected.isEmpty || text.contains(expected)
                #expect(isThere, "\(line) prints\n\(text)")
            }
        }
        try plainMode(shell)
        demo.signal(SIGTERM)
        #expect(try demo.waitForExit() == 0)
    }

    /// `watch` reports a note of another process, then Ctrl-C ends it.
    private func watch(_ terminal: VirtualTerminal) throws {
        let server = try demoServer()
        let tokens = home.path + "/.local/state/postilla/demo/tokens"
        // The watch may not be ready for the first ones.
        for number in 1... {
            let run = try Program.run(
                ["add", "--note", "watched \(number)", "--page", "1", "--at", "72,100"],
                environment: [
                    "HOME": home.path, "POSTILLA_SERVER": server, "POSTILLA_TOKEN_FILE": tokens + "/colleague.jwt",
                ])
            #expect(run.status == 0, "\(run.messages)")
            terminal.waitForIdle()
            if terminal.text.contains("\"watched ") || number == 50 { break }
        }
        #expect(terminal.text.contains(#/\["[^"]+","watched [0-9]+"\]/#), "\(terminal.text)")
        terminal.send([0x03])
    }

    private func demoServer() throws -> String {
        let port = try String(contentsOfFile: home.path + "/.local/state/postilla/demo/port", encoding: .utf8)
        return "http://127.0.0.1:" + port.trimmingCharacters(in: .newlines)
    }

    /// The dialogue under "Plain mode": what follows the prompt is typed, and its answers appear.
    private func plainMode(_ shell: Shell) throws {
        let text = try Repository.text("README.md")
        let dialogue = text.matches(of: #/(?m)^page 1, [0-9]+ marks> (.+)$/#).map { String($0.1) }
        #expect(dialogue == ["read", "highlight \"a place to talk\""])
        try shell.run("postilla open --plain") { terminal in
            try terminal.wait(until: "the prompt", seconds: Patience.long) {
                $0.text.contains(#/page 1, [0-9]+ marks>/#)
            }
            for typed in dialogue {
                terminal.send(text: typed + "\r")
                // The beginning of the page has left the screen.
                let answer = typed == "read" ? "2 What gets lost" : "Added highlight; undo to take it back"
                #expect(typed == "read" || text.contains(answer))
                try terminal.see(answer)
            }
            terminal.send(text: "quit\r")
        }
    }

    private static func has(_ program: String) -> Bool {
        ["/usr/bin/", "/bin/", "/usr/local/bin/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + program)
        }
    }

    // MARK: docs/operations.md

    @Test func theCommandsOfAnAdministrator() throws {
        let lines = try DocumentedCommands.lines(on: "docs/operations.md").map(\.text)
        #expect(lines.count == 4)
        let folders = ["/etc/postilla": "etc", "/var/lib/postilla": "data", "/mnt/backup": "backup"]
        for name in folders.values where name != "data" { _ = try home.makeFolder(name) }
        let key = try home.write("key.pub.pem", TokenMint().publicKeyPEM)
        try home.write(
            "etc/server.toml", "port = 0\ndata = \"\(home.path)/data\"\njwt-public-key = [\"\(key)\"]\n")
        func arguments(_ start: String) throws -> [String] {
            var line = try #require(lines.first { $0.hasPrefix(start) }, "\(start)")
            for (path, name) in folders { line = line.replacing(path, with: home.path + "/" + name) }
            return line.split(separator: " ").dropFirst().map(String.init)
        }
        let environment = ["HOME": home.path]
        let check = try Program.run(try arguments("postilla serve --check"), environment: environment)
        #expect(check.status == 0 && check.messages == "No errors.\n", "\(check.messages)")
        let server = try RunningCommand(try arguments("postilla serve --config"), environment: environment)
        try server.see("{\"server\":\"http://127.0.0.1:")
        let backup = try Program.run(try arguments("postilla backup"), environment: environment)
        #expect(backup.status == 0, "\(backup.messages)")
        server.signal(SIGTERM)
        #expect(try server.waitForExit() == 0)
        let restore = try Program.run(try arguments("postilla restore"), environment: environment)
        #expect(restore.status == 0, "\(restore.messages)")
    }
}

/// A shell on a terminal that runs one command after the other.
private final class Shell {
    let terminal: VirtualTerminal
    /// The number that the shell gives to the next command.
    private var number = 1

    init(_ home: Folder) throws {
        _ = try home.makeFolder("bin")
        try FileManager.default.createSymbolicLink(
            atPath: home.path + "/bin/postilla", withDestinationPath: Program.path)
        // The prompt has the status of the last command, and the number of the next one.
        let settings = try home.write("bashrc", "PS1='done $? \\#> '\n")
        terminal = try VirtualTerminal(
            running: ["/bin/bash", "--noprofile", "--rcfile", settings, "-i"],
            environment: ["HOME": home.path, "PATH": home.path + "/bin:/usr/local/bin:/usr/bin:/bin"],
            directory: home.path, rows: 60, columns: 160)
        try terminal.see("done 0 1>")
    }

    /// Runs a command and waits until it has ended with one of these statuses.
    ///
    /// - Parameter meanwhile: Uses the command while it runs.
    func run(_ command: String, statuses: [Int] = [0], _ meanwhile: (VirtualTerminal) throws -> Void) throws {
        terminal.send(text: "clear; " + command + "\r")
        try meanwhile(terminal)
        number += 1
        var status: Int?
        try terminal.wait(until: "\(command) ends", seconds: Patience.long) { [number] terminal in
            status = terminal.text.firstMatch(of: #/done ([0-9]+) ([0-9]+)>/#).flatMap { match in
                Int(match.2) == number ? Int(match.1) : nil
            }
            return status != nil
        }
        #expect(statuses.contains(status ?? -1), "\(command)\n\(terminal.text)")
    }
}

import Annotations
import EngineSupport
import Foundation
import GRDB
import Glibc
import PostgresSupport
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// `backup` and `restore` from the operator's side.
@Suite(.onOwnThreads)
struct RestoreStories {
    private let folder: Folder
    private var copy: String { folder.path + "/copy" }

    init() throws { folder = try Folder() }

    private func postilla(_ arguments: String..., environment: [String: String] = [:]) throws -> Program.Outcome {
        try Program.run(arguments, environment: environment.merging(["HOME": folder.path]) { $1 })
    }

    private func backUp(_ engine: EngineProcess, to copy: String? = nil) throws {
        let run = try postilla("backup", copy ?? self.copy, "--data", engine.folder.path + "/data")
        guard run.status == 0 else { throw StoryError("backup: \(run.messages)") }
    }

    private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    // MARK: A server's life

    /// The edits of a client around a backup. It keeps what the backup lacks: unsent edits are sent, and lost ones can be
    /// sent again.
    private struct Edits {
        let engine: EngineProcess
        let ana: Person
        let kept: String
        private var lost = ""

        init(_ engine: EngineProcess) throws {
            self.engine = engine
            try engine.upload(.paper())
            ana = try Person(at: engine)
            kept = try ana.note("kept")
        }

        /// Edits that come after the backup.
        mutating func goOn() throws {
            lost = try ana.note("written after the backup")
            #expect(try ana.script("add", "--note", "never sent", "--page", "1", "--offline").status == 0)
        }

        func checkRestored() throws {
            #expect(engine.log.contains("the database was restored from a backup"))
            let records = try engine.records()
            #expect(records.contains(kept) && !records.contains(lost))
            let sync = try ana.script("sync")
            #expect(sync.status == 6, "\(sync.messages)")
            #expect(try engine.records().contains("never sent"))
            #expect(try ana.script("conflicts", "resolve", lost, "--mine").status == 0)
            #expect(try ana.script("sync").status == 0)
            #expect(try engine.records().contains("written after the backup"))
        }
    }

    @Test func aClientResendsWhatTheBackupLacks() throws {
        let engine = try EngineProcess()
        var edits = try Edits(engine)
        try backUp(engine)
        try edits.goOn()
        let data = engine.folder.path + "/data"
        let running = try postilla("restore", copy, "--data", data, "--replace")
        #expect(running.status == 1)
        #expect(
            running.messages == "postilla: cannot use \(data): a server or another restore is using it; stop it first\n"
        )

        engine.kill()
        let refused = try postilla("restore", copy, "--data", data)
        #expect(refused.status == 1)
        #expect(refused.messages.hasPrefix("postilla: \(data) already contains data: "), "\(refused.messages)")
        #expect(refused.messages.hasSuffix("use --replace to move it aside\n"), "\(refused.messages)")
        let run = try postilla("restore", copy, "--data", data, "--replace")
        #expect(run.status == 0 && run.output.isEmpty, "\(run.messages)")
        let lines = run.messages.split(separator: "\n").map(String.init)
        #expect(lines.first == "1 document(s), 2 file(s): \(data)")
        let said = try #require(
            lines.last?.wholeMatch(of: /The earlier data is now in (.*\/data\.replaced-\d{8}T\d{6}Z)/))
        #expect(Self.isThere("\(said.1)/postilla.sqlite"))

        try engine.start()
        try edits.checkRestored()
    }

    /// By the commands in docs/several-servers.md.
    @Test(arguments: ["pg_dump", "pg_basebackup"]) func aClientResendsWhatAPostgreSQLBackupLacks(_ tool: String) throws
    {
        let postgres = try PostgresServer()
        func configure(_ server: PostgresServer, _ database: String) throws -> String {
            try folder.write("server.toml", "store = \"\(server.address(database))\"\n")
        }
        let engine = try EngineProcess(options: ["--config", try configure(postgres, "postgres")])
        var edits = try Edits(engine)
        var second: PostgresServer?
        if tool == "pg_dump" {
            try postgres.dump("postgres", to: "postilla.dump")
        } else {
            second = try PostgresServer(copyOf: postgres)
        }
        try edits.goOn()
        engine.kill()
        if let second {
            try second.execute("UPDATE mark SET place = ''", in: "postgres")
            _ = try configure(second, "postgres")
        } else {
            try postgres.load("postilla.dump", into: "restored")
            _ = try configure(postgres, "restored")
        }
        try engine.start()
        try edits.checkRestored()
    }

    /// Each copy is whole, whatever is written meanwhile, and a server starts on it elsewhere.
    @Test func aBackupIsMadeWhileItsServerIsWrittenTo() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        let ana = try Person(at: engine)
        let writer = try RunningCommand(
            ["-c", #"while "$0" add --note words --page 1; do :; done"#, Program.path],
            environment: ana.environment.merging(ana.scripting) { $1 }, executable: "/bin/sh")
        try writer.see("\n")
        for number in 1...3 {
            try backUp(engine)
            let place = "\(folder.path)/place\(number)/data"
            let run = try postilla("restore", copy, "--data", place)
            #expect(run.messages.hasPrefix("1 document(s), 2 file(s): \(place)\n"), "\(run.messages)")
            let restored = try EngineProcess(options: ["--data", place])
            #expect(try restored.records().contains("words"))
        }
        writer.terminate()
    }

    @Test func theSettingsNameTheData() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        let (place, store) = (folder.path + "/place", folder.path + "/store.sqlite")
        let config = try folder.write(
            "server.toml", "port = 1\ndata = \"\(place)\"\nstore = \"sqlite:\(store)\"\nlog-level = \"debug\"\n")
        try backUp(engine)
        let run = try postilla("restore", copy, "--config", config)
        #expect(run.status == 0, "\(run.messages)")
        #expect(Self.isThere(store) && !Self.isThere(place + "/postilla.sqlite"))
        let again = folder.path + "/again"
        #expect(
            try postilla("backup", again, "--config", config).messages == "1 document(s), 2 file(s) (2 new): \(again)\n"
        )
        let restored = try EngineProcess(options: ["--data", place, "--store", "sqlite:\(store)"])
        // The layer of the story has not been opened yet.
        try restored.create(["v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [1, 1, 9, 9], "text": "first"])
        #expect(try restored.records().contains("Printed remark"))
        restored.kill()
        let variables = ["POSTILLA_SERVE_CONFIG": config]
        let data = try postilla("restore", copy, "--replace", environment: variables)
        #expect(data.status == 0 && data.messages.contains("is now in \(store).replaced-"), "\(data.messages)")
    }

    // MARK: What must not go back in time

    @Test func deletionsAreListedAndRevocationsKept() throws {
        let engine = try EngineProcess()
        let ana = try Person(at: engine)
        for document in ["paper", "draft"] { try engine.upload(.paper(), document: document) }
        _ = try ana.note("kept")
        try backUp(engine)
        let stolen = try engine.token("ana")
        try engine.revoke(stolen)
        try engine.delete("draft")
        engine.kill()
        let data = engine.folder.path + "/data"
        let asked = try postilla("restore", copy, "--data", data, "--replace")
        #expect(asked.status == 64 && asked.output.isEmpty)
        let lines = asked.messages.split(separator: "\n").map(String.init)
        #expect(
            lines.count == 2 && lines[0].hasPrefix(#"deleted since the backup: document "draft", at 20"#), "\(lines)")
        #expect(lines.last?.contains("use --deleted return") == true, "\(lines)")
        #expect(try postilla("restore", copy, "--data", data, "--replace", "--deleted", "x").status == 64)
        let run = try postilla("restore", copy, "--data", data, "--replace", "--deleted", "stay")
        #expect(run.status == 0 && run.messages.contains("1 document(s), 2 file(s): \(data)\n"), "\(run.messages)")
        #expect(!run.messages.contains("may be valid again"), "\(run.messages)")
        try engine.start()
        #expect(try engine.records().contains("kept"))
        #expect(throws: StoryError.self) { try engine.records(document: "draft") }
        let mallory = try Person(at: engine, token: stolen)
        #expect(try mallory.script("list").status == 3)
        #expect(try ana.script("list").status == 0)
    }

    /// The disk is lost, and with it what was revoked since the backup.
    @Test func whereNothingIsKnownTokensAreRefusedByTheirTime() throws {
        let engine = try EngineProcess()
        let ana = try Person(at: engine)
        try engine.upload(.paper())
        _ = try ana.note("kept")
        try backUp(engine)
        engine.kill()
        let data = engine.folder.path + "/data"
        try FileManager.default.removeItem(atPath: data)
        let run = try postilla("restore", copy, "--data", data)
        let found = try #require(
            run.messages.firstMatch(
                of:
                    /from (\d{4}-\d\d-\d\d) to \d{4}-\d\d-\d\d may be valid again, because there is no earlier data.*--refuse-tokens-issued-before (\S+)/
            ), "\(run.messages)")
        let moment = try #require(Timestamp(iso8601: String(found.2)))
        let config = try folder.write("server.toml", "refuse-tokens-issued-before = \"\(found.2)\"\n")
        for options in [["--refuse-tokens-issued-before", String(found.2)], ["--config", config]] {
            let server = try EngineProcess(options: ["--data", data] + options)
            func status(_ issued: Int64?) throws -> Int32 {
                var claims = TokenMint.Claims(document: "paper", layer: "review", user: "ana")
                claims.issued = issued
                return try Person(at: server, token: server.mint.token(claims)).script("list").status
            }
            #expect(try status(nil) == 3)
            #expect(try status(moment.milliseconds / 1000 - 1) == 3)
            #expect(try status(moment.milliseconds / 1000) == 0)
        }
        for wrong in ["yesterday", "2027-01-15", "9999-01-01T00:00:00Z"] {
            let check = try postilla("serve", "--check", "--refuse-tokens-issued-before", wrong)
            #expect(check.status == 64 && check.messages.contains("refuse-tokens-issued-before "), "\(check.messages)")
        }
    }

    // MARK: What is refused

    @Test func wrongPlacesAreUsageErrors() throws {
        let engine = try EngineProcess()
        let data = engine.folder.path + "/data"
        for place in [data, data + "/pdf/z", engine.folder.path, "/"] {
            let run = try postilla("backup", place, "--data", data)
            #expect(run.status == 64)
            #expect(run.messages.hasSuffix("choose a folder elsewhere for the copy\n"), "\(run.messages)")
        }
        #expect(!Self.isThere(data + "/pdf/z") && !Self.isThere(engine.folder.path + "/postilla.sqlite"))
        try backUp(engine)
        for place in [copy, copy + "/data", folder.path] {
            let run = try postilla("restore", copy, "--data", place, "--replace")
            #expect(run.status == 64 && run.messages.contains("must lie apart"), "\(run.messages)")
        }
    }

    @Test func whatIsDamagedIsNamed() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        try backUp(engine)
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: copy + "/pdf").sorted().first)
        let path = "\(copy)/pdf/\(name)"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = folder.path + "/place"
        func refuse(_ sentence: String) throws {
            let run = try postilla("restore", copy, "--data", place)
            #expect(run.status == 1)
            #expect(
                run.messages.contains(sentence) && run.messages.hasSuffix("nothing was changed\n"), "\(run.messages)")
            #expect(!Self.isThere(place) && !Self.isThere(place + ".restoring"))
        }
        try Data(bytes.dropLast()).write(to: URL(fileURLWithPath: path))
        try refuse("\(copy) is damaged: pdf/\(name) does not match its SHA-256; restore another backup")
        try FileManager.default.removeItem(atPath: path)
        try refuse("\(copy) is damaged: pdf/\(name) is missing; restore another backup")
        try bytes.write(to: URL(fileURLWithPath: path))
        let database = URL(fileURLWithPath: copy + "/postilla.sqlite")
        let all = try Data(contentsOf: database)
        try all.dropLast(all.count / 2).write(to: database)
        try refuse("\(copy) is damaged: postilla.sqlite")
        try FileManager.default.removeItem(at: database)
        try refuse("\(copy) is not a backup: it contains no postilla.sqlite")
        try all.write(to: database)
        #expect(try postilla("restore", copy, "--data", place).status == 0)
    }

    @Test func aServerOnPostgreSQLHasOtherTools() throws {
        for (command, tools) in [
            ("backup", ["pg_dump", "pg_basebackup"]), ("restore", ["pg_restore", "pg_basebackup"]),
        ] {
            let run = try postilla(command, copy, "--store", "postgres://nobody@127.0.0.1:1/none")
            #expect(run.status == 64)
            for tool in tools { #expect(run.messages.contains(tool), "\(run.messages)") }
        }
        #expect(!Self.isThere(copy))
    }

    @Test(arguments: ["backup", "restore"]) func theHelpListsWhatMatters(_ command: String) throws {
        let help = try postilla("help", command)
        #expect(help.status == 0)
        let options = Set(help.output.matches(of: /--[a-z-]+/).map { String($0.output) })
        // The last one is an option of serve.
        let own: Set =
            command == "restore" ? ["--replace", "--deleted", "--refuse-tokens-issued-before"] : []
        #expect(options == own.union(["--data", "--store", "--config", "--version", "--help"]), "\(options)")
    }

    // MARK: Killed

    /// Wherever a kill falls, the server has the old data or none, and the same command completes the restore.
    @Test func itIsKilledAndRunAgain() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        try engine.create(["v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [1, 1, 9, 9], "text": "first"])
        try backUp(engine)
        // Large, so that the kills fall into checking and copying it.
        let bytes = 64 << 20
        let large = folder.path + "/large"
        try Data(count: bytes).write(to: URL(fileURLWithPath: large))
        let name = try Program.run([large], environment: [:], executable: "/usr/bin/sha256sum").output.prefix(64)
        try FileManager.default.moveItem(atPath: large, toPath: "\(copy)/attachments/\(name)")
        let database = try DatabaseQueue(path: copy + "/postilla.sqlite")
        try database.write {
            try $0.execute(sql: "INSERT INTO attachment VALUES ('paper', '\(name)', \(bytes), 0, 0)")
            try SQLiteSchema.fillChecksums(in: $0)
        }
        try database.close()
        let (data, new) = (engine.folder.path + "/data", engine.folder.path + "/data.restoring")
        try engine.create(["v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [1, 1, 9, 9], "text": "later"])
        engine.kill()
        for sign in [new, new + "/postilla.restoring", new + "/postilla.sqlite", new + "/pdf", new + "/attachments"] {
            let restore = try RunningCommand(
                ["restore", copy, "--data", data, "--replace"], environment: ["HOME": folder.path])
            let limit = DispatchTime.now() + .seconds(Patience.long)
            while !Self.isThere(sign), DispatchTime.now() < limit { poll(nil, 0, 1) }
            restore.signal(SIGKILL)
            // On a busy machine, the kill may come too late.
            guard try restore.waitForExit() == 128 + SIGKILL else { break }
            try engine.start()
            #expect(try engine.records().contains("later"), "still the old data")
            engine.kill()
        }
        let run = try postilla("restore", copy, "--data", data, "--replace")
        #expect(run.status == 0 && run.messages.hasPrefix("1 document(s), 3 file(s): "), "\(run.messages)")
        #expect(!Self.isThere(new))
        try engine.start()
        #expect(try !engine.records().contains("later"))
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aPlaceThatCannotBeWrittenIsNamed() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        try backUp(engine)
        let disk = try TinyDisk(kilobytes: 4_000)
        let data = disk.path + "/data"
        #expect(try postilla("restore", copy, "--data", data).status == 0)
        try disk.makeReadOnly()
        let run = try postilla("restore", copy, "--data", data, "--replace")
        #expect(run.status == 1)
        #expect(
            run.messages.contains("Read-only file system") && run.messages.contains("must be writable"),
            "\(run.messages)")
        #expect(Self.isThere(data + "/postilla.sqlite"))
    }
}

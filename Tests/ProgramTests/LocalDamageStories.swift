import Foundation
import GRDB
import Glibc
import TestSupport
import TestThreads
import Testing

/// Bytes of a person's files change on disk: every command ends, with the right data or with a message that names what is
/// damaged.
@Suite("Damaged files", .onOwnThreads, .timeLimit(.minutes(60)))
struct LocalDamageStories {
    /// `FLIPS=2000` flips 200 bytes here.
    private static let flips = ProcessInfo.processInfo.environment["FLIPS"].flatMap(Int.init).map { $0 / 10 } ?? 6
    private static let first = ProcessInfo.processInfo.environment["FLIPS_FROM"].flatMap(UInt64.init) ?? 0

    private let engine: EngineProcess
    private let ana: Person
    private let data: String
    /// The ids of an annotation that the server has and of one that is only here.
    private let ids: [String]
    /// The texts of the unsent edits.
    private let texts = (0..<8).map { "Written here \($0) " + String(repeating: "and on ", count: $0 * 40) }
    private var files: [String: Data] = [:]

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        data = ana.home.path + "/.local/share/postilla"
        let terminal = try ana.open()
        #expect(try terminal.quit() == [])
        var ids: [String] = []
        for number in 0..<5 { ids.append(try ana.note("On the server \(number)", page: number % 3 + 1)) }
        _ = try ana.script("reply", ids[0], "--text", "A reply")
        let watch = try RunningCommand(["watch"], environment: ana.environment.merging(ana.scripting) { $1 })
        try watch.see("ready")
        engine.kill()
        for text in texts {
            let run = try ana.run(["add", "--note", text, "--page", "1", "--offline"])
            guard let id = run.lines.first, run.status == 0 else { throw StoryError("add: \(run.messages)") }
            ids.append(id)
        }
        // A process that was killed leaves its write-ahead log.
        watch.signal(SIGKILL)
        _ = try watch.waitForExit()
        self.ids = [ids[0], ids[7]]
        try engine.start()
        files = try kept()
    }

    /// Every file of the data folder by its path in it.
    private func kept() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: data) {
            let file = URL(fileURLWithPath: data + "/" + path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            files[path] = try Data(contentsOf: file)
        }
        return files.filter { !$0.key.hasSuffix(".lock") && !$0.value.isEmpty }
    }

    private func put(_ files: [String: Data]) throws {
        try FileManager.default.removeItem(atPath: data)
        for (path, bytes) in files {
            let file = URL(fileURLWithPath: data + "/" + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try bytes.write(to: file)
        }
    }

    /// The commands that read without a server.
    private var readings: [[String]] {
        [
            ["list", "--offline", "--format", "json"], ["show", ids[0], ids[1], "--offline", "--format", "json"],
            ["export", "--offline"], ["comments", ids[0], "--offline", "--format", "json"],
            ["outbox", "--format", "json"], ["conflicts", "--format", "json"], ["storage", "--format", "json"],
        ]
    }

    /// Runs a command; its output, if any, is JSON even if the command fails.
    private func run(_ command: [String], _ what: Comment) throws -> Program.Outcome {
        let run = try ana.run(command)
        let isJSON = run.output.isEmpty || (try? JSONSerialization.jsonObject(with: Data(run.output.utf8))) != nil
        #expect(isJSON, "\(what): \(command[0]) wrote \(run.output.suffix(200))")
        #expect(run.status < 128, "\(what): \(command[0]) died: \(run.messages)")
        return run
    }

    @Test(arguments: [false, true]) func everyCommandIsRightOrSaysWhatIsDamaged(_ isKilled: Bool) throws {
        var start = files
        #expect(start.keys.contains { $0.hasSuffix("-wal") })
        if !isKilled {
            let store = try #require(start.keys.first { $0.hasSuffix(".sqlite") })
            let database = try DatabaseQueue(path: data + "/" + store)
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try database.close()
            start = try kept().filter { !$0.key.hasSuffix("-wal") && !$0.key.hasSuffix("-shm") }
        }
        var truth: [String] = []
        for command in readings {
            try put(start)
            let run = try run(command, "undamaged")
            #expect(run.status == 0, "\(command): \(run.messages)")
            truth.append(run.output)
        }
        var named = 0
        for seed in Self.first..<Self.first + UInt64(Self.flips / 2) {
            var random = SeededRandom(seed: seed)
            var changed = start
            let names = start.keys.sorted()
            let name = random.pick(random.chance(1, of: 2) ? names.filter { $0.hasSuffix(".sqlite") } : names)
            let place = Int.random(in: 0..<(start[name]?.count ?? 1), using: &random)
            changed[name]?[place] ^= UInt8.random(in: 1...255, using: &random)
            if try flip(changed, truth, "seed \(seed), byte \(place) of \(name.split(separator: "/").last ?? "")") {
                named += 1
            }
        }
        print("\(Self.flips / 2) flipped bytes, \(isKilled ? "killed" : "closed"): \(named) named by a command")
    }

    /// - Returns: Whether damage was named.
    private func flip(_ changed: [String: Data], _ truth: [String], _ what: Comment) throws -> Bool {
        var isNamed = false
        for (command, right) in zip(readings, truth) {
            try put(changed)
            let run = try run(command, what)
            if run.status != 0 { isNamed = true }
            guard run.output != right || run.status != 0 else { continue }
            // `storage list` shows a damaged layer as one of its rows.
            let says = run.messages + (command[0] == "storage" ? run.output : "")
            #expect(says.contains("damaged"), "\(what): \(command[0]) exits with \(run.status): \(says)")
        }
        try put(changed)
        let check = try run(["storage", "check", "--format", "json"], what)
        #expect(check.status == 0 || check.messages.contains("damaged"), "\(what): \(check.messages)")
        #expect(!isNamed || check.status == 1, "\(what): a command names damage, the check does not")
        let repair = try ana.run(["storage", "repair"], environment: ana.scripting)
        #expect(repair.status <= 1, "\(what): \(repair.messages)")
        let outbox = try run(["outbox", "--format", "json"], what)
        #expect(outbox.status == 0, "\(what): after the repair: \(outbox.messages)")
        let records = try engine.records()
        let missing = texts.filter { text in !outbox.output.contains(text) && !records.contains("\"\(text)\"") }
        #expect(
            missing.isEmpty || repair.messages.contains("lost: "),
            "\(what): \(missing.count) edits are gone, and nothing says so: \(repair.messages)")
        let sync = try ana.script("sync")
        #expect(sync.status == 0, "\(what): \(sync.messages)")
        #expect(try run(["storage", "check", "--format", "json"], what).status == 0, what)
        #expect(try run(["outbox", "--format", "ndjson"], what).output.isEmpty, what)
        return isNamed || check.status == 1
    }
}

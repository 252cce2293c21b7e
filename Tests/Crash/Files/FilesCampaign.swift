import Children
import Foundation
import Glibc
import TestSupport

/// One PDF, edited from two data folders, which are strangers to each other like two programs. In each cycle, commands and
/// engines are killed at random moments. Afterwards everything that a command has reported as done must be there exactly
/// once: what was written in the file, and what was kept in its data folder.
final class FilesCampaign {
    private let postilla: String
    private let folder: URL
    private let lies: Bool
    private let original: Data
    private(set) var summary = ""
    private var (commands, killed, engines, notes) = (0, 0, 0, 0)

    /// A data folder, with what is certain about it.
    private struct Side {
        var home: String
        /// Reported as kept or written.
        var done: Set<String> = []
        /// Begun, and perhaps done.
        var tried: Set<String> = []
    }

    init(postilla: String, folder: URL, lies: Bool) throws {
        (self.postilla, self.folder, self.lies) = (postilla, folder, lies)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        original = Data(
            SmallPDF(annotations: ["<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(first)>>"]).bytes)
    }

    private var sides: [Side] = []
    private var file = ""

    func cycle(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let place = folder.appendingPathComponent("\(seed)")
        file = place.appendingPathComponent("paper.pdf").path
        sides = ["one", "two"].map { Side(home: place.appendingPathComponent($0).path) }
        for side in sides {
            try FileManager.default.createDirectory(
                atPath: side.home + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        try original.write(to: URL(fileURLWithPath: file))
        for step in 0..<Int.random(in: 2...5, using: &random) { try self.step(step, &random) }
        try check()
        for side in sides { end(side) }
        try? FileManager.default.removeItem(at: place)
        summary = "\(commands) commands, \(killed) killed, \(engines) engines killed, \(notes) notes"
    }

    /// Ends the engines.
    func end() { for side in sides { end(side) } }

    private func end(_ side: Side) { for pid in engines(of: side) { Glibc.kill(pid, SIGKILL) } }

    // MARK: What happens

    private func step(_ number: Int, _ random: inout SeededRandom) throws {
        let index = Int.random(in: 0...1, using: &random)
        let texts = (0..<Int.random(in: 1...4, using: &random)).map { "\(index)-\(number)-\($0)" }
        let keeps = random.chance(1, of: 2)
        let victim = Int.random(in: 0..<4, using: &random)
        let delay = Int32.random(in: 0...400, using: &random)
        let command: Command
        if random.chance(1, of: 4) {
            command = try start(["write", file], index)
        } else {
            let lines = texts.map { text in
                #"{"content":{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[\#(72 + number * 20),72,32,32],"text":"\#(text)"}}"#
            }
            sides[index].tried.formUnion(texts)
            command = try start(
                ["add", "--pdf", file, "--ndjson"] + (keeps ? ["--no-write"] : []), index,
                input: lines.joined(separator: "\n") + "\n")
        }
        if victim < 2 {
            poll(nil, 0, delay)
            if victim == 0 {
                if command.process.isRunning { killed += 1 }
                command.process.kill()
            } else {
                for pid in engines(of: sides[index]) {
                    engines += 1
                    Glibc.kill(pid, SIGKILL)
                }
            }
        }
        let outcome = try command.end()
        commands += 1
        guard command.isAdd else { return }
        // What is answered as applied is done: the engine has it on disk.
        let answers = outcome.output.split(separator: "\n")
        for (text, answer) in zip(texts, answers) where answer.contains(#""status":"applied""#) {
            sides[index].done.insert(text)
            notes += 1
        }
    }

    // MARK: What must be

    private func check() throws {
        if lies { sides[0].done.insert("a lie") }
        // Each side has all that it has reported, also before it writes.
        for index in sides.indices { try compare(try texts(index), with: sides[index].done, "side \(index)") }
        // Then both write, and each sees everything.
        for _ in 0..<2 {
            for index in sides.indices {
                let outcome = try start(["write", file], index).end()
                guard outcome.status == 0 else {
                    throw CrashProblem("write ended with \(outcome.status): \(outcome.messages)")
                }
            }
        }
        let all = sides.reduce(into: Set<String>()) { $0.formUnion($1.done) }
        for index in sides.indices { try compare(try texts(index), with: all, "the file, from side \(index)") }
        guard try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: original) else {
            throw CrashProblem("the file does not begin with its original bytes")
        }
        let qpdf = ChildProcess()
        qpdf.executableURL = URL(fileURLWithPath: "/usr/bin/qpdf")
        qpdf.arguments = ["--check", file]
        qpdf.standardOutput = FileHandle.nullDevice
        try qpdf.run()
        qpdf.waitUntilExit()
        guard qpdf.terminationStatus == 0 else { throw CrashProblem("qpdf --check fails") }
        let rest = try FileManager.default.contentsOfDirectory(atPath: (file as NSString).deletingLastPathComponent)
        // What a killed engine was writing goes with the next write.
        guard rest.sorted() == ["one", "paper.pdf", "two"] else {
            throw CrashProblem("files are left: \(rest.sorted())")
        }
    }

    private func compare(_ found: [String], with wanted: Set<String>, _ what: String) throws {
        var counts: [String: Int] = [:]
        for text in found { counts[text, default: 0] += 1 }
        guard counts["first"] == 1 else {
            throw CrashProblem("\(what): the file's own note is there \(counts["first"] ?? 0) times")
        }
        for text in wanted where counts[text] != 1 {
            throw CrashProblem("\(what): \(text) is there \(counts[text] ?? 0) times")
        }
        let tried = sides.reduce(into: Set<String>()) { $0.formUnion($1.tried) }
        for (text, count) in counts where text != "first" {
            guard tried.contains(text), count == 1 else {
                throw CrashProblem("\(what): \(text) is there \(count) times")
            }
        }
    }

    private func texts(_ index: Int) throws -> [String] {
        let outcome = try start(["list", file, "--format", "ndjson"], index).end()
        guard outcome.status == 0 else { throw CrashProblem("list ended with \(outcome.status): \(outcome.messages)") }
        return try outcome.output.split(separator: "\n").compactMap { line in
            let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let text = (json?["content"] as? [String: Any])?["text"]
            return text as? String ?? (text as? [String: Any])?["value"] as? String
        }
    }

    // MARK: Processes

    private struct Outcome {
        var status: Int32
        var output: String
        var messages: String
    }

    private final class Command {
        let process = ChildProcess()
        let isAdd: Bool
        private let files: [URL]

        init(_ program: String, _ arguments: [String], environment: [String: String], files: [URL]) throws {
            self.files = files
            isAdd = arguments.first == "add"
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.environment = environment
            process.standardInput = try FileHandle(forReadingFrom: files[0])
            process.standardOutput = try FileHandle(forWritingTo: files[1])
            process.standardError = try FileHandle(forWritingTo: files[2])
            try process.run()
        }

        func end() throws -> Outcome {
            let watchdog = DispatchWorkItem { [process] in process.kill() }
            DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
            process.waitUntilExit()
            watchdog.cancel()
            return Outcome(
                status: process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0),
                output: try String(contentsOf: files[1], encoding: .utf8),
                messages: try String(contentsOf: files[2], encoding: .utf8))
        }
    }

    private func start(_ arguments: [String], _ index: Int, input: String = "") throws -> Command {
        let home = sides[index].home
        let files = ["in", "out", "err"].map { URL(fileURLWithPath: "\(home)/\($0)") }
        try Data(input.utf8).write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        return try Command(
            postilla, arguments,
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": home, "XDG_RUNTIME_DIR": home + "/run", "SWIFT_BACKTRACE": "enable=no",
            ], files: files)
    }

    /// The engines of a data folder, by the lock that they hold.
    private func engines(of side: Side) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { pid in
            guard let words = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/cmdline")),
                let environment = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/environ"))
            else { return false }
            let arguments = words.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return arguments.dropFirst().first == "engine"
                && environment.split(separator: 0).contains { Data($0) == Data("HOME=\(side.home)".utf8) }
        }
    }
}

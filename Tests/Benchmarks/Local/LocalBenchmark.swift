import Children
import Foundation
import TestSupport

/// PDFs of one's own: opening one, opening one with changes that are not in it, writing many changes, and merging copies.
struct LocalBenchmark {
    var backend: Backend
    var folder: URL
    var runs = 9
    /// The changes that are kept, and those that are written.
    var changes = 1_000
    var megabytes = 20
    var copies = 3
    var annotations = 300

    struct Outcome {
        /// From the start of the program until the text of the first page is shown: with an engine that is started,
        /// with one that runs, and by a program that can only read.
        var first = Samples()
        var running = Samples()
        var readOnly = Samples()
        /// From the text until a note can be written.
        var editableFirst = Samples()
        var editable = Samples()
        /// From the start of the program until text and annotations are shown: of a file with kept changes, and of a
        /// layer that is on this machine.
        var kept = Samples()
        var cached = Samples()
        /// A command that writes the changes, qpdf with sync and check, and each of the steps of qpdf.
        var write = Samples()
        var qpdf = Samples()
        /// Merging copies, and reading the original and the copies with qpdf.
        var merge = Samples()
        var reading = Samples()
    }

    private var home: URL { folder.appendingPathComponent("home-local") }

    /// In memory, as the runtime folder of a session is.
    private var runtime: URL {
        let memory = "/dev/shm"
        let folder = FileManager.default.isWritableFile(atPath: memory) ? URL(fileURLWithPath: memory) : home
        return folder.appendingPathComponent("bench-\(ProcessInfo.processInfo.processIdentifier)")
    }

    private var environment: [String: String] {
        ["HOME": home.path, "XDG_RUNTIME_DIR": runtime.path, "PATH": "/usr/bin:/bin"]
    }

    func run() async throws -> Outcome {
        var outcome = Outcome()
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer {
            endEngine()
            try? FileManager.default.removeItem(at: runtime)
        }
        try open(&outcome)
        try await reopen(&outcome)
        try write(&outcome)
        try merge(&outcome)
        return outcome
    }

    private func measured(_ body: () throws -> Void) rethrows -> Duration {
        let start = ContinuousClock.now
        try body()
        return ContinuousClock.now - start
    }

    private func qpdf() throws -> String {
        guard let path = Tools.path("qpdf") else { throw BenchmarkError("qpdf is not installed") }
        return path
    }

    /// Ends the engine, so that the next command starts one.
    private func endEngine() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let pid = pid_t(name),
                let words = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/cmdline")),
                let variables = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/environ")),
                words.split(separator: 0).dropFirst().first.map({ Data($0) }) == Data("engine".utf8),
                variables.split(separator: 0).contains(where: { Data($0) == Data("HOME=\(home.path)".utf8) })
            else { continue }
            kill(pid, SIGKILL)
        }
    }

    // MARK: Opening

    private func open(_ outcome: inout Outcome) throws {
        let file = folder.appendingPathComponent("local.pdf")
        try LongPDF.write(pages: 200, to: file)
        // The path of a socket may have 107 bytes, so that no engine can be started: the file is only read.
        let long = folder.appendingPathComponent("home-" + String(repeating: "x", count: 100))
        try FileManager.default.createDirectory(at: long, withIntermediateDirectories: true)
        for number in -1..<runs {
            endEngine()
            var (first, running, readOnly) = (Samples(), Samples(), Samples())
            var (editableFirst, editable) = (Samples(), Samples())
            try visit(file, environment, &first, &editableFirst)
            try visit(file, environment, &running, &editable)
            let start = ContinuousClock.now
            let terminal = try VirtualTerminal(
                running: [backend.postilla, "open", file.path],
                environment: ["HOME": long.path, "PATH": "/usr/bin:/bin"])
            readOnly.add(try shown(terminal, since: start))
            try terminal.wait(until: "the file can only be read", seconds: 60) { $0.text.contains("only be read") }
            try leave(terminal)
            guard number >= 0 else { continue }
            outcome.first.add(first.median ?? .zero)
            outcome.running.add(running.median ?? .zero)
            outcome.readOnly.add(readOnly.median ?? .zero)
            outcome.editableFirst.add(editableFirst.median ?? .zero)
            outcome.editable.add(editable.median ?? .zero)
        }
    }

    private func visit(
        _ file: URL, _ environment: [String: String], _ text: inout Samples, _ editable: inout Samples
    ) throws {
        let start = ContinuousClock.now
        let terminal = try VirtualTerminal(running: [backend.postilla, "open", file.path], environment: environment)
        let shown = try shown(terminal, since: start)
        // A key that is pressed too early is held until it can be obeyed.
        terminal.send(text: "a")
        try terminal.wait(until: "a note can be written", seconds: 60) { $0.text.contains("Enter save") }
        guard let end = terminal.lastRead else { throw BenchmarkError("nothing was written") }
        text.add(shown)
        editable.add(end - start - shown)
        terminal.send([0x1B])
        terminal.waitForIdle(milliseconds: 200)
        try leave(terminal)
    }

    /// Returns the time until the text of the first page is shown.
    private func shown(_ terminal: VirtualTerminal, since start: ContinuousClock.Instant) throws -> Duration {
        try terminal.wait(until: "the first page is shown", seconds: 60) { $0.text.contains("harbour") }
        guard let end = terminal.lastRead else { throw BenchmarkError("nothing was written") }
        return end - start
    }

    private func leave(_ terminal: VirtualTerminal) throws {
        terminal.send(text: "q")
        _ = try terminal.waitForExit()
    }

    // MARK: Opening again

    private static func notes(_ count: Int, of who: String) -> String {
        (0..<count).map { number in
            #"{"content":{"type":"pspdfkit/note","v":1,"pageIndex":\#(number % 100),"bbox":[72,\#(72 + number / 100 * 30),24,24],"text":"Remark \#(number)\#(who)"}}"#
        }.joined(separator: "\n") + "\n"
    }

    private func keep(_ count: Int, in file: URL, of who: String = "") throws {
        let input = folder.appendingPathComponent("notes.ndjson")
        try Data(Self.notes(count, of: who).utf8).write(to: input)
        _ = try Tools.run(
            [
                "/bin/sh", "-c",
                "'\(backend.postilla)' add --pdf '\(file.path)' --ndjson --no-write < '\(input.path)' > /dev/null",
            ], environment: environment)
    }

    private func reopen(_ outcome: inout Outcome) async throws {
        let file = folder.appendingPathComponent("kept.pdf")
        try LongPDF.write(pages: 100, to: file)
        try keep(changes, in: file)
        // The same file and notes in a layer of a server, which was opened before.
        try backend.upload(file.path, as: "kept")
        let cachedHome = folder.appendingPathComponent("home-kept")
        try FileManager.default.createDirectory(at: cachedHome, withIntermediateDirectories: true)
        let command = try backend.openCommand(document: "kept", user: "reader", home: cachedHome)
        let input = folder.appendingPathComponent("notes.ndjson")
        _ = try Tools.run(
            [
                "/bin/sh", "-c",
                "'\(backend.postilla)' add --ndjson --server '\(backend.server.address)' --token-file '\(cachedHome.path)/token' "
                    + "--data-dir '\(cachedHome.path)/data' < '\(input.path)' > /dev/null",
            ], environment: ["HOME": cachedHome.path, "PATH": "/usr/bin:/bin"])
        for number in -1..<runs {
            let kept = try opened([backend.postilla, "open", file.path], environment)
            let cached = try opened(command, ["HOME": cachedHome.path, "PATH": "/usr/bin:/bin"])
            guard number >= 0 else { continue }
            outcome.kept.add(kept)
            outcome.cached.add(cached)
        }
    }

    private func opened(_ command: [String], _ environment: [String: String]) throws -> Duration {
        let start = ContinuousClock.now
        let terminal = try VirtualTerminal(running: command, environment: environment)
        try terminal.wait(until: "text and annotations are shown", seconds: 60) {
            $0.text.contains("harbour") && $0.text.contains("Annotations \(changes)") && $0.text.contains("Remark 0")
        }
        guard let end = terminal.lastRead else { throw BenchmarkError("nothing was written") }
        terminal.waitForIdle(milliseconds: 500)
        try leave(terminal)
        return end - start
    }

    // MARK: Writing

    private func write(_ outcome: inout Outcome) throws {
        let qpdf = try qpdf()
        let original = folder.appendingPathComponent("large.pdf")
        // A page has about 2,700 bytes.
        try LongPDF.write(pages: megabytes << 20 / 2_700, to: original)
        let (file, copy) = (folder.appendingPathComponent("written.pdf"), folder.appendingPathComponent("qpdf.pdf"))
        for number in -1..<max(3, runs / 3) {
            try? FileManager.default.removeItem(at: file)
            try FileManager.default.copyItem(at: original, to: file)
            try keep(changes, in: file)
            let wrote = try measured {
                _ = try Tools.run([backend.postilla, "write", file.path], environment: environment)
            }
            let tool = try measured {
                _ = try Tools.run([
                    "/bin/sh", "-c",
                    "\(qpdf) '\(original.path)' '\(copy.path)' && sync '\(copy.path)' && \(qpdf) --check '\(copy.path)' > /dev/null",
                ])
            }
            guard number >= 0 else { continue }
            outcome.write.add(wrote)
            outcome.qpdf.add(tool)
        }
        let list = try Tools.run([qpdf, "--json=2", "--json-key=qpdf", file.path])
        guard list.components(separatedBy: "u:Remark ").count > changes else {
            throw BenchmarkError("not all changes were written")
        }
    }

    // MARK: Merging

    private func merge(_ outcome: inout Outcome) throws {
        let qpdf = try qpdf()
        let base = folder.appendingPathComponent("base.pdf")
        try LongPDF.write(annotations: annotations, to: base)
        var paths = [base.path]
        for number in 0..<copies {
            let copy = folder.appendingPathComponent("copy-\(number).pdf")
            try FileManager.default.copyItem(at: base, to: copy)
            // Each reviewer adds as many again.
            try keep(annotations, in: copy, of: " by \(number)")
            _ = try Tools.run([backend.postilla, "write", copy.path], environment: environment)
            paths.append(copy.path)
        }
        let (target, output) = (folder.appendingPathComponent("merged.pdf").path, folder.path + "/merged.json")
        for number in -1..<runs {
            let merged = try measured {
                try? FileManager.default.removeItem(atPath: target)
                _ = try Tools.run([backend.postilla, "merge"] + paths + ["-o", target], environment: environment)
            }
            let read = try measured {
                for path in paths { _ = try Tools.run(["/bin/sh", "-c", "\(qpdf) --json=2 '\(path)' > '\(output)'"]) }
            }
            guard number >= 0 else { continue }
            outcome.merge.add(merged)
            outcome.reading.add(read)
        }
    }
}

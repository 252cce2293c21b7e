import Children
import Dispatch
import Foundation
import Synchronization
import Testing

extension Person {
    /// The environment of a script.
    var scripting: [String: String] { ["POSTILLA_SERVER": engine.url, "POSTILLA_TOKEN_FILE": tokenFile] }

    /// Runs a command as a script does: server and token from the environment, no terminal.
    func script(_ arguments: String..., input: String = "") throws -> Program.Outcome {
        try run(arguments, input: input, environment: scripting)
    }

    /// Adds a note and returns its id.
    func note(_ text: String, page: Int = 1) throws -> String {
        let run = try script("add", "--note", text, "--page", "\(page)")
        guard run.status == 0 else { throw StoryError("add: \(run.messages)") }
        return run.output.trimmingCharacters(in: .newlines)
    }

    func listed() throws -> String { try script("list", "--format", "ndjson").output }
}

extension Program.Outcome {
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The output as JSON values, one per line.
    func objects() throws -> [[String: Any]] {
        try lines.map { line in
            guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                throw StoryError("no object: \(line)")
            }
            return object
        }
    }
}

/// A running command with its output so far.
final class RunningCommand {
    private let process = ChildProcess()
    private let heard = Heard()

    private final class Heard: Sendable {
        let text = Mutex((output: "", messages: ""))
        let news = DispatchSemaphore(value: 0)
    }

    init(
        _ arguments: [String], environment: [String: String], executable: String = Program.path,
        directory: String? = nil
    ) throws {
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        let (output, messages) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, messages)
        let heard = heard
        output.fileHandleForReading.readabilityHandler = { handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            heard.text.withLock { $0.output += text }
            heard.news.signal()
        }
        messages.fileHandleForReading.readabilityHandler = { handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            heard.text.withLock { $0.messages += text }
            heard.news.signal()
        }
        process.terminationHandler = { _ in heard.news.signal() }
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    var output: String { heard.text.withLock(\.output) }
    var messages: String { heard.text.withLock(\.messages) }

    /// Waits until the command has written this.
    func see(_ text: String) throws { try wait("\(text) in\n\(output)\(messages)") { output.contains(text) } }

    func hear(_ text: String) throws { try wait("\(text) in\n\(messages)") { messages.contains(text) } }

    var processID: Int32 { process.processIdentifier }

    func interrupt() { process.interrupt() }

    func signal(_ number: Int32) { process.signal(number) }

    func terminate() { process.terminate() }

    /// Returns the shell's exit status: 128 plus the signal number if a signal ended it.
    func waitForExit() throws -> Int32 {
        try wait("the end") { !process.isRunning }
        return process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    }

    private func wait(_ what: String, until isTrue: () -> Bool) throws {
        let limit = DispatchTime.now() + .seconds(Patience.long)
        while !isTrue() {
            guard heard.news.wait(timeout: limit) == .success else { throw StoryError("waited for \(what)") }
        }
    }
}

extension Person {
    private var draftsFolder: String { home.path + "/.local/state/postilla/drafts" }

    func hasDraft(of text: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: draftsFolder)) ?? []
        return names.contains { name in
            (try? String(contentsOfFile: draftsFolder + "/" + name, encoding: .utf8))?.contains(text) ?? false
        }
    }

    /// Writes a note in a viewer. Its draft is left as by a kill between storing the note and removing the draft.
    func saveLeavingTheDraft(_ text: String) throws {
        let terminal = try open()
        try terminal.addNote(text)
        try terminal.see(text, at: engine)
        #expect(try terminal.quit() == [])
        let note = try script("list", "--format", "ndjson").objects().first { "\($0["content"] ?? "")".contains(text) }
        let id = try #require(note?["id"] as? String)
        let names = try FileManager.default.contentsOfDirectory(atPath: draftsFolder)
        let file = try #require(names.first { $0.hasSuffix(".json") })
        let draft = #"[{"page":0,"text":"\#(text)","becoming":"\#(id)"}]"#
        try Data(draft.utf8).write(to: URL(filePath: draftsFolder + "/" + file))
    }
}

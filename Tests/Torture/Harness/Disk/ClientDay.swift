import Annotations
import Children
import EngineSupport
import Foundation
import TestSupport

/// A day of one person's commands: they sync, edit with and without the server, download and export. Whatever fails is
/// tried again, so that each day ends in the same state. After the edits without the server, the power fails.
final class ClientDay: DiskTrial {
    private(set) var tally = DiskTally()
    private let faults: DiskFaults
    private let fault: DiskFaults.Fault?
    private let only: String?
    private let postilla: String
    private let server: ServerProcess
    private let document: String
    private let folder: URL
    private let home: URL

    /// - Parameter server: Its disk does not fail.
    init(
        postilla: String, folder: URL, library: URL, server: ServerProcess, only: String?, fault: DiskFaults.Fault?
    ) throws {
        (self.postilla, self.folder, self.server, self.only, self.fault) = (postilla, folder, server, only, fault)
        document = "day-\(UUID().uuidString)"
        home = folder.appendingPathComponent("home")
        faults = try DiskFaults(library: library, folder: folder.appendingPathComponent("faults"))
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try ServerProcess.writePrivately(
            try server.mint.token(document: document, layer: DiskState.layer, user: "ana"), to: token)
        if let fault { try faults.arm(fault) }
    }

    private var token: URL { folder.appendingPathComponent("token.jwt") }
    private var export: URL { home.appendingPathComponent("export.json") }
    var operations: [String] { faults.operationNames }

    func play() throws -> [DayEnd] {
        do { return try steps() } catch {
            throw Failure(
                """
                \(error)
                --- failed operations
                \(faults.log.prefix(20).joined(separator: "\n"))
                --- the server: \(server.ending ?? "running")
                \(server.log.suffix(2_000))
                """)
        }
    }

    private func steps() throws -> [DayEnd] {
        try upload()
        try run("sync")
        try run("add", "--content", try note("one"), ifDone: 6)
        try run("export", "--format", "pdf", "-o", home.appendingPathComponent("annotated.pdf").path)
        try run("add", "--content", try note("two"), "--offline", ifDone: 6)
        try run("edit", "one", "--text", "one, changed", "--offline")
        try run("add", "--content", try note("three"), "--offline", ifDone: 6)
        try run("add", "--content", try note("four"), "--offline", ifDone: 6)
        try run("delete", "three", "--offline", ifDone: 1)
        // An armed fault may still happen later.
        try faults.heal()
        try faults.failPower(in: home)
        let unsent = try texts("list", "--offline")
        try run("sync")
        try run("edit", "two", "--text", "two, changed")
        try run("delete", "four", ifDone: 1)
        try run("export", "-o", export.path)
        try faults.disarm()
        tally.faults = try faults.failures
        let exported = try String(contentsOf: export, encoding: .utf8)
        let whole = try output("export", "--offline")
        guard exported == whole else { throw Failure("the exported file has \(exported) instead of \(whole)") }
        try faults.failPower(in: home)
        _ = try output("storage", "check")
        return [
            DayEnd(when: "after a power failure", lines: unsent),
            DayEnd(when: "after the second power failure", lines: try texts("list", "--offline")),
            DayEnd(when: "on the server", lines: try onServer()),
        ]
    }

    private func upload() throws {
        var request = backend("POST", "documents?document_id=\(document)")
        request.fields.append(("Content-Type", "application/pdf"))
        request.body = DiskState.pdfs[0]
        let answer = try request.answer(from: server.port)
        guard answer.status == 200 else { throw Failure("\(answer.status) for the upload: \(answer.text)") }
    }

    private func backend(_ method: String, _ target: String) -> Request {
        var request = Request("day", method, "/api/" + target, .status([200]))
        request.fields = [("Authorization", "Token token=\"\(server.secret)\"")]
        return request
    }

    /// Writes a record to a file, outside of the watched folder.
    private func note(_ id: String) throws -> String {
        let file = folder.appendingPathComponent(id + ".json")
        let record: JSON = ["id": .string(id), "content": .object(Content.plainNote(id).object)]
        try Data(record.text.utf8).write(to: file)
        return file.path
    }

    // MARK: Commands

    /// Runs a command until it succeeds.
    ///
    /// - Parameter status: That of a command which an earlier attempt has carried out, although it failed.
    private func run(_ arguments: String..., ifDone status: Int32? = nil) throws {
        _ = try finished(arguments, ifDone: status)
        tally.acknowledged += 1
    }

    /// Runs a command that only reads until it succeeds: opening a store writes beside it.
    private func output(_ arguments: String...) throws -> String { try finished(arguments).output }

    private func finished(
        _ arguments: [String], ifDone status: Int32? = nil
    ) throws -> (status: Int32, output: String, messages: String) {
        var hasFailed = false
        for attempt in 1...8 {
            let failures = try faults.failures
            let result = try command(arguments)
            let isFaulty = try faults.failures > failures
            if result.status == 0 || hasFailed && !isFaulty && result.status == status { return result }
            guard isFaulty, result.status == 1, result.messages.hasPrefix("postilla: ") else {
                throw Failure("\(arguments) ended with \(result.status): \(result.messages)")
            }
            tally.refusals[arguments[0], default: 0] += 1
            hasFailed = true
            if attempt == 3 { try faults.heal() }
        }
        throw Failure("\(arguments) fails again and again")
    }

    private func command(_ arguments: [String]) throws -> (status: Int32, output: String, messages: String) {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: postilla)
        process.arguments = arguments
        var environment = faults.environment(
            watching: home.path, hasDisk: true, only: only, traces: fault == nil)
        for name in environment.keys where name.hasPrefix("XDG_") || name.hasPrefix("POSTILLA_") {
            environment[name] = nil
        }
        environment["HOME"] = home.path
        environment["POSTILLA_SERVER"] = server.address
        environment["POSTILLA_TOKEN_FILE"] = token.path
        process.environment = environment
        let files = try ["output", "messages"].map { name in
            let file = folder.appendingPathComponent(name)
            try Data().write(to: file)
            return file
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        return (
            process.terminationStatus + (isSignal ? 128 : 0), try String(contentsOf: files[0], encoding: .utf8),
            try String(contentsOf: files[1], encoding: .utf8)
        )
    }

    // MARK: What is there

    private func texts(_ arguments: String...) throws -> [String] {
        try Self.texts(try finished(arguments + ["--format", "ndjson"]).output)
    }

    private func onServer() throws -> [String] {
        var request = backend("GET", "documents/\(document)/layers/\(DiskState.layer)/annotations")
        request.fields.append(("Accept", "application/x-ndjson"))
        return try Self.texts(String(decoding: try request.answer(from: server.port).body, as: UTF8.self))
    }

    private static func texts(_ lines: String) throws -> [String] {
        try lines.split(separator: "\n").map { line in
            let record = try JSONReader.parse(Array(line.utf8))
            guard let content = record["content"] else { throw Failure("not a record: \(line)") }
            let text = content["text"]?["value"]?.string ?? content["text"]?.string ?? ""
            return "\(record["id"]?.string ?? ""): \(text)"
        }.sorted()
    }
}

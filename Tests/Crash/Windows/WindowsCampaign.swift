import Annotations
import EngineSupport
import Foundation
import Glibc
import TestSupport

/// Several programs of one user on one data folder: windows that open, stop, die and get other tokens, and commands
/// between them. Each must act within its own token; nothing may be lost or doubled; no one with an accepted token may
/// wait for another program.
final class WindowsCampaign {
    private static let user = "ana"
    private static let mostWindows = 4

    let server: ServerProcess
    private let postilla: String
    private let folder: URL
    private let data: String
    private let lies: Bool
    private var random: SeededRandom
    private var windows: [Window] = []
    private var count = 0
    /// What is on the server for certain: text by id, made by this user or by the backend.
    private var own: [String: String] = [:]
    private var foreign: Set<String> = []
    /// Notes that a viewer confirmed, and those of which nothing is known.
    private var confirmed: Set<String> = []
    private var tried: Set<String> = []
    private var (commands, deaths, stops) = (0, 0, 0)
    private var longest = Duration.zero
    private var excused = 0

    init(postilla: String, folder: URL, seed: UInt64, lies: Bool) throws {
        (self.postilla, self.folder, self.lies) = (postilla, folder, lies)
        random = SeededRandom(seed: seed)
        data = folder.appendingPathComponent("data").path
        server = try ServerProcess(postilla: postilla, folder: folder.appendingPathComponent("server"))
    }

    func run(rounds: Int) async throws {
        try await server.upload(SmallPDF(annotations: []).bytes, as: Campaign.document)
        for round in 1...max(1, rounds) {
            do { try await step() } catch { throw CrashProblem("round \(round): \(error)") }
        }
        try await finish()
        print(
            "\(rounds) rounds held: \(commands) commands, \(deaths) windows ended, \(stops) stopped, \(excused) excused; "
                + "the longest command took \(longest.wholeMilliseconds) ms")
    }

    // MARK: What happens

    private func step() async throws {
        for window in windows { window.listen() }
        windows.removeAll { !$0.isRunning }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4: if windows.count < Self.mostWindows { try open() } else { try await command() }
        case 4: end()
        case 5, 6: stop(SIGSTOP)
        case 7: stop(SIGTSTP)
        case 8, 9: for window in windows where window.isStopped { window.proceed() }
        case 10, 11: try await changeToken()
        case 12, 13: try await writeForeign()
        case 14, 15: try note()
        default: try await command()
        }
        try checkWindows()
    }

    private func open() throws {
        count += 1
        let role = random.pick(Role.allCases)
        windows.append(
            try Window(
                "window\(count)", random.chance(1, of: 2) ? .watch : .viewer, postilla: postilla,
                server: server.address, data: data, folder: folder, role: role, token: token(role)))
    }

    private func token(_ role: Role) throws -> String { try server.mint.token(role.claims(user: Self.user)) }

    private func end() {
        guard let window = windows.isEmpty ? nil : random.pick(windows) else { return }
        deaths += 1
        if random.chance(2, of: 3) { window.kill() } else { window.end(SIGTERM) }
    }

    private func stop(_ signal: Int32) {
        guard let window = windows.isEmpty ? nil : random.pick(windows), !window.isStopped else { return }
        stops += 1
        window.stop(signal)
    }

    /// Revokes a window's token and gives it one for another role.
    private func changeToken() async throws {
        guard let window = windows.isEmpty ? nil : random.pick(windows) else { return }
        let old = window.token
        let role = random.pick(Role.allCases)
        try window.give(token(role), role)
        var request = server.request("revoke", .POST)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(Array((["jwts": [.string(old)]] as JSON).text.utf8))
        _ = try await server.send(request)
    }

    private func newText(_ kind: String) -> String {
        count += 1
        return "\(kind)-\(count)."
    }

    private func writeForeign() async throws {
        let text = newText("foreign")
        var request = server.request("documents/\(Campaign.document)/layers/review/annotations", .POST)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(Array((["content": Self.content(text)] as JSON).text.utf8))
        _ = try await server.send(request)
        foreign.insert(text)
    }

    private static func content(_ text: String) -> JSON {
        ["v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 72, 24, 24], "text": .string(text)]
    }

    /// Writes a note in a viewer.
    private func note() throws {
        let viewers = windows.filter { $0.kind == .viewer && !$0.isStopped && $0.takesNotes }
        guard let viewer = viewers.isEmpty ? nil : random.pick(viewers) else { return }
        let text = newText("noted")
        let before = viewer.lines.count
        tried.insert(text)
        for line in ["note", text, "."] { viewer.say(line) }
        // A viewer that waits for a token, or refuses, answers otherwise.
        if viewer.listen(for: ["Added note"], after: before, seconds: 5) != nil {
            confirmed.insert(text)
        } else {
            viewer.takesNotes = false
        }
    }

    // MARK: Commands

    private func command() async throws {
        commands += 1
        let role = random.pick(Role.allCases)
        let file = folder.appendingPathComponent("command.jwt").path
        try Data(try token(role).utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: try add(role, file)
        case 2 where !own.isEmpty: try edit(role, file)
        case 3: try check(try run(["sync"], file), role, "sync")
        case 4: try list(role, file, ["export"])
        default: try list(role, file, ["list", "--format", "ndjson"])
        }
    }

    private func run(_ arguments: [String], _ tokenFile: String) throws -> Run {
        let options = ["--server", server.address, "--token-file", tokenFile, "--data-dir", data]
        var run = try Run([postilla] + arguments + options, folder: folder, home: data)
        if run.duration > .seconds(9), windows.contains(where: \.isStopped) {
            excused += 1
            guard excused <= 1 + commands / 50 else { throw CrashProblem("stopped programs block others too often") }
            for window in windows where window.isStopped { window.proceed() }
            run.isExcused = true
            return run
        }
        longest = max(longest, run.duration)
        guard run.duration > .seconds(2) else { return run }
        // How long the machine takes now, without any other program on the folder.
        let alone = folder.appendingPathComponent("alone").path
        try FileManager.default.createDirectory(atPath: alone, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("alone.jwt").path
        try Data(try server.mint.token(Role.all.claims(user: "ref")).utf8).write(to: URL(fileURLWithPath: file))
        let reference = try Run(
            [postilla, "list", "--server", server.address, "--token-file", file, "--data-dir", alone], folder: folder,
            home: alone)
        guard run.duration < .seconds(2) + reference.duration * 5 else {
            throw CrashProblem(
                "\(arguments) took \(run.duration.wholeMilliseconds) ms beside others, and \(reference.duration) alone: "
                    + "\(describeWindows) \(run.messages)")
        }
        return run
    }

    private var describeWindows: String {
        windows.map { "\($0.name) \($0.kind) \($0.roles.last?.rawValue ?? "")\($0.isStopped ? " stopped" : "")" }
            .joined(separator: ", ")
    }

    private func check(_ run: Run, _ role: Role, _ what: String, writes: Bool = false) throws {
        guard !run.isExcused else { return }
        let expected: Int32 = !role.isAccepted ? 3 : writes && !role.mayWrite ? 4 : 0
        guard run.status == expected else {
            throw CrashProblem("\(what) as \(role) ended with \(run.status): \(run.messages) (\(describeWindows))")
        }
    }

    private func add(_ role: Role, _ file: String) throws {
        let text = newText("own")
        let run = try run(["add", "--note", text, "--page", "1"], file)
        try check(run, role, "add", writes: true)
        if run.isExcused {
            tried.insert(text)
        } else if run.status == 0 {
            own[run.output.trimmingCharacters(in: .newlines)] = text
        }
    }

    private func edit(_ role: Role, _ file: String) throws {
        let id = random.pick(own.keys.sorted())
        let text = newText("own")
        let run = try run(["edit", id, "--text", text], file)
        try check(run, role, "edit", writes: true)
        if run.isExcused { own[id] = nil } else if run.status == 0 { own[id] = text }
    }

    /// A listing has everything that was on the server before it began, and that its token may see; nothing else.
    private func list(_ role: Role, _ file: String, _ arguments: [String]) throws {
        let run = try run(arguments, file)
        try check(run, role, arguments[0])
        guard !run.isExcused else { return }
        let seesForeign = role.sees(createdBy: nil, owner: Self.user)
        var wanted = role.isAccepted ? Set(own.values) : []
        if seesForeign { wanted.formUnion(foreign) }
        for text in wanted where !run.output.contains("\"\(text)") {
            throw CrashProblem("\(arguments[0]) as \(role) lacks \(text) (\(describeWindows))")
        }
        if !seesForeign, run.output.contains("foreign-") {
            throw CrashProblem("\(arguments[0]) as \(role) shows what its token may not see (\(describeWindows))")
        }
    }

    /// No window ever shows what none of its tokens may see.
    private func checkWindows() throws {
        for window in windows where window.roles.allSatisfy({ !$0.sees(createdBy: nil, owner: Self.user) }) {
            window.listen()
            if let line = window.lines.first(where: { $0.contains("foreign-") }) {
                throw CrashProblem("\(window.name), \(window.roles), shows \(line)")
            }
        }
    }

    // MARK: The end

    /// Ends all windows; a last command sends what waits.
    private func finish() async throws {
        for window in windows where random.chance(1, of: 2) { window.kill() }
        for window in windows where window.isRunning { window.end(SIGTERM) }
        for window in windows { window.kill() }
        windows = []
        if lies { confirmed.insert("never written") }
        let file = folder.appendingPathComponent("command.jwt").path
        try Data(try token(.all).utf8).write(to: URL(fileURLWithPath: file))
        for _ in 0..<3 { try check(try run(["sync"], file), .all, "the last sync") }
        let waiting = try run(["outbox", "--format", "ndjson"], file)
        guard waiting.output.isEmpty else { throw CrashProblem("unsent at the end: \(waiting.output)") }
        var request = server.request("documents/\(Campaign.document)/layers/review/annotations")
        request.headers.add(name: "Accept", value: "application/x-ndjson")
        var texts: [String: Int] = [:]
        for line in try await server.send(request).split(separator: 0x0A) {
            guard let text = try JSONReader.parse(Array(line))["content"]?["text"]?.plainText else { continue }
            // A note may begin with the draft of a viewer that was killed.
            for part in text.split(separator: "\n") { texts[String(part), default: 0] += 1 }
        }
        for text in Set(own.values).union(foreign).union(confirmed) where texts[text] != 1 {
            throw CrashProblem("\(text) is on the server \(texts[text, default: 0]) times")
        }
        for text in tried where texts[text, default: 0] > 1 { throw CrashProblem("\(text) is on the server twice") }
    }
}

extension JSON {
    /// The text of a plain string or of `{"format","value"}`.
    fileprivate var plainText: String? { string ?? self["value"]?.string }
}

import FaultProxy
import Foundation
import TestSupport
import TestThreads
import Testing

/// What each command that writes ends with: the table of `docs/commands.md`, played.
@Suite(.onOwnThreads)
struct CommandOutcomeStories {
    enum Command: String, CaseIterable {
        case add, file, reply, importing, edit, state, delete, apply, merge, resolve
    }

    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private static let xfdf =
        #"<xfdf xmlns="http://ns.adobe.com/xfdf/"><annots><text page="0" rect="9,9,29,29" name="from-afar-long-enough" "#
        + #"title="Bo"><contents>Outcome</contents></text></annots></xfdf>"#

    /// Everything goes through the proxy, because a copy of a layer belongs to the address that a command names.
    private func run(
        _ words: [String], input: String = "", token: String? = nil, through proxy: FaultProxy
    ) throws -> Program.Outcome {
        var environment = ana.scripting
        environment["POSTILLA_SERVER"] = proxy.url
        if let token { environment["POSTILLA_TOKEN_FILE"] = try ana.home.write("other.jwt", token) }
        return try ana.run(words, input: input, environment: environment)
    }

    /// Prepares what the command needs.
    ///
    /// - Returns: the command.
    private func prepare(_ command: Command, _ proxy: FaultProxy) throws -> (words: [String], input: String) {
        func run(_ words: String...) throws -> Program.Outcome { try self.run(words, through: proxy) }
        let target = try #require(run("add", "--note", "Target", "--page", "1").lines.first)
        switch command {
        case .add: return (["add", "--note", "Outcome", "--page", "1"], "")
        case .file:
            return (["add", "--file", try ana.home.write("Outcome.csv", "a,b\n"), "--page", "1"], "")
        case .reply: return (["reply", target, "--text", "Outcome"], "")
        case .importing: return (["import", try ana.home.write("notes.xfdf", Self.xfdf), "--format", "ndjson"], "")
        case .edit: return (["edit", target, "--text", "Outcome"], "")
        case .state: return (["state", target, "accepted"], "")
        case .delete: return (["delete", target], "")
        case .apply:
            return (["apply", "-"], try run("edit", target, "--text", "Outcome", "--dry-run").output)
        case .merge: return (["merge", try ana.home.write("notes.xfdf", Self.xfdf), "--into"], "")
        case .resolve:
            let ben = try Person("ben", at: engine)
            #expect(try run("edit", target, "--text", "Outcome", "--offline").status == 0)
            #expect(try ben.script("edit", target, "--text", "Of ben").status == 0)
            #expect(try run("sync").status == 6)
            return (["conflicts", "resolve", target, "--mine"], "")
        }
    }

    /// How often the server has what the command does.
    private func effects(of command: Command) throws -> Int {
        switch command {
        case .delete: try engine.records().contains("\"Target\"") ? 0 : 1
        // The comments of the layer are in no other list.
        case .reply: try ana.script("export").output.components(separatedBy: "Outcome").count - 1
        case .state: try ana.script("list", "--resolved", "--format", "ndjson").objects().count
        case .file: try engine.records().components(separatedBy: "Outcome.csv").count - 1
        default: try engine.records().components(separatedBy: "\"Outcome\"").count - 1
        }
    }

    private func outbox() throws -> Int { try ana.run(["outbox", "--format", "ndjson"]).objects().count }

    @Test(arguments: Command.allCases) func aCommandEndsAsTheTableSays(_ command: Command) async throws {
        let proxy = try await FaultProxy(to: #require(URL(string: engine.url)?.port))
        let (words, input) = try prepare(command, proxy)
        let waiting = try outbox()
        func run(token: String? = nil) throws -> Program.Outcome {
            try self.run(words, input: input, token: token, through: proxy)
        }

        proxy.follow { _ in .refuse }
        let down = try run()
        #expect(down.status == 5 && down.output.isEmpty, "\(down.status) \(down.messages)")
        proxy.follow { _ in .none }
        let reader = try run(token: engine.token("ana", reading: true))
        #expect(reader.status == 4, "\(reader.status) \(reader.messages)")
        let late = try run(token: engine.token { $0.expires = Int64(Date().timeIntervalSince1970) - 3600 })
        #expect(late.status == 3, "\(late.status) \(late.messages)")
        #expect(try outbox() == waiting, "nothing is stored")
        #expect(try effects(of: command) == 0)

        proxy.follow { _ in .loseAnswers(to: "POST /instant/v1/changes") }
        let lost = try run()
        #expect(lost.status == 8 && lost.messages.contains("stored on this machine"), "\(lost.status) \(lost.messages)")
        if [.add, .file, .reply, .importing].contains(command) { #expect(!lost.output.isEmpty, "its id") }
        #expect(try effects(of: command) == 1, "only the answer was lost")
        proxy.follow { _ in .none }
        let synced = try self.run(["sync"], through: proxy)
        #expect(synced.status == 0, "\(synced.status) \(synced.messages)")
        #expect(try effects(of: command) == 1, "not twice")
        #expect(try outbox() == 0)
    }
}

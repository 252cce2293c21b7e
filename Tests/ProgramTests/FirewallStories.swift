import FaultProxy
import Foundation
import TestSupport
import TestThreads
import Testing

/// What commands say if something between here and the server refuses edits.
@Suite(.onOwnThreads)
struct FirewallStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private func firewall(against word: String) async throws -> FaultProxy {
        let port = try #require(URL(string: engine.url)?.port)
        return try await FaultProxy(to: port) { _ in .forbid(word) }
    }

    private func run(_ words: String..., through proxy: FaultProxy) throws -> Program.Outcome {
        try ana.run(words, environment: ana.scripting.merging(["POSTILLA_SERVER": proxy.url]) { $1 })
    }

    /// On a busy machine one search may end before it has found what is refused.
    private func syncUntilSomethingIsAside(through proxy: FaultProxy) throws -> Program.Outcome {
        for _ in 0..<9 {
            let synced = try run("sync", through: proxy)
            let left = try run("outbox", "--format", "ndjson", through: proxy).objects()
            if left.contains(where: { ($0["reason"] as? String)?.contains("put aside") == true }) { return synced }
            #expect(synced.status == 8, "\(synced.messages)")
        }
        throw StoryError("nothing was put aside")
    }

    /// New lines and those that are open refuse nothing any more.
    private func open(_ proxy: FaultProxy) {
        proxy.follow { _ in .none }
        proxy.cut()
    }

    @Test func oneEditIsPutAsideAndTheOthersAreSent() async throws {
        let proxy = try await firewall(against: "an attack")
        #expect(try run("sync", through: proxy).status == 0)
        for text in ["Before", "This is an attack", "After"] {
            #expect(try run("add", "--note", text, "--page", "1", "--offline", through: proxy).status == 0)
        }
        let synced = try syncUntilSomethingIsAside(through: proxy)
        #expect(synced.status == 8 && synced.messages.contains("put aside"), "\(synced.messages)")
        let records = try engine.records()
        #expect(records.contains("Before") && records.contains("After") && !records.contains("This is an attack"))
        let left = try run("outbox", "--format", "ndjson", through: proxy).objects()
        #expect(left.count == 1 && left.first?["state"] as? String == "parked")
        #expect(left.first?["reason"] as? String == "put aside: something between here and 127.0.0.1 answers 403")
        // Nothing refuses it any more.
        open(proxy)
        #expect(try run("sync", through: proxy).status == 0)
        #expect(try engine.records().contains("This is an attack"))
    }

    /// The process that has the layer open does the sending.
    @Test func whatWasPutAsideIsSentOnRequestAlsoWhileWatchRuns() async throws {
        let proxy = try await firewall(against: "an attack")
        #expect(try run("sync", through: proxy).status == 0)
        let watch = try RunningCommand(
            ["watch"],
            environment: ana.environment.merging(ana.scripting) { $1 }.merging(["POSTILLA_SERVER": proxy.url]) { $1 })
        try watch.see(#""event":"ready""#)
        for text in ["This is an attack", "After"] {
            #expect(try run("add", "--note", text, "--page", "1", "--offline", through: proxy).status == 0)
        }
        #expect(try syncUntilSomethingIsAside(through: proxy).status == 8)
        open(proxy)
        let synced = try run("sync", through: proxy)
        #expect(synced.status == 0, "\(synced.messages)")
        #expect(try engine.records().contains("This is an attack"))
        watch.interrupt()
        #expect(try watch.waitForExit() == 130)
    }

    @Test func aRefusedFileHoldsUpNoOther() async throws {
        let proxy = try await firewall(against: "an attack")
        #expect(try run("sync", through: proxy).status == 0)
        let bad = try ana.home.write("bad.txt", "This is an attack")
        let fine = try ana.home.write("fine.txt", "This is fine")
        for file in [bad, fine] {
            #expect(try run("add", "--file", file, "--page", "1", "--offline", through: proxy).status == 0)
        }
        #expect(try syncUntilSomethingIsAside(through: proxy).status == 8)
        let left = try run("outbox", "--format", "ndjson", through: proxy).objects()
        #expect(left.count == 1 && (left.first?["reason"] as? String)?.contains("its file") == true, "\(left)")
        open(proxy)
        #expect(try run("sync", through: proxy).status == 0)
        #expect(try engine.records().components(separatedBy: "bad.txt").count == 2)
    }

    /// Then nothing is put aside, and each command says that its edit is stored.
    @Test func ifNoEditPassesEachCommandSaysThatItIsStored() async throws {
        let proxy = try await firewall(against: "POST /instant/v1/changes")
        let stored = "answers 403; the edit is stored on this machine and sent by the next sync"
        let added = try run("add", "--note", "Stored", "--page", "1", through: proxy)
        #expect(added.status == 8 && added.messages.contains(stored) && added.lines.count == 1, "\(added.messages)")
        let xfdf = try ana.home.write(
            "notes.xfdf",
            #"<xfdf xmlns="http://ns.adobe.com/xfdf/"><annots><text page="0" rect="9,9,29,29" name="from-afar" title="Bo">"#
                + "<contents>Imported</contents></text></annots></xfdf>")
        let imported = try run("import", xfdf, "--format", "ndjson", through: proxy)
        #expect(imported.status == 8 && imported.messages.contains("answers 403"), "\(imported.messages)")
        let line = try #require(try imported.objects().first)
        #expect(line["action"] as? String == "create" && line["status"] as? String == "waiting")
        let ids = try run("outbox", "--format", "ndjson", through: proxy).objects().compactMap { $0["id"] as? String }
        #expect(ids.count == 2 && ids.contains(added.lines[0]) && ids.contains(line["id"] as? String ?? ""))
        // The server answers everything else, so it is not unreachable.
        let synced = try run("sync", through: proxy)
        #expect(synced.status == 8 && synced.messages.contains("answers 403"), "\(synced.messages)")
        open(proxy)
        #expect(try run("sync", through: proxy).status == 0)
        let records = try engine.records()
        #expect(records.contains("Stored") && records.contains("Imported"))
    }
}

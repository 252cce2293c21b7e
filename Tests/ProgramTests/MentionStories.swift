import Foundation
import TestSupport
import TestThreads
import Testing

/// A person is mentioned by another, with the real program and server; and the setting `notify`.
@Suite(.onOwnThreads)
struct MentionStories {
    let engine: EngineProcess
    let ana: Person
    let ben: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        ben = try Person("ben", at: engine)
    }

    @Test func aMentionIsWrittenFoundAndReported() throws {
        _ = try ben.note("Ben was here")
        let out = ben.home.path + "/hook.out"
        try ben.home.write("hook.sh", "#!/bin/sh\ncat >> \(out)\n")
        chmod(ben.home.path + "/hook.sh", 0o700)
        let settings = try ben.home.write(
            "config.toml", "on-mention = [\"\(ben.home.path)/hook.sh\"]\nnotify = \"osc9\"\n")
        let reader = try ben.start(environment: ["POSTILLA_CONFIG": settings])
        try reader.wait(forText: "synced", seconds: Patience.long)
        try reader.waitForPage()

        let writer = try ana.open()
        try writer.see("Ben was here")
        try writer.press("/here<enter>")
        try writer.see("Annotations 1 of 2")
        try writer.press("r")
        try writer.see("Reply to the note")
        writer.send(text: "Please look, @be")
        try writer.see("@be")
        try writer.press("<tab>")
        try writer.see("Please look, @Ben")
        try writer.press("<enter>")
        try writer.see("Added reply, mentions @Ben")
        try reader.see("mentioned you; g@ to list mentions of you")
        try reader.see("1 mention")
        try reader.wait(until: "the desktop is told", seconds: Patience.long) { $0.rawOutput.contains("\u{1B}]9;") }
        #expect(reader.rawOutput.contains("ana mentioned you\u{7}"))
        try reader.wait(until: "the hook has run", seconds: Patience.long) { _ in
            (try? String(contentsOfFile: out, encoding: .utf8))?.hasSuffix("\n") == true
        }
        let line = try String(contentsOfFile: out, encoding: .utf8)
        #expect(line.contains(#""event":"mention""#) && line.contains(#""by":"ana""#) && !line.contains("look"))
        try reader.press("g@")
        try reader.see("filter: is:mention")
        try reader.see("Annotations 1 of 2")
        // Reading it ends the count.
        try reader.press("<enter>")
        try reader.see("Please look, @Ben")
        try reader.press("<esc>")
        try reader.see(no: "1 mention")
        // The words of replies are searched, too.
        try reader.press("<esc>/@ben<enter>")
        try reader.see("filter: @ben")
        try reader.see("Annotations 1 of 2")
        #expect(try reader.quit() == [])
        #expect(try writer.quit() == [])

        // It is not new for a second run.
        let again = try ben.start(environment: ["POSTILLA_CONFIG": settings])
        try again.wait(forText: "synced", seconds: Patience.long)
        try again.waitForPage()
        #expect(!again.text.contains("mention"))
        #expect(try again.quit() == [])
        #expect(try String(contentsOfFile: out, encoding: .utf8) == line)

        for format in ["markdown", "csv"] {
            let text = try ana.script("export", "--format", format).output
            #expect(text.contains("Please look, @Ben") && !text.contains("data-user-id"), "\(text)")
        }
        let whole = try ana.script("export", "--format", "instant-json").output
        #expect(whole.contains(#"<span data-user-id=\"ben\">@Ben</span>"#), "\(whole)")
        let xfdf = try ana.script("export", "--format", "xfdf").output
        #expect(xfdf.contains("Please look, @Ben"), "\(xfdf)")
        let pdf = ana.home.path + "/out.pdf"
        #expect(try ana.script("export", "--format", "pdf", "--output", pdf).status == 0)
        let thread = try ana.script("comments", #require(try ids().first))
        #expect(thread.output.contains("Please look, ") && thread.output.contains("@Ben"), "\(thread.output)")
    }

    private func ids() throws -> [String] {
        try ana.script("list", "--text", "here", "--format", "ndjson").objects().compactMap { $0["id"] as? String }
    }

    /// Off unless it is set.
    @Test(arguments: ["off", "osc9", "osc777"])
    func othersAreReportedOnTheDesktop(form: String) throws {
        let settings = try ana.home.write("config.toml", "notify = \"\(form)\"\n")
        let terminal = try ana.start(environment: ["POSTILLA_CONFIG": settings])
        try terminal.wait(forText: "synced", seconds: Patience.long)
        try terminal.waitForPage()
        _ = try ben.note("News")
        try terminal.see("News")
        let starts = ["osc9": "\u{1B}]9;", "osc777": "\u{1B}]777;notify;postilla;"]
        if let start = starts[form] {
            try terminal.wait(until: "the desktop is told", seconds: Patience.long) { $0.rawOutput.contains(start) }
            #expect(terminal.rawOutput.contains("1 new by ben\u{7}"))
        }
        #expect(try terminal.quit() == [])
        for (name, start) in starts where name != form { #expect(!terminal.rawOutput.contains(start)) }
    }
}

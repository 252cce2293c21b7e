import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct ConfigStories {
    private func config(_ home: Folder, _ arguments: [String] = [], _ more: [String: String] = [:]) throws
        -> Program.Outcome
    {
        try Program.run(["config"] + arguments, environment: ["HOME": home.path].merging(more) { $1 })
    }

    @Test func whereASettingComesFromIsPrinted() throws {
        let home = try Folder()
        let file = try home.write("my.toml", "\nmouse = false\n[keys.list]\ndelete = \"<del>\"\n")
        let run = try config(home, [], ["POSTILLA_CONFIG": file, "VISUAL": "vi"])
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.lines.contains("mouse = false  # \(file), line 2"))
        #expect(run.lines.contains("delete = \"<delete>\"  # \(file), line 4"))
        #expect(run.lines.contains("editor = \"vi\"  # VISUAL"))
        #expect(run.lines.contains("theme = \"auto\""))
        #expect(try config(home, ["--path"]).output == home.path + "/.config/postilla/config.toml\n")
    }

    @Test func aFileIsCheckedLineByLine() throws {
        let home = try Folder()
        let bad = try home.write("bad.toml", "theme = \"dark\"\nmouse = 3\n[keys.list]\nnote = \"e\"\n")
        let run = try config(home, ["--check", bad])
        #expect(run.status == 64 && run.output == "")
        #expect(run.messages.contains("\(bad), line 2: mouse must be true or false"))
        #expect(run.messages.contains("\(bad), line 4: e is already edit"))
        let good = try home.write("good.toml", try config(home).output)
        #expect(try config(home, ["--check", good]).status == 0)
    }

    @Test func theViewerObeysAndNamesWhatItCannot() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        let ana = try Person(at: engine)
        let arguments = ["open", engine.url, "--token-file", ana.tokenFile]
        let good = try ana.home.write("good.toml", "view = \"layout\"\nmouse = false\n[keys.list]\nnote = \"<C-n>\"\n")
        let terminal = try ana.start(arguments, environment: ["POSTILLA_CONFIG": good])
        try terminal.waitForPage()
        try terminal.see("Ctrl-N note")
        #expect(!terminal.rawOutput.contains("\u{1B}[?1000h"), "the terminal keeps the mouse")
        #expect(try terminal.quit() == [])
        // An option names another file.
        let other = try ana.home.write("other.toml", "[keys.list]\nnote = \"<C-b>\"\n")
        let second = try ana.start(arguments + ["--config", other], environment: ["POSTILLA_CONFIG": good])
        try second.waitForPage()
        try second.see("Ctrl-B note")
        #expect(try second.quit() == [])
        let bad = try ana.home.write("bad.toml", "[keys.list]\nfly = \"f\"\n")
        let refused = try ana.start(arguments, environment: ["POSTILLA_CONFIG": bad])
        #expect(try refused.waitForExit(seconds: Patience.long) == 64)
        // The line break depends on the length of the path.
        let words = refused.text.replacing("\n", with: "")
        #expect(words.contains("line 2: unknown command: fly"))
    }
}

import Foundation
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

    /// The program would never start.
    @Test func aPipeThatNothingIsWrittenIntoIsNotWaitedForForEver() throws {
        let home = try Folder()
        let pipe = home.path + "/pipe.toml"
        #expect(mkfifo(pipe, 0o600) == 0)
        let run = try config(home, [], ["POSTILLA_CONFIG": pipe])
        #expect(run.status != 0 && run.messages.contains("nothing was written into the pipe \(pipe)"), "\(run)")
    }

    /// The path of the usual settings file, with this text.
    private func settings(_ home: Folder, _ text: String) throws -> String {
        let folder = home.path + "/.config/postilla"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try home.write(".config/postilla/config.toml", text)
    }

    @Test func settingsThatAnotherAccountMayHaveWrittenAreRefused() throws {
        let home = try Folder()
        let file = try settings(home, "mouse = false\n")
        let folder = home.path + "/.config/postilla"
        #expect(try config(home).status == 0)
        func expectRefusal(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
            let run = try config(home)
            #expect(
                run.status == 64 && run.messages.contains("another account may have written it"), "\(run.messages)",
                sourceLocation: sourceLocation)
        }
        chmod(file, 0o606)
        try expectRefusal()
        chmod(file, 0o664)
        #expect(try config(home).status == 0)
        chmod(folder, 0o777)
        try expectRefusal()
        chmod(folder, 0o1777)
        #expect(try config(home).status == 0)
        chmod(folder, 0o755)
        guard geteuid() == 0 else { return }
        chown(file, 65534, 65534)
        try expectRefusal()
        chown(file, 0, 0)
        chown(folder, 65534, 65534)
        try expectRefusal()
    }

    private func shell(_ home: Folder, _ line: String) throws -> Program.Outcome {
        try Program.run(["-c", line], environment: ["HOME": home.path, "P": Program.path], executable: "/bin/sh")
    }

    @Test func outputIntoTheSettingsFileIsRefusedAndTheLastSettingsAreKept() throws {
        let home = try Folder()
        let own = "theme = \"light\"\n[profiles.work]\nserver = \"https://docs.example\"\n"
        let file = try settings(home, own)
        #expect(try config(home).status == 0)
        let run = try shell(home, "\"$P\" config > \(file)")
        #expect(run.status == 64 && run.messages.contains("config --write"), "\(run.messages)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "")
        // Another run, which reads the empty file, keeps the copy.
        #expect(try config(home).status == 0)
        let kept = home.path + "/.local/state/postilla/settings"
        let copies = try FileManager.default.contentsOfDirectory(atPath: kept).map { "\(kept)/\($0)" }
        let copy = try #require(copies.first)
        #expect(copies.count == 1 && run.messages.contains(copy), "\(run.messages)")
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == own)
        // Appending empties nothing, and would make the file invalid.
        _ = try settings(home, own)
        #expect(try shell(home, "\"$P\" config >> \(file)").status == 64)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == own)
        // Other places are unaffected.
        #expect(try shell(home, "\"$P\" config > \(home.path)/other.toml").status == 0)
    }

    @Test func aSettingsFileIsWrittenAndAnExistingOneIsKept() throws {
        let home = try Folder()
        let file = home.path + "/.config/postilla/config.toml"
        let first = try config(home, ["--write"], ["VISUAL": "vi"])
        #expect(first.status == 0 && first.messages == "Wrote \(file)\n", "\(first.messages)")
        #expect(try config(home, ["--check", file]).status == 0)
        // What the environment says belongs to one shell.
        #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("\"vi\""))
        let refused = try config(home, ["--write"])
        #expect(refused.status == 64 && refused.messages.contains("\(file).1"), "\(refused.messages)")
        for (number, theme) in ["light", "dark"].enumerated() {
            let own = "theme = \"\(theme)\"\n"
            _ = try settings(home, own)
            let run = try config(home, ["--write", "--force"])
            #expect(run.status == 0, "\(run.messages)")
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("  # List the keys available here"))
            let kept = "\(file).\(number + 1)"
            #expect(run.messages.contains(kept), "\(run.messages)")
            #expect(try String(contentsOfFile: kept, encoding: .utf8) == own)
            #expect(try config(home).lines.contains { $0.hasPrefix("theme = \"\(theme)\"") })
        }
        // A file with errors is not replaced, and a link to a file elsewhere stays one.
        _ = try settings(home, "mouse = 3\n")
        #expect(try config(home, ["--write", "--force"]).status == 64)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mouse = 3\n")
        try FileManager.default.removeItem(atPath: file)
        let target = try home.write("dotfile.toml", "mouse = false\n")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
        #expect(try config(home, ["--write", "--force"]).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == target)
        #expect(try String(contentsOfFile: target, encoding: .utf8).contains("mouse = false"))
    }

    /// Links and files of another account, where every account can make them.
    @Test(.enabled(if: geteuid() == 0, "needs root, to act as another account"))
    func theSettingsOfAnotherAccountAreNotReplaced() throws {
        let home = try Folder()
        let shared = try home.makeFolder("shared")
        #expect(chmod(shared, 0o1777) == 0)
        let victim = try home.write("victim.toml", "mouse = false\n")
        let folder = try home.makeFolder("folder")
        for (link, target) in [("file.toml", victim), ("folder", folder)] {
            #expect(symlink(target, "\(shared)/\(link)") == 0 && lchown("\(shared)/\(link)", 65534, 65534) == 0)
        }
        let theirs = try home.write("shared/theirs.toml", "mouse = false\n")
        #expect(chown(theirs, 65534, 65534) == 0)
        for path in ["\(shared)/file.toml", "\(shared)/folder/new.toml", "\(shared)/folder/a/new.toml", theirs] {
            let run = try config(home, ["--write", "--force"], ["POSTILLA_CONFIG": path])
            #expect(run.status == 1, "\(path): \(run.messages)")
        }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mouse = false\n")
        #expect(try String(contentsOfFile: theirs, encoding: .utf8) == "mouse = false\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
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

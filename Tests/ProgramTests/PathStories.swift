import Foundation
import TestSupport
import TestThreads
import Testing

/// Where the program stores its files, and where it cannot.
@Suite(.onOwnThreads)
struct PathStories {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"]]) func withoutAHomeAPlaceHasToBeNamed(
        _ environment: [String: String]
    ) throws {
        let run = try Program.run(["storage"], environment: environment)
        #expect(run.status == 64)
        #expect(run.messages.contains("HOME is not set"))
        #expect(run.messages.contains("--data-dir"))
        let named = try Program.run(["storage", "--data-dir", folder.path + "/data"], environment: environment)
        #expect(named.status == 0, "\(named.messages)")
    }

    @Test func aHomeThatCannotBeWrittenToIsNamedWithTheReason() throws {
        let file = try folder.write("file", "")
        let run = try Program.run(["storage"], environment: ["HOME": file])
        #expect(run.status == 1)
        #expect(run.messages == "postilla: cannot create the folder \(file)/.local/share/postilla: Not a directory\n")
    }

    /// After a person worked with a server and with a PDF of their own, under the most open umask.
    @Test func whatIsStoredIsForItsOwnerOnly() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        let ana = try Person(at: engine)
        let runtime = try ana.home.makeFolder("run")
        #expect(chmod(runtime, 0o700) == 0)
        let paper = try ana.home.write(
            "own.pdf", try Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/reading-machines.pdf")))
        let environment = ana.environment.merging(["XDG_RUNTIME_DIR": runtime, "P": Program.path]) { $1 }
        for line in [
            "sync \(engine.url) --token-file \(ana.tokenFile)", "add \(paper) --note Kept --page 1 --no-write",
            "config --write",
            "open \(engine.url) --token-file \(ana.tokenFile) --plain --log \(ana.home.path)/.local/log",
        ] {
            let run = try Program.run(
                ["-c", "umask 000; printf 'note 1 Hello\\nquit\\n' | \"$P\" \(line)"], environment: environment,
                executable: "/bin/sh")
            #expect(run.status == 0, "\(line): \(run.messages)")
        }
        var seen = 0
        for place in ["\(ana.home.path)/.local", "\(ana.home.path)/.config", runtime] {
            let names = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
            for path in [place] + names.map({ "\(place)/\($0)" }) {
                var status = stat()
                // Folders that only lead to the program's are no secret; temporary files may be gone.
                guard lstat(path, &status) == 0, path.contains("/postilla") || path.hasSuffix("/log") else { continue }
                seen += 1
                // The folder of a socket keeps others out, and the mode of a link means nothing.
                let isShut = status.st_mode & 0o077 == 0 || [S_IFLNK, S_IFSOCK].contains(status.st_mode & S_IFMT)
                #expect(isShut, "\(path): \(String(status.st_mode, radix: 8))")
            }
        }
        #expect(seen > 20)
    }

    @Test func aTokenFileThatOthersMayReadIsWarnedOf() throws {
        let token = try folder.write("token", "a.b.c")
        for (mode, warns) in [(0o600, false), (0o640, true), (0o604, true)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: token)
            let run = try Program.run(
                ["list", "http://127.0.0.1:1", "--token-file", token], environment: ["HOME": folder.path])
            #expect(run.messages.contains("\(token) is readable by other users; run chmod 600") == warns)
            #expect(!run.messages.contains("a.b.c"))
        }
    }
}

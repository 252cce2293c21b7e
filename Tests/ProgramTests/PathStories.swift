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

import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Links and files of another account, where every account can make them: no output goes through or over them.
@Suite(.onOwnThreads, .enabled(if: geteuid() == 0, "only root may give files away"))
struct LinkStories {
    private let home: Folder
    private let path: String
    private let original: Data
    private var shared: String { home.path + "/shared" }

    init() throws {
        home = try Folder()
        original = try Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/reading-machines.pdf"))
        path = try home.write("paper.pdf", original)
        try home.write("mine.pdf", original)
        for name in ["shared", "run"] {
            try FileManager.default.createDirectory(atPath: home.path + "/" + name, withIntermediateDirectories: false)
        }
        chmod(home.path + "/shared", 0o1777)
        chmod(home.path + "/run", 0o700)
    }

    private func run(_ words: [String]) throws -> Program.Outcome {
        try Program.run(words, environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"])
    }

    /// Plants a link of another account.
    private func plant(_ name: String, to target: String) {
        #expect(symlink(target, shared + "/" + name) == 0)
        lchown(shared + "/" + name, 65534, 65534)
    }

    @Test func noOutputGoesThroughTheirLinks() throws {
        let mine = home.path + "/mine.pdf"
        plant("out.pdf", to: mine)
        plant("new.pdf", to: home.path + "/made.pdf")
        plant("folder", to: home.path)
        for name in ["out.pdf", "new.pdf", "folder/made.pdf"] {
            let target = shared + "/" + name
            for words in [
                ["write", path, "--to", target, "--force"], ["export", path, "--format", "pdf", "-o", target],
                ["export", path, "--format", "csv", "-o", target],
                ["merge", path, path, mine, "-o", target, "--force"],
            ] {
                let refused = try run(words)
                #expect(refused.status != 0, "\(words)")
                #expect(refused.messages.contains("is a link of another account"), "\(words): \(refused.messages)")
            }
        }
        let added = try run(["add", shared + "/out.pdf", "--note", "x", "--page", "1"])
        #expect(added.status == 1 && added.messages.contains("is a link of another account"), "\(added.messages)")
        let logged = try run(["list", path, "--log", shared + "/folder/made.pdf"])
        #expect(logged.status == 64 && logged.messages.contains("is a link of another account"), "\(logged.messages)")
        #expect(try Data(contentsOf: URL(filePath: mine)) == original)
        #expect(access(home.path + "/made.pdf", F_OK) != 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shared).sorted() == ["folder", "new.pdf", "out.pdf"])
    }

    @Test func noOutputReplacesTheirFiles() throws {
        let theirs = try home.write("shared/theirs.pdf", original)
        chown(theirs, 65534, 65534)
        chmod(shared, 0o777)
        for words in [
            ["write", path, "--to", theirs], ["export", path, "--format", "pdf", "-o", theirs],
            ["export", path, "--format", "csv", "-o", theirs],
        ] {
            let refused = try run(words)
            #expect(refused.status == 1, "\(words): \(refused.messages)")
        }
        #expect(try Data(contentsOf: URL(filePath: theirs)) == original)
        // Only root can, and only if told.
        let forced = try run(["write", path, "--to", theirs, "--force"])
        #expect(forced.status == 0, "\(forced.messages)")
        var status = stat()
        #expect(stat(theirs, &status) == 0 && status.st_uid == 65534)
        let merged = try run(["merge", path, path, "-o", theirs, "--force"])
        #expect(merged.status == 0, "\(merged.messages)")
        #expect(stat(theirs, &status) == 0 && status.st_uid == 65534, "the file stays theirs")
    }
}

import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What commands on a PDF of one's own leave beside it, and what they replace.
@Suite(.onOwnThreads)
struct OwnFilePlaceStories {
    let home: Folder
    let path: String

    init() throws {
        home = try Folder()
        _ = try home.makeFolder("desk")
        path = try home.write(
            "desk/paper.pdf",
            Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/reading-machines.pdf")))
        try FileManager.default.createDirectory(
            atPath: home.path + "/run", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    private func run(_ words: String...) throws -> Program.Outcome {
        try Program.run(
            words, environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"])
    }

    private var desk: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: home.path + "/desk")) ?? []).sorted()
    }

    /// The words of pages are kept in memory: the folder is the person's.
    @Test func anExportLeavesNothingBesideThePDF() throws {
        let mine = try home.write("desk/paper.words", "mine")
        for format in ["csv", "markdown", "xfdf", "instant-json"] {
            #expect(try run("export", path, "--format", format).status == 0)
        }
        #expect(desk == ["paper.pdf", "paper.words"])
        #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine")
    }

    @Test func aLogIsWrittenForAPDFToo() throws {
        #expect(try run("list", path, "--log", home.path + "/log").status == 0)
        let log = try String(contentsOfFile: home.path + "/log", encoding: .utf8)
        #expect(log.contains("GET"), "\(log)")
        let refused = try run("list", path, "--log", home.path + "/desk")
        #expect(refused.status == 64 && refused.output == "", "\(refused.messages)")
    }

    @Test func anExportReplacesFilesOnlyAndFollowsLinks() throws {
        let target = try home.write("desk/old.csv", "old")
        try FileManager.default.createSymbolicLink(atPath: home.path + "/desk/link.csv", withDestinationPath: target)
        #expect(try run("export", path, "--format", "csv", "-o", home.path + "/desk/link.csv").status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path + "/desk/link.csv") == target)
        #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("id,under,page"))
        #expect(mkfifo(home.path + "/desk/pipe", 0o600) == 0)
        for name in ["/desk/pipe", "/desk"] {
            let run = try run("export", path, "--format", "csv", "-o", home.path + name)
            #expect(run.status == 1 && run.messages.contains("is not a regular file; nothing was written"))
        }
    }

    @Test func anEngineThatHangsIsNamed() throws {
        #expect(try run("list", path).status == 0)
        let engines = Folder.paths(below: home.path + "/run", named: "engine.lock").flatMap(holders)
        #expect(!engines.isEmpty)
        for pid in engines { kill(pid, SIGSTOP) }
        defer { for pid in engines { kill(pid, SIGKILL) } }
        let run = try run("list", path)
        #expect(run.status == 5 && run.output == "" && run.messages.contains("does not answer"), "\(run.messages)")
    }

    private func holders(of file: String) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { pid in
            let folder = "/proc/\(pid)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == file
            }
        }
    }
}

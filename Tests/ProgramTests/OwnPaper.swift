import Foundation
import Glibc
import TestSupport
import Testing

/// A PDF of one's own in a home, and another home whose programs share nothing with the first.
struct OwnPaper {
    let home: Folder
    let original: Data
    let path: String

    init() throws {
        home = try Folder()
        original = try Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/reading-machines.pdf"))
        path = try home.write("paper.pdf", original)
        for name in ["run", "other-run"] {
            try FileManager.default.createDirectory(
                atPath: "\(home.path)/\(name)", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
    }
}

/// Stories about such a PDF.
protocol OwnPaperStories {
    var paper: OwnPaper { get }
}

extension OwnPaperStories {
    var home: Folder { paper.home }
    var original: Data { paper.original }
    var path: String { paper.path }

    /// - Parameter other: Whether to run it in the other home.
    func run(_ words: String..., other: Bool = false, input: String = "") throws -> Program.Outcome {
        try run(words, other: other, input: input)
    }

    func run(_ words: [String], other: Bool = false, input: String = "") throws -> Program.Outcome {
        try Program.run(
            words,
            environment: [
                "HOME": other ? home.path + "/other" : home.path, "TZ": "UTC",
                "XDG_RUNTIME_DIR": home.path + (other ? "/other-run" : "/run"),
            ], input: input)
    }

    func texts(other: Bool = false) throws -> String {
        let outcome = try run("list", path, "--format", "ndjson", other: other)
        #expect(outcome.status == 0, "\(outcome.messages)")
        return outcome.output
    }
}

/// The engine of PDFs of one's own.
enum OwnEngine {
    /// The processes that hold its lock.
    ///
    /// - Parameter runtime: The runtime folder.
    static func pids(_ runtime: String) -> [pid_t] {
        let locks = Folder.paths(below: runtime, named: "engine.lock")
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { pid in
            let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
            // Most processes are others, and have many files open.
            return name == "postilla\n" && holds(pid, locks)
        }
    }

    private static func holds(_ pid: pid_t, _ locks: [String]) -> Bool {
        let folder = "/proc/\(pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")).map(locks.contains)
                ?? false
        }
    }

    /// Ends the engine, and waits until the kernel has released what it held.
    static func kill(_ runtime: String, with signal: CInt = SIGKILL) {
        let locks = Folder.paths(below: runtime, named: "engine.lock")
        let pids = pids(runtime)
        for pid in pids { Glibc.kill(pid, signal) }
        for _ in 0..<1000 where pids.contains(where: { holds($0, locks) }) { poll(nil, 0, 5) }
    }
}

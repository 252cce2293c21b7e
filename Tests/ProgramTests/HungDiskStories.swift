import Children
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// A PDF on a disk whose server has stopped: nothing that asks for it is ever answered.
@Suite(.onOwnThreads)
struct HungDiskStories {
    private static let canMount: Bool = {
        let places = ["/usr/bin/bindfs", "/usr/sbin/bindfs"]
        return access("/dev/fuse", R_OK | W_OK) == 0 && places.contains { access($0, X_OK) == 0 }
    }()

    /// A folder that a process serves, which can be stopped.
    private final class SlowDisk {
        let path: String
        private let process = ChildProcess()

        init(_ source: String, at path: String) throws {
            self.path = path
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["bindfs", "-f", source, path]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            for _ in 0..<2000 where access(path + "/paper.pdf", F_OK) != 0 { poll(nil, 0, 5) }
        }

        func stop() { process.signal(SIGSTOP) }
        func goOn() { process.signal(SIGCONT) }

        deinit {
            process.kill()
            // Lazily, whatever still waits for it.
            umount2(path, Int32(MNT_DETACH))
        }
    }

    @Test(.enabled(if: canMount, "/dev/fuse or bindfs is missing, or this user may not mount"))
    func onlyItsOwnTabWaits() throws {
        let paper = try OwnPaper()
        let home = paper.home
        let source = try home.makeFolder("source")
        try paper.original.write(to: URL(filePath: source + "/paper.pdf"))
        let disk = try SlowDisk(source, at: try home.makeFolder("disk"))
        let environment = ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"]
        func run(_ words: String...) throws -> Program.Outcome { try Program.run(words, environment: environment) }
        func open(_ path: String) throws -> VirtualTerminal {
            try VirtualTerminal(
                running: [Program.path, "open", path], environment: environment, directory: home.path)
        }
        func add(_ text: String, to terminal: VirtualTerminal, then count: Int = 1) throws {
            try terminal.press("a")
            try terminal.see("note")
            try terminal.press("\(text)<enter>")
            try terminal.see("\(count) not in")
        }

        let hung = try open(disk.path + "/paper.pdf")
        try hung.see("page 1 of 3")
        // Once this is there, the engine has read the file.
        try add("Before", to: hung)
        disk.stop()
        try hung.see("DISK DOES NOT ANSWER")
        try add("While it hangs", to: hung, then: 2)

        // The same bytes: it may be the file that hangs, at another path.
        #expect(try run("add", paper.path, "--note", "Elsewhere", "--page", "1").status == 0)
        #expect(try run("list", paper.path).output.contains("Elsewhere"))
        let other = try open(paper.path)
        try other.see("Elsewhere")
        try add("In a window", to: other)
        try other.press(":w<enter>")
        try other.see("Wrote 1 change")
        try other.press("q")
        #expect(try other.waitForExit(seconds: Patience.long) == 0)

        try hung.press("q")
        #expect(try hung.waitForExit(seconds: Patience.long) == 0)
        disk.goOn()
        #expect(try run("write", disk.path + "/paper.pdf").status == 0)
        #expect(try run("list", disk.path + "/paper.pdf").output.contains("While it hangs"))
    }
}

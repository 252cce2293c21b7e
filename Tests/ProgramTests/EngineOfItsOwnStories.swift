import Foundation
import Glibc
import Instant
import TestSupport
import TestThreads
import Testing

@testable import postilla

/// The engine has nothing of the command that happened to start it, and a request brings what belongs to its command.
@Suite(.onOwnThreads)
struct EngineOfItsOwnStories {
    private let home: Folder
    private let path: String
    private let original: Data
    private var data: String { home.path + "/data" }

    init() throws {
        home = try Folder()
        original = try Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/reading-machines.pdf"))
        path = try home.write("paper.pdf", original)
        for name in ["run", "data", "tmp"] {
            try FileManager.default.createDirectory(
                atPath: "\(home.path)/\(name)", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
    }

    private func shell(
        _ script: String, _ words: [String] = [], _ more: [String: String] = [:], before: [String] = []
    ) throws -> Program.Outcome {
        let all = before + ["/bin/bash", "-c", script, "bash", Program.path] + words
        let environment = [
            "HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run", "POSTILLA_DATA": data,
        ]
        return try Program.run(
            Array(all.dropFirst()), environment: environment.merging(more) { $1 }, executable: all[0])
    }

    private func postilla(_ words: String...) throws -> Program.Outcome { try shell(#"exec "$@""#, words) }

    private func engine() throws -> pid_t {
        try #require(try EngineRecord.read(data + "/engine/holder.json")).pid
    }

    // MARK: What is left behind

    @Test func nothingOfTheStarterIsInTheEngine() throws {
        let script = #"""
            cd "$HOME/tmp"; exec 9>"$HOME/lock" 8<"$HOME/tmp"; umask 000; ulimit -S -f 100000; ulimit -S -n 200
            trap '' HUP USR1; export POSTILLA_TOKEN=secret ANYTHING=else LC_TIME=C POSTILLA_DATA=../data
            exec nice -n 5 "$@"
            """#
        let listed = try shell(script, ["list", path])
        #expect(listed.status == 0, "\(listed.messages)")
        let folder = "/proc/\(try engine())"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\($0)")
        }
        #expect(!files.contains(home.path + "/lock") && !files.contains(home.path + "/tmp"), "\(files)")
        #expect(!files.contains { $0.hasSuffix("/output") || $0.hasSuffix("/messages") }, "\(files)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/cwd") == "/")
        let variables = String(decoding: try Data(contentsOf: URL(filePath: folder + "/environ")), as: UTF8.self)
        #expect(variables.contains("LC_TIME=C") && variables.contains("HOME=\(home.path)"))
        #expect(!variables.contains("POSTILLA_TOKEN") && !variables.contains("ANYTHING"), "\(variables)")
        let status = String(decoding: try Data(contentsOf: URL(filePath: folder + "/status")), as: UTF8.self)
        #expect(status.contains("Umask:\t0077"))
        // SIGHUP and SIGUSR1.
        let ignored = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") })
        #expect(try #require(UInt64(ignored.dropFirst(8), radix: 16)) & (1 << 9) == 0, "\(ignored)")
        let limits = String(decoding: try Data(contentsOf: URL(filePath: folder + "/limits")), as: UTF8.self)
        for name in ["Max file size", "Max open files"] {
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix(name) })
            let values = line.dropFirst(name.count).split(separator: " ")
            #expect(values[0] == values[1], "\(line)")
        }
        // Only root takes the niceness off again.
        errno = 0
        let nice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(try engine()))
        #expect(geteuid() != 0 || nice == 0, "\(nice)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/fd/2").hasSuffix("/engine.log"))
    }

    /// Whoever reads the end of the pipe waited for the engine.
    @Test func aPipeOfTheStarterEndsWithIt() throws {
        let listed = try shell(#"out=$("$@" 3>&1 1>&2 2>&3); echo "ended""#, ["list", path])
        #expect(listed.output.contains("ended"), "\(listed.messages)")
        // The engine still runs.
        #expect(FileLock.isHeld(data + "/engine/lock"))
    }

    // MARK: What a request brings

    @Test func aCopyHasTheModeThatItsCommandGives() throws {
        for (number, mask) in [(0, "022"), (1, "077"), (2, "000")] as [(Int, String)] {
            let copy = "\(home.path)/copy-\(number).pdf"
            let written = try shell("umask \(mask); exec \"$@\"", ["write", path, "--to", copy])
            #expect(written.status == 0, "\(written.messages)")
            var status = stat()
            #expect(stat(copy, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o666 & ~mode_t(mask, radix: 8)!, "\(mask)")
        }
    }

    private static let hasNamespaces =
        geteuid() == 0
        && (try? Program.run(["-m", "true"], environment: [:], executable: "/usr/bin/unshare").status) == 0

    @Test(.enabled(if: hasNamespaces, "only root may make a mount namespace"))
    func aFileThatTheEngineDoesNotSeeIsNotTakenForAnother() throws {
        #expect(try postilla("list", path).status == 0)
        let sample = Repository.root + "/Resources/samples/reading-machines.pdf"
        try FileManager.default.copyItem(atPath: sample, toPath: home.path + "/other.pdf")
        let before = [
            "/usr/bin/unshare", "-m", "/bin/bash", "-c",
            #"mount --bind "$HOME/other.pdf" "$HOME/paper.pdf" && mount -t tmpfs tmpfs "$HOME/tmp" && exec "$@""#,
            "bash",
        ]
        for words in [["list", path], ["add", path, "--note", "Wrong", "--page", "1"], ["write", path]] {
            let refused = try shell(#"exec "$@""#, words, before: before)
            #expect(refused.status == 1 && refused.output == "", "\(words)")
            #expect(
                refused.messages.contains("process \(try engine()))")
                    && refused.messages.contains("finds another file"),
                "\(refused.messages)")
        }
        // The place of a copy is one, too.
        try FileManager.default.copyItem(atPath: sample, toPath: home.path + "/third.pdf")
        let refused = try shell(
            #"exec "$@""#, ["write", home.path + "/third.pdf", "--to", home.path + "/tmp/copy.pdf"], before: before)
        #expect(refused.status == 1 && refused.messages.contains("finds another file"), "\(refused.messages)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/tmp").isEmpty)
        for name in ["paper", "other", "third"] {
            #expect(try Data(contentsOf: URL(filePath: "\(home.path)/\(name).pdf")) == original)
        }
    }

    @Test func aNameOfOneProcessIsRefused() throws {
        #expect(symlink("/dev/fd/3", home.path + "/link.pdf") == 0)
        for name in ["/dev/fd/3", "/proc/self/fd/3", "/dev/../dev/fd/3", home.path + "/link.pdf"] {
            let refused = try shell(#"exec "$@" 3<"$HOME/paper.pdf""#, ["list", "--pdf", name])
            #expect(refused.status == 64 && refused.messages.contains("within one process only"), "\(refused.messages)")
        }
        for name in ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"] {
            let refused = try postilla("write", path, "--to", name, "--force")
            #expect(refused.status == 64 && refused.messages.contains("within one process only"), "\(refused.messages)")
        }
    }

    /// A file that is changed all the time is still the file that was named.
    @Test func aFileThatChangesMeanwhileIsFound() throws {
        let script = #"""
            (while kill -0 $$ 2>/dev/null; do touch "$HOME/paper.pdf"; done) & touching=$!
            "$@"; status=$?; kill $touching; exit $status
            """#
        let listed = try shell(script, ["list", path])
        #expect(listed.status == 0, "\(listed.messages)")
    }

    // MARK: Causes

    @Test(.enabled(if: TinyDisk.isAllowed)) func aDataFolderOnAFullDiskIsNamed() throws {
        let disk = try TinyDisk(kilobytes: 256)
        let place = ["POSTILLA_DATA": disk.path + "/data"]
        #expect(try shell(#"exec "$@""#, ["list", path], place).status == 0)
        _ = try shell("cat /dev/zero > '\(disk.path)/filler'")
        let added = try shell(
            #"exec "$@""#, ["add", path, "--note", "Lost", "--page", "1", "--no-write", "--timeout", "1s"], place)
        #expect(added.status != 0)
        #expect(added.messages.contains("the disk with \(disk.path)/data/engine/files is full"), "\(added.messages)")
        #expect(!added.messages.contains("--offline") && !added.messages.contains("server's log"), "\(added.messages)")
        // Without an engine, too, the PDF can be read, and what keeps it from being edited is named.
        OwnEngine.kill(home.path + "/run")
        let read = try shell(#"exec "$@""#, ["list", path], place)
        #expect(read.status == 0, "\(read.messages)")
        let refused = try shell(#"exec "$@""#, ["add", path, "--note", "Lost", "--page", "1"], place)
        #expect(refused.status == 1)
        #expect(
            refused.messages.contains("data cannot be written (No space left on device), so no change could be kept"),
            "\(refused.messages)")
    }

    /// A shell without limits can use the engine that one with a limit has started, as far as that goes.
    @Test func aLimitOfTheStarterIsNamed() throws {
        let listed = try shell(#"ulimit -f 1; exec "$@""#, ["list", path, "--data-dir", data])
        // The limit cannot be taken off, but it is not the PDF that is wrong.
        #expect(listed.status == 0 || listed.messages.contains("ulimit -f"), "\(listed.messages)")
        #expect(!listed.messages.contains("The PDF cannot be read: it is incomplete"), "\(listed.messages)")
        // The next command has no limit, so its engine has none.
        let again = try postilla("list", path)
        #expect(again.status == 0, "\(again.messages)")
        let limits = try String(contentsOfFile: "/proc/\(try engine())/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max file size") })
        #expect(line.contains("unlimited"))
    }

    // MARK: An upgrade

    @Test func aWindowStartsTheEngineAlsoAfterAnUpgrade() throws {
        let program = home.path + "/postilla"
        try FileManager.default.copyItem(atPath: Program.path, toPath: program)
        let terminal = try VirtualTerminal(
            running: [program, "open", path, "--data-dir", data],
            environment: [
                "HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run",
                "PATH": "/usr/local/bin:/usr/bin:/bin",
            ], directory: home.path, rows: 24, columns: 80)
        try terminal.waitForPage()
        try terminal.addNote("Before")
        try FileManager.default.removeItem(atPath: program)
        try home.write("postilla", "another version")
        let first = try engine()
        OwnEngine.kill(home.path + "/run")
        try terminal.wait(until: "another engine runs", seconds: Patience.long) { _ in
            (try? self.engine()).map { $0 != first } ?? false && FileLock.isHeld(self.data + "/engine/lock")
        }
        try terminal.addNote("After")
        #expect(try terminal.quit() == [])
        let listed = try postilla("list", path)
        #expect(listed.output.contains("Before") && listed.output.contains("After"), "\(listed.output)")
    }

    // MARK: Folders

    @Test(arguments: ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]) func aFolderThatIsNotUTF8IsNamed(_ name: String)
        throws
    {
        let script = "unset POSTILLA_DATA; export \(name)=$HOME/$'\\377'; exec \"$@\""
        let refused = try shell(script, ["list", path])
        #expect(refused.status == 64 && refused.messages.contains("\(name) is not UTF-8"), "\(refused.messages)")
    }
}

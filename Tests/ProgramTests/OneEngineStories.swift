import Annotations
import Foundation
import Glibc
import Instant
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import postilla

/// One engine for each data folder, whatever the environment, the spelling and the namespace; and no edit is lost when it
/// changes.
@Suite(.onOwnThreads)
struct OneEngineStories {
    private let home: Folder
    private let path: String
    private var data: String { home.path + "/data" }
    private var run: [String: String] { ["XDG_RUNTIME_DIR": home.path + "/run"] }

    init() throws {
        home = try Folder()
        path = try home.write(
            "paper.pdf", Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/reading-machines.pdf")))
        for name in ["run", "data"] { try makePrivate(home.path + "/" + name) }
    }

    private func makePrivate(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    /// - Parameter before: A command line that runs the program, such as `unshare -n`.
    private func postilla(
        _ words: [String], _ environment: [String: String], before: [String] = []
    ) throws -> Program.Outcome {
        let all = before + [Program.path] + words
        return try Program.run(
            Array(all.dropFirst()), environment: ["HOME": home.path, "TZ": "UTC"].merging(environment) { $1 },
            executable: all[0])
    }

    private func keep(
        _ text: String, data: String? = nil, _ environment: [String: String], before: [String] = []
    ) throws -> Program.Outcome {
        try postilla(
            ["add", path, "--note", text, "--page", "1", "--no-write", "--data-dir", data ?? self.data], environment,
            before: before)
    }

    private func texts(data: String? = nil, _ environment: [String: String], before: [String] = []) throws -> String {
        let outcome = try postilla(
            ["list", path, "--json", "text", "--data-dir", data ?? self.data], environment, before: before)
        #expect(outcome.status == 0, "\(outcome.messages)")
        return outcome.output
    }

    private func record(_ data: String? = nil) throws -> EngineRecord {
        try #require(try EngineRecord.read((data ?? self.data) + "/engine/holder.json"))
    }

    /// As an engine in this process would write it.
    private func record(at runtime: String) throws -> EngineRecord {
        var status = stat()
        #expect(stat(data + "/engine", &status) == 0)
        return EngineRecord(ofThisProcess: runtime, folder: status, version: "0.2.0", instance: "a")
    }

    private func isRunning(_ data: String? = nil) -> Bool { FileLock.isHeld((data ?? self.data) + "/engine/lock") }

    /// The reason is in the log, and the message has it.
    @Test func anEngineThatFailsIsStartedTwiceAndSaysWhy() throws {
        try makePrivate(data + "/engine")
        let key = data + "/engine/signing-key.pem"
        try Data("no key\n".utf8).write(to: URL(filePath: key))
        chmod(key, 0o600)
        let refused = try keep("kept", run)
        #expect(refused.status != 0 && refused.messages.contains("\(key) is damaged"), "\(refused.messages)")
        let logs = Folder.files(below: home.path, holding: "is damaged").filter { $0.hasSuffix("engine.log") }
        let log = try #require(logs.first)
        let lines = try String(contentsOfFile: home.path + "/" + log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2, "\(lines)")
        unlink(key)
        let kept = try keep("kept", run)
        #expect(kept.status == 0, "\(kept.messages)")
    }

    // MARK: Environments and spellings

    /// Runtime folders as they are found; all but the first fall back.
    @Test func everyEnvironmentMeetsAtOneEngine() throws {
        try makePrivate(home.path + "/open")
        chmod(home.path + "/open", 0o755)
        #expect(symlink(home.path + "/run", home.path + "/link") == 0)
        let long = home.path + "/" + String(repeating: "x", count: 90)
        try makePrivate(long)
        let folders = [
            nil, home.path + "/run", home.path + "/open", home.path + "/link", "run", home.path + "/no", long,
        ]
        var instances: Set<String> = []
        for (number, folder) in folders.enumerated() {
            let environment = folder.map { ["XDG_RUNTIME_DIR": $0] } ?? [:]
            let kept = try keep("number \(number)", environment)
            #expect(kept.status == 0, "\(kept.messages)")
            instances.insert(try record().instance)
        }
        #expect(instances.count == 1)
        for folder in folders {
            let seen = try texts(folder.map { ["XDG_RUNTIME_DIR": $0] } ?? [:])
            for number in folders.indices { #expect(seen.contains("number \(number)")) }
        }
        let written = try postilla(["write", path, "--data-dir", data], run)
        #expect(written.status == 0 && written.messages.contains("wrote 7 changes"), "\(written.messages)")
        #expect(try record().instance == instances.first)
    }

    @Test func everySpellingMeetsAtOneEngine() throws {
        #expect(symlink(data, home.path + "/link") == 0)
        let shell = ["/bin/sh", "-c", #"cd "$HOME" && exec "$@""#, "sh"]
        let spellings = [data, data + "/", "data", "./data", home.path + "/link", home.path + "/link/.", "run/../data"]
        for (number, spelling) in spellings.enumerated() {
            let kept = try keep("number \(number)", data: spelling, run, before: shell)
            #expect(kept.status == 0, "\(kept.messages)")
        }
        let instance = try record().instance
        for spelling in spellings {
            let seen = try texts(data: spelling, run, before: shell)
            for number in spellings.indices { #expect(seen.contains("number \(number)")) }
        }
        let seen = try texts(run.merging(["POSTILLA_DATA": data + "/"]) { $1 })
        #expect(seen.contains("number 6"))
        #expect(try record().instance == instance)
    }

    @Test func aCopiedDataFolderHasAnEngineOfItsOwn() throws {
        #expect(try keep("Before", run).status == 0)
        let copy = home.path + "/copy"
        #expect(try Program.run(["-a", data, copy], environment: [:], executable: "/bin/cp").status == 0)
        #expect(try keep("Mine", run).status == 0)
        #expect(try keep("Theirs", data: copy, run).status == 0)
        #expect(isRunning() && isRunning(copy))
        #expect(try record().runtime != record(copy).runtime)
        let (mine, theirs) = (try texts(run), try texts(data: copy, run))
        #expect(mine.contains("Before") && mine.contains("Mine") && !mine.contains("Theirs"))
        #expect(theirs.contains("Before") && theirs.contains("Theirs") && !theirs.contains("Mine"))
    }

    // MARK: A logout

    @Test func anEngineWhoseRuntimeFolderIsGoneMakesRoomForTheNext() throws {
        #expect(try keep("Before", run).status == 0)
        let first = try record()
        try FileManager.default.removeItem(atPath: home.path + "/run")
        let kept = try keep("After", run)
        #expect(kept.status == 0, "\(kept.messages)")
        #expect(try record().instance != first.instance)
        try makePrivate(home.path + "/run")
        let seen = try texts(run)
        #expect(seen.contains("Before") && seen.contains("After"))
        let written = try postilla(["write", path, "--data-dir", data], run)
        #expect(written.messages.contains("wrote 2 changes"), "\(written.messages)")
    }

    /// The database of an earlier engine would show an earlier state of the data folder.
    @Test func aRuntimeFolderOfAnEarlierStateIsNotBelieved() throws {
        #expect(try keep("Before", [:]).status == 0)
        kill(try record().pid, SIGKILL)
        // Better than the one on disk.
        let memory = home.path + "/run"
        try FileManager.default.moveItem(atPath: try record().runtime, toPath: home.path + "/aside")
        #expect(try keep("After", run).status == 0)
        #expect(try record().runtime.hasPrefix(memory))
        kill(try record().pid, SIGKILL)
        let old = home.path + "/.local/state/postilla/engine/" + (try record().runtime.split(separator: "/").last ?? "")
        try FileManager.default.moveItem(atPath: home.path + "/aside", toPath: old)
        try FileManager.default.removeItem(atPath: memory)
        let seen = try texts([:])
        #expect(seen.contains("Before") && seen.contains("After"))
        #expect(try record().runtime == old)
    }

    // MARK: Other namespaces

    private static let hasNamespaces =
        geteuid() == 0
        && (try? Program.run(["-m", "true"], environment: [:], executable: "/usr/bin/unshare").status) == 0

    @Test(.enabled(if: hasNamespaces, "only root may make a mount namespace"))
    func anEngineInAnotherMountNamespaceIsNamedAndNothingIsChanged() throws {
        #expect(try keep("Before", run).status == 0)
        let pid = try record().pid
        let hidden = [
            "/usr/bin/unshare", "-m", "/bin/sh", "-c", #"mount -t tmpfs tmpfs "$HOME/run" && exec "$@""#, "sh",
        ]
        let refused = try keep("Elsewhere", run, before: hidden)
        #expect(refused.status == 5)
        #expect(
            refused.messages.contains("process \(pid) has this folder and cannot be reached from here"),
            "\(refused.messages)")
        #expect(try !texts(run).contains("Elsewhere"))
    }

    /// A socket with a path belongs to no network.
    @Test(.enabled(if: hasNamespaces, "only root may make a network namespace"))
    func anEngineInAnotherNetworkNamespaceIsReached() throws {
        #expect(try keep("Before", run).status == 0)
        #expect(try texts(run, before: ["/usr/bin/unshare", "-n"]).contains("Before"))
    }

    @Test func anEngineOfAnotherMachineIsNamed() throws {
        try makePrivate(data + "/engine")
        let lock = try FileLock(taking: data + "/engine/lock")
        var record = try record(at: home.path + "/gone")
        (record.boot, record.pid) = ("another", 4711)
        try home.write("data/engine/holder.json", record.json.text)
        let refused = try keep("Elsewhere", run)
        #expect(refused.status == 5 && refused.messages.contains("process 4711 has this folder"), "\(refused.messages)")
        withExtendedLifetime(lock) {}
    }

    // MARK: Other accounts

    private static let isRoot = geteuid() == 0

    @Test(.enabled(if: isRoot, "only root may give files away"))
    func aFolderOfAnotherAccountIsRefusedAndNothingIsSent() throws {
        let original = try Data(contentsOf: URL(filePath: path))
        // Where the state folder is another account's, which listens where the engine would.
        let state = try home.makeFolder("state/postilla/engine")
        chown(home.path + "/state/postilla", 65534, 65534)
        chown(state, 65534, 65534)
        let environment = ["XDG_STATE_HOME": home.path + "/state"]
        let refused = try postilla(["write", path, "--data-dir", data], environment)
        #expect(refused.status == 1 && refused.output == "", "\(refused.messages)")
        #expect(refused.messages.contains("belongs to another account"), "\(refused.messages)")
        // As the record says it.
        let lock = try FileLock(taking: data + "/engine/lock")
        let runtime = try home.makeFolder("theirs")
        let record = try record(at: runtime)
        try home.write("data/engine/holder.json", record.json.text)
        let listener = try Listener(runtime + "/engine.sock")
        for (mode, owner) in [(0o755, 65534), (0o700, 65534), (0o755, geteuid())] as [(mode_t, uid_t)] {
            chmod(runtime, mode)
            chown(runtime, owner, owner)
            let refused = try postilla(["write", path, "--data-dir", data], run)
            #expect(refused.status == 1 && refused.messages.contains("folder of your own"), "\(refused.messages)")
        }
        // A record that another account wrote.
        chmod(runtime, 0o700)
        chown(data + "/engine/holder.json", 65534, 65534)
        let forged = try postilla(["write", path, "--data-dir", data], run)
        #expect(forged.status == 1 && forged.messages.contains("another account"), "\(forged.messages)")
        chown(data, 65534, 65534)
        let theirs = try postilla(["list", path, "--data-dir", data], run)
        #expect(theirs.status == 1 && theirs.messages.contains("belongs to another account"), "\(theirs.messages)")
        #expect(listener.connections == 0)
        listener.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == original)
        withExtendedLifetime(lock) {}
    }

    // MARK: Earlier versions

    /// As an earlier version does it: a lock and a socket in a folder that is named after the path.
    @Test(arguments: [true, false]) func anEarlierEngineIsNamedAndNothingIsChanged(_ isInMemory: Bool) throws {
        let folder = EngineFolder(dataFolder: data, stateFolder: home.path + "/.local/state/postilla")
        let runtime = EarlierEngine.runtimes(
            [folder.dataFolder], state: folder.stateFolder, memory: isInMemory ? home.path + "/run" : nil)[0]
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        chmod(runtime, 0o700)
        let lock = open(runtime + "/engine.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let listener = try Listener(runtime + "/engine.sock")
        let refused = try keep("Beside", run)
        #expect(refused.status == 5, "\(refused.messages)")
        #expect(refused.messages.contains("an engine of an earlier version of postilla"), "\(refused.messages)")
        #expect(access(data + "/engine/files", F_OK) != 0 && !isRunning())
        listener.close()
        close(lock)
        #expect(try keep("After", run).status == 0)
        // None of that version starts while this one runs.
        #expect(EarlierLock.isHeld(runtime + "/engine.lock"))
    }

    private static let earlier: String? = [
        ProcessInfo.processInfo.environment["POSTILLA_EARLIER"], Repository.root + "/.build/earlier/postilla",
    ].compactMap(\.self).first(where: FileManager.default.isExecutableFile(atPath:))

    @Test(.enabled(if: earlier != nil, "there is no earlier program (make earlier)"))
    func anEarlierProgramAndThisOneLoseNothing() throws {
        let earlier = try #require(Self.earlier)
        func old(_ words: [String], _ environment: [String: String]) throws -> Program.Outcome {
            try Program.run(
                words, environment: ["HOME": home.path, "TZ": "UTC"].merging(environment) { $1 }, executable: earlier)
        }
        let kept = try old(["add", path, "--note", "Old", "--page", "1", "--no-write", "--data-dir", data], run)
        #expect(kept.status == 0, "\(kept.messages)")
        // An idle engine is replaced in its own environment, and also one of another environment.
        let added = try keep("New", [:])
        #expect(added.status == 0 || added.messages.contains("an earlier version"), "\(added.messages)")
        #expect(try keep("New again", run).status == 0)
        let seen = try texts(run)
        #expect(seen.contains("Old") && seen.contains("New again"))
        #expect(seen.contains("\"New\"") == (added.status == 0))
    }

    // MARK: A data folder that cannot be written

    @Test(.enabled(if: hasNamespaces || geteuid() != 0, "root writes everywhere"))
    func aDataFolderThatCannotBeWrittenIsRead() throws {
        #expect(try keep("Kept", run).status == 0)
        kill(try record().pid, SIGKILL)
        var before: [String] = []
        if Self.isRoot {
            before = [
                "/usr/bin/unshare", "-m", "/bin/sh", "-c",
                #"mount --bind "$HOME/data" "$HOME/data" && mount -o remount,bind,ro "$HOME/data" && exec "$@""#, "sh",
            ]
        } else {
            chmod(data + "/engine", 0o500)
        }
        defer { chmod(data + "/engine", 0o700) }
        let names = { Set(FileManager.default.enumerator(atPath: data)?.compactMap { $0 as? String } ?? []) }
        let old = names()
        #expect(try texts(run, before: before).contains("Kept"))
        let place = ["--data-dir", data]
        let listed = try postilla(["list", path, "--json", "id"] + place, run, before: before).output
        let id = try #require(listed.split(separator: "\"").first { $0.utf8.count == 26 })
        #expect(try postilla(["show", String(id), "--pdf", path] + place, run, before: before).output.contains(id))
        #expect(try postilla(["outbox", path] + place, run, before: before).output.contains("Kept"))
        #expect(try postilla(["conflicts", "--pdf", path] + place, run, before: before).status == 0)
        // No layer is found, and the PDF is named.
        let all = try postilla(["outbox"] + place, run, before: before)
        #expect(all.messages.contains("paper.pdf: 1 change kept, not in the file"), "\(all.messages)")
        let copy = home.path + "/copy.pdf"
        let exported = try postilla(["export", path, "--format", "pdf", "-o", copy] + place, run, before: before)
        #expect(exported.status == 0 && access(copy, F_OK) == 0, "\(exported.messages)")
        for words in [
            ["add", path, "--note", "No", "--page", "1"], ["write", path], ["delete", String(id), "--pdf", path],
        ] {
            let refused = try postilla(words + place, run, before: before)
            #expect(refused.status == 1 && refused.messages.contains("cannot be written"), "\(refused.messages)")
        }
        #expect(names() == old)
    }
}

/// Listens on a Unix socket, and closes each connection.
private final class Listener: Sendable {
    private let descriptor: CInt
    private let count = Mutex(0)

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 8) == 0 else { throw StoryError("cannot listen at \(path)") }
        Thread.detachNewThread { [self] in
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                count.withLock { $0 += 1 }
                Glibc.close(connection)
            }
            // By the thread that waits on it: another listener may get the number at once, and lose its connections.
            Glibc.close(descriptor)
        }
    }

    var connections: Int { count.withLock { $0 } }

    func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

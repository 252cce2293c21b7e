import Annotations
import Crypto
import DocumentEngine
import FoundationEssentials
import Glibc

/// An engine of an earlier version of this program on the same data folder. It locks only a runtime folder, whose name it
/// makes from the spelling of the data folder's path and from its environment.
struct EarlierEngine: Hashable, Sendable {
    /// nil: unknown.
    var pid: pid_t?
    /// Where it listens, if that is known.
    var socket: String?

    var refusal: CommandFailure {
        let process = pid.map { " (process \($0))" } ?? ""
        return CommandFailure(
            "an engine of an earlier version of postilla\(process) has this folder; nothing was changed; "
                + "close its windows, and try again in half a minute", .unreachable)
    }

    /// Where an earlier version puts its runtime folder, for each spelling of the data folder that is known.
    static func runtimes(_ folder: EngineFolder) -> [String] {
        var spellings = [folder.dataFolder]
        if let real = realpath(folder.dataFolder, nil) {
            spellings.append(String(cString: real))
            free(real)
        }
        return runtimes(
            spellings, state: folder.stateFolder, memory: RuntimeFolders.memory(ProcessInfo.processInfo.environment))
    }

    static func runtimes(_ spellings: [String], state: String, memory: String?) -> [String] {
        var found: [String] = []
        for spelling in spellings {
            let name = SHA256.hash(data: Array(spelling.utf8)).prefix(4).hexadecimal
            for parent in [memory.map { $0 + "/postilla" }, state + "/engine"].compactMap(\.self) {
                let path = "\(parent)/\(name)"
                if EnginePlace.fits(path), !found.contains(where: { $0.isExactly(path) }) { found.append(path) }
            }
        }
        return found
    }

    /// Looks for one that runs. Blocks briefly.
    static func find(_ folder: EngineFolder) -> EarlierEngine? {
        let process = OwnProcesses.earlierEngine(of: folder)
        for runtime in runtimes(folder) where EarlierLock.isHeld(runtime + "/engine.lock") {
            return EarlierEngine(pid: process?.pid, socket: runtime + "/engine.sock")
        }
        return process
    }
}

/// The lock of an earlier version's runtime folder. While it is held, no engine of that version starts there.
final class EarlierLock: Sendable {
    private let descriptor: CInt

    enum Refusal: Error { case held, failed }

    /// Takes it, and removes what an earlier engine has left: it would be wrong once this version has changed what is kept.
    init(_ runtime: String) throws(Refusal) {
        do { try RuntimeFolders.make(runtime) } catch { throw .failed }
        let descriptor = open(runtime + "/engine.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failed }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            throw code == EWOULDBLOCK ? .held : .failed
        }
        self.descriptor = descriptor
        RuntimeFolders.clear(EnginePlace(runtime: runtime))
    }

    deinit { close(descriptor) }

    static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}

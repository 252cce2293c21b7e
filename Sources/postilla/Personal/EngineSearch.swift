import Glibc
import Instant

/// Where a client finds the engine of a data folder. The lock decides whether there is one; the record beside it only tells
/// where it is.
struct EngineSearch: Sendable {
    let folder: EngineFolder

    enum Finding: Hashable, Sendable {
        /// No process holds the lock.
        case none
        /// A process holds it, and does not listen: it starts, it ends, or it cannot be reached from here. Its record may be
        /// that of an earlier engine, or missing.
        case held(EngineRecord?)
        case engine(EnginePlace, EngineRecord)
    }

    /// Blocks briefly.
    ///
    /// - Throws: ``CommandFailure`` if a folder, a file or the listener may be those of another account.
    func look() throws -> Finding {
        guard try folder.check(), FileLock.isHeld(folder.lock) else { return .none }
        var status = stat()
        guard let record = try EngineRecord.read(folder.holder), stat(folder.path, &status) == 0, record.isOf(status)
        else { return .held(nil) }
        guard OwnFolder.fault(record.runtime) != .missing else { return .held(record) }
        try OwnFolder.check(record.runtime)
        let place = EnginePlace(runtime: record.runtime)
        guard let listener = UnixSocket.listener(at: place.socket) else { return .held(record) }
        try Self.check(listener, at: place.socket)
        return .engine(place, record)
    }

    /// - Throws: ``CommandFailure`` if a process of another account listens.
    static func check(_ listener: UnixSocket.Listener, at socket: String, user: uid_t = geteuid()) throws {
        guard listener.user == user else {
            throw CommandFailure(
                "a process of another account listens at \(socket); nothing was sent to it; remove the folder")
        }
    }

    /// Why an engine that has the folder cannot be used.
    static func unreachable(_ record: EngineRecord?, _ folder: EngineFolder) -> CommandFailure {
        let isElsewhere = record?.isElsewhere(.now) ?? false
        if !isElsewhere, let holder = OwnProcesses.holder(of: folder.lock), holder.pid != record?.pid {
            return CommandFailure(
                "process \(holder.pid) (\(holder.name.onOneLine)) holds the lock of the engine for PDFs on this machine "
                    + "(\(folder.lock)) and does not answer; nothing was changed; end it", .unreachable)
        }
        let process = record.map { "process \($0.pid)" } ?? "another process"
        return CommandFailure(
            "\(process) has this folder and cannot be reached from here (\(folder.dataFolder)): it runs in another "
                + "container or namespace, or does not answer; nothing was changed; close the PDFs there, or end it",
            .unreachable)
    }
}

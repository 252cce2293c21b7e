import Annotations
import FoundationEssentials
import Glibc
import Instant
import Synchronization

/// What an engine holds while it runs: the lock of its data folder, which makes it the only one, and its runtime folder.
/// The kernel releases it when the process ends, however it ends.
final class EngineHold: Sendable {
    let place: EnginePlace
    let record: EngineRecord
    private let lock: FileLock
    private let runtimeLock: FileLock
    private let earlier: [EarlierLock]
    /// Device and inode of the socket once it exists.
    private let socket = Mutex<[UInt64]?>(nil)

    private static let patience = Duration.seconds(10)
    /// An engine that is being killed loses its locks one after the other.
    private static let grace = Duration.seconds(1)
    private static let pause = Duration.milliseconds(10)

    private init(
        _ place: EnginePlace, _ record: EngineRecord, _ lock: FileLock, _ runtimeLock: FileLock,
        _ earlier: [EarlierLock]
    ) {
        (self.place, self.record, self.lock) = (place, record, lock)
        (self.runtimeLock, self.earlier) = (runtimeLock, earlier)
    }

    /// Waits for an engine that is ending.
    ///
    /// - Parameter runtime: the runtime folder; nil: the best one.
    /// - Returns: nil if another engine serves the data folder.
    /// - Throws: ``CommandFailure``
    static func take(_ folder: EngineFolder, runtime: String? = nil) async throws -> EngineHold? {
        guard let lock = try await dataLock(folder) else { return nil }
        let earlier = runtime == nil ? try await earlierLocks(folder) : []
        var random = SystemRandomNumberGenerator()
        var status = stat()
        guard stat(folder.path, &status) == 0 else { throw CommandFailure("\(folder.path) was removed") }
        var name = RuntimeName(try RuntimeName.read(folder.name), status: status, using: &random)
        let (place, runtimeLock) = try take(folder, &name, runtime, &random)
        name.runtime = place.runtime
        name.stamp = RuntimeName.word(8, &random)
        // In this order: an engine that is killed in between leaves a runtime folder that the next one clears.
        let marker = RuntimeMarker(id: name.id, folder: folder.path, stamp: name.stamp)
        try PrivateFile.write(marker.json.text + "\n", to: place.marker)
        try PrivateFile.write(name.json.text + "\n", to: folder.name)
        let record = EngineRecord(
            ofThisProcess: place.runtime, folder: status, version: Postilla.configuration.version,
            instance: RuntimeName.word(8, &random))
        try PrivateFile.write(record.json.text + "\n", to: folder.holder)
        return EngineHold(place, record, lock, runtimeLock, earlier)
    }

    private static func dataLock(_ folder: EngineFolder) async throws -> FileLock? {
        let end = ContinuousClock.now + patience
        while true {
            do throws(FileLock.Refusal) { return try FileLock(taking: folder.lock) } catch {
                switch error {
                case .held:
                    if case .engine = try EngineSearch(folder: folder).look() { return nil }
                case .replaced: break
                case .failed(let code):
                    throw CommandFailure("cannot lock \(folder.lock): \(String(cString: strerror(code)))")
                }
            }
            guard ContinuousClock.now < end else { return nil }
            try await Task.sleep(for: pause)
        }
    }

    /// Keeps engines of an earlier version from starting where they would.
    ///
    /// - Throws: ``CommandFailure`` if one runs.
    private static func earlierLocks(_ folder: EngineFolder) async throws -> [EarlierLock] {
        let end = ContinuousClock.now + grace
        while true {
            var locks: [EarlierLock] = []
            var running: EarlierEngine?
            for runtime in EarlierEngine.runtimes(folder) {
                do throws(EarlierLock.Refusal) { locks.append(try EarlierLock(runtime)) } catch {
                    // Where this program can make no folder, the earlier one cannot either.
                    if error == .held { running = EarlierEngine() }
                }
            }
            running = OwnProcesses.earlierEngine(of: folder) ?? running
            guard let running else { return locks }
            guard ContinuousClock.now < end else { throw running.refusal }
            try await Task.sleep(for: pause)
        }
    }

    /// Takes a runtime folder, with nothing in it that is not true any more.
    private static func take(
        _ folder: EngineFolder, _ name: inout RuntimeName, _ runtime: String?,
        _ random: inout some RandomNumberGenerator
    ) throws -> (EnginePlace, FileLock) {
        let folders = RuntimeFolders(folder)
        // Names are random and few: more than one attempt means that they were copied.
        for _ in 0..<8 {
            let last = last(name)
            let candidates = runtime.map { [RuntimeChoice(path: $0, isInMemory: true)] } ?? folders.candidates(name.id)
            guard
                let choice = RuntimeChoice.best(
                    last: last, candidates,
                    lastHasUnsent: last.map { RuntimeFolders.hasUnsent(EnginePlace(runtime: $0.path)) } ?? false)
            else {
                throw CommandFailure(
                    "no folder for the engine's socket: the paths are too long or on a network file system "
                        + "(\(folders.parents.map { "\($0)/\(name.id)" }.joined(separator: ", "))); set XDG_RUNTIME_DIR to "
                        + "a short folder of your own")
            }
            try RuntimeFolders.make(choice.path)
            let place = EnginePlace(runtime: choice.path)
            let marker = RuntimeMarker.read(place.marker)
            let isOurs = marker.map { $0.id.isExactly(name.id) } ?? true
            if isOurs, let lock = FileLock(path: place.lock, milliseconds: 200) {
                if !(marker?.isUsed(by: name, at: choice.path) ?? false) { RuntimeFolders.clear(place) }
                return (place, lock)
            }
            name.rename(using: &random)
        }
        throw CommandFailure("no folder for the engine's socket could be made in \(folders.parents[0])")
    }

    /// The runtime folder of the last engine, if everything in it is still true.
    private static func last(_ name: RuntimeName) -> RuntimeChoice? {
        guard let runtime = name.runtime, OwnFolder.isPrivate(runtime) else { return nil }
        let place = EnginePlace(runtime: runtime)
        guard RuntimeMarker.read(place.marker)?.isUsed(by: name, at: runtime) ?? false else { return nil }
        return RuntimeChoice(path: runtime, isInMemory: place.isInMemory)
    }

    // MARK: While it runs

    /// Call it when the socket exists.
    func listens() { socket.withLock { $0 = Self.identity(place.socket) } }

    /// Whether clients can find this engine, and no other one can start. Blocks briefly.
    var isInPlace: Bool {
        guard lock.isCurrent, runtimeLock.isCurrent else { return false }
        let expected = socket.withLock { $0 }
        return expected == nil || expected == Self.identity(place.socket)
    }

    private static func identity(_ path: String) -> [UInt64]? {
        var status = stat()
        return lstat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
    }
}

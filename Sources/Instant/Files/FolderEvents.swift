import Dispatch
import Glibc
import Synchronization

/// The events of folders (inotify(7)). One instance for the whole process, because a user may have only a few.
///
/// Unchecked: a dispatch source is not Sendable. This one is only kept alive; nothing uses it after the initializer.
final class FolderEvents: @unchecked Sendable {
    /// nil if the system has no inotify, or this user's limit is reached.
    static let shared = FolderEvents()

    private let descriptor: CInt
    private let source: any DispatchSourceRead
    private let state = Mutex(State())

    fileprivate struct State {
        var watchers: [Int: Watcher] = [:]
        /// The watchers of each folder, by the number that the system gave it.
        var users: [CInt: Set<Int>] = [:]
        var newest = 0
    }

    fileprivate struct Watcher {
        let wake: @Sendable () -> Void
        var hasEvents = false
    }

    private static let uses = UInt32(
        IN_OPEN | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    private static let moves = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    private init?() {
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "postilla.store-folders"))
        source.setEventHandler { [weak self] in self?.read() }
        source.resume()
    }

    /// Watches what happens in a folder, and that neither it nor a folder above it is moved or removed. Reports what this machine
    /// does: no other one can use a store, because the index of its write-ahead log is shared memory.
    ///
    /// - Parameter wake: Called for the first event after this call, or after ``take(_:)``. On any thread, and under a lock.
    /// - Returns: The number of the watcher; nil if the folder cannot be watched.
    func watch(_ folder: String, wake: @escaping @Sendable () -> Void) -> Int? {
        let number = state.withLock { state in
            state.newest += 1
            state.watchers[state.newest] = Watcher(wake: wake)
            return state.newest
        }
        guard add(folder, Self.uses, for: number) else {
            stop(number)
            return nil
        }
        // A folder that cannot be read cannot be watched, and is seldom one that this user can move.
        for parent in Self.parents(of: folder) { _ = add(parent, Self.moves, for: number) }
        return number
    }

    func stop(_ number: Int) {
        state.withLock { state in
            state.watchers[number] = nil
            for (folder, users) in state.users where users.contains(number) {
                let left = users.subtracting([number])
                state.users[folder] = left.isEmpty ? nil : left
                if left.isEmpty { inotify_rm_watch(descriptor, folder) }
            }
        }
    }

    /// - Returns: Whether there were events since the last call.
    func take(_ number: Int) -> Bool {
        read()
        return state.withLock { $0.watchers[number]?.hasEvents.take() ?? false }
    }

    /// Two watchers of one folder share its number. Another one may just give it up, so the folder counts as watched once
    /// it has the same number again after this watcher was noted.
    private func add(_ folder: String, _ mask: UInt32, for number: Int) -> Bool {
        var noted: CInt?
        while true {
            let given = inotify_add_watch(descriptor, folder, mask | UInt32(IN_MASK_ADD))
            guard given >= 0 else { return false }
            if given == noted { return true }
            noted = given
            state.withLock { _ = $0.users[given, default: []].insert(number) }
        }
    }

    private func read() {
        // One thread at a time: otherwise `take` could miss events that another thread has read and not yet noted.
        state.withLock { state in
            let size = 16 << 10
            withUnsafeTemporaryAllocation(byteCount: size, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
                while case let count = Glibc.read(descriptor, buffer.baseAddress, size), count > 0 {
                    var offset = 0
                    while offset + MemoryLayout<inotify_event>.size <= count {
                        let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
                        offset += MemoryLayout<inotify_event>.size + Int(event.len)
                        state.note(event)
                    }
                }
            }
        }
    }

    private static func parents(of folder: String) -> [String] {
        let scalars = folder.unicodeScalars
        return scalars.indices.filter { $0 != scalars.startIndex && scalars[$0] == "/" }.map { String(scalars[..<$0]) }
    }
}

extension FolderEvents.State {
    fileprivate mutating func note(_ event: inotify_event) {
        // The queue overflowed, and events were lost.
        let isOverflow = event.mask & UInt32(IN_Q_OVERFLOW) != 0
        for number in isOverflow ? Set(watchers.keys) : users[event.wd] ?? [] where watchers[number]?.hasEvents == false
        {
            watchers[number]?.hasEvents = true
            watchers[number]?.wake()
        }
        // The folder or its file system is gone; the number may be given to another one.
        if event.mask & UInt32(IN_IGNORED) != 0 { users[event.wd] = nil }
    }
}

extension Bool {
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}

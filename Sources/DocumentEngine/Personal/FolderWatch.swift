import Annotations
import Dispatch
import Glibc
import Synchronization

/// Tells when one of several files may have changed, by watching their folders (inotify(7)): a file that is replaced is
/// another one under the same name, which only its folder tells.
///
/// Events may be missed: on network file systems, where a user has too many watches, and when a folder above is renamed.
///
/// Unchecked: the source is used only to begin and to end it.
final class FolderWatch: @unchecked Sendable {
    /// The paths of files that were written, replaced, moved or removed.
    let events: AsyncStream<String>

    private let told: AsyncStream<String>.Continuation
    private let descriptor: CInt
    private let source: any DispatchSourceRead
    private let watches = Mutex<[ByteOrdered: Watch]>([:])

    private struct Watch {
        var number: CInt
        var names: Set<ByteOrdered> = []
    }

    private static let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)

    /// - Returns: nil if the system has no inotify, or no more of it for this user.
    init?() {
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        (events, told) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "postilla.folders"))
        source.setCancelHandler { [descriptor] in close(descriptor) }
        source.setEventHandler { [weak self] in self?.read() }
        source.resume()
    }

    deinit {
        told.finish()
        source.cancel()
    }

    /// Watches a file, in whatever folder is at its path now. Blocks as long as the disk does not answer, and holds up no
    /// other file meanwhile.
    ///
    /// - Parameter path: absolute, without links.
    /// - Returns: whether its changes are reported. They are not if the folder cannot be watched, or if its file system can be
    ///   changed from elsewhere (NFS, SMB, FUSE, 9p): watching seems to succeed there.
    func follow(_ path: String) -> Bool {
        guard let (folder, name) = Self.parts(path) else { return false }
        let number = inotify_add_watch(descriptor, folder.text, Self.mask)
        let isRemote = FileSystemKind(of: folder.text).isRemote
        watches.withLock { watches in
            let old = watches[folder]
            if let old, old.number != number { inotify_rm_watch(descriptor, old.number) }
            let names = (old?.names ?? []).union([name])
            watches[folder] = number >= 0 ? Watch(number: number, names: names) : nil
        }
        return number >= 0 && !isRemote
    }

    /// Stops watching all other files.
    ///
    /// - Parameter paths: called while nothing is added, so that a file that was just opened is not dropped.
    func drop(allExcept paths: () -> [String]) {
        watches.withLock { watches in
            var wanted: [ByteOrdered: Set<ByteOrdered>] = [:]
            for (folder, name) in paths().compactMap(Self.parts) { wanted[folder, default: []].insert(name) }
            for (folder, watch) in watches {
                let names = watch.names.intersection(wanted[folder] ?? [])
                if names.isEmpty { inotify_rm_watch(descriptor, watch.number) }
                watches[folder] = names.isEmpty ? nil : Watch(number: watch.number, names: names)
            }
        }
    }

    /// The folder and the name.
    private static func parts(_ path: String) -> (folder: ByteOrdered, name: ByteOrdered)? {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return nil }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (ByteOrdered(folder), ByteOrdered(String(path[path.unicodeScalars.index(after: slash)...])))
    }

    private func read() {
        let size = 64 << 10
        withUnsafeTemporaryAllocation(byteCount: size, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            while case let count = Glibc.read(descriptor, buffer.baseAddress, size), count > 0 {
                var offset = 0
                while offset + MemoryLayout<inotify_event>.size <= count {
                    let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    let name = buffer[start..<start + Int(event.len)].prefix { $0 != 0 }
                    offset = start + Int(event.len)
                    tell(event, String(decoding: name, as: UTF8.self))
                }
            }
        }
    }

    private func tell(_ event: inotify_event, _ name: String) {
        let paths = watches.withLock { watches -> [String] in
            // The queue overflowed, and events were lost.
            guard event.mask & UInt32(IN_Q_OVERFLOW) == 0 else {
                return watches.flatMap { folder, watch in watch.names.map { Self.path($0.text, in: folder.text) } }
            }
            return watches.filter { $0.value.number == event.wd && $0.value.names.contains(ByteOrdered(name)) }
                .map { Self.path(name, in: $0.key.text) }
        }
        for path in paths { told.yield(path) }
    }

    private static func path(_ name: String, in folder: String) -> String {
        folder == "/" ? "/" + name : "\(folder)/\(name)"
    }
}

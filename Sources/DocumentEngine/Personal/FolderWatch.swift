import Annotations
import Dispatch
import Glibc
import SQLite
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

    /// Watches these files and no others. Blocks briefly.
    ///
    /// - Parameter paths: absolute, without links.
    /// - Returns: those of which no event tells: in a folder that cannot be watched, or on a file system that others change
    ///   without a word (NFS, SMB, FUSE, 9p), where watching seems to succeed.
    func follow(_ paths: some Sequence<String>) -> Set<ByteOrdered> {
        var missed: Set<ByteOrdered> = []
        var wanted: [ByteOrdered: Set<ByteOrdered>] = [:]
        for path in paths {
            guard let slash = path.unicodeScalars.lastIndex(of: "/") else { continue }
            let folder = slash == path.startIndex ? "/" : String(path[..<slash])
            wanted[ByteOrdered(folder), default: []].insert(
                ByteOrdered(String(path[path.unicodeScalars.index(after: slash)...])))
        }
        watches.withLock { watches in
            for (folder, watch) in watches where wanted[folder] == nil {
                inotify_rm_watch(descriptor, watch.number)
                watches[folder] = nil
            }
            for (folder, names) in wanted {
                // Anew each time: another folder may have taken its place.
                let number = inotify_add_watch(descriptor, folder.text, Self.mask)
                if let old = watches[folder]?.number, old != number { inotify_rm_watch(descriptor, old) }
                watches[folder] = number >= 0 ? Watch(number: number, names: names) : nil
                if number >= 0, !FileSystemKind(of: folder.text).isRemote { continue }
                missed.formUnion(names.map { ByteOrdered(Self.path($0.text, in: folder.text)) })
            }
        }
        return missed
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

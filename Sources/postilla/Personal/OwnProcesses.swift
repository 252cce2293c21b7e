import Annotations
import FoundationEssentials
import Glibc

/// The processes of this user, as `/proc` shows them.
enum OwnProcesses {
    /// An engine of an earlier version that serves a data folder, by whatever path. Blocks briefly.
    static func earlierEngine(of folder: EngineFolder) -> EarlierEngine? {
        var (wanted, lock) = (stat(), stat())
        guard stat(folder.path, &wanted) == 0 else { return nil }
        let hasLock = stat(folder.lock, &lock) == 0
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let pid = pid_t(name), pid != getpid() else { continue }
            var status = stat()
            guard stat("/proc/\(pid)", &status) == 0, status.st_uid == geteuid(),
                let data = EngineArguments(words: words("/proc/\(pid)/cmdline"))?
                    .dataFolder(environment: words("/proc/\(pid)/environ"))
            else { continue }
            // Its own root and working folder, which may be others than here.
            let root = data.utf8.first == UInt8(ascii: "/") ? "/proc/\(pid)/root" : "/proc/\(pid)/cwd/"
            guard stat("\(root)\(data)/engine", &status) == 0, status.st_dev == wanted.st_dev,
                status.st_ino == wanted.st_ino
            else { continue }
            let files = openFiles(pid)
            // An engine of this version has the lock of the data folder open, and that one decides.
            let isLater = files.contains { file in
                hasLock && stat(file.link, &status) == 0 && status.st_dev == lock.st_dev && status.st_ino == lock.st_ino
            }
            guard !isLater, let held = files.first(where: { $0.path.utf8.ends(with: "/engine.lock".utf8) }) else {
                continue
            }
            return EarlierEngine(pid: pid, socket: held.path.dropLast("lock".count) + "sock")
        }
        return nil
    }

    /// A process of this user that holds a lock on a file, whatever it is; nil: none that can be seen from here. Blocks
    /// briefly.
    static func holder(of path: String) -> (pid: pid_t, name: String)? {
        var lock = stat()
        guard stat(path, &lock) == 0 else { return nil }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let pid = pid_t(name), pid != getpid() else { continue }
            var status = stat()
            guard stat("/proc/\(pid)", &status) == 0, status.st_uid == geteuid() else { continue }
            for file in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? [] {
                guard stat("/proc/\(pid)/fd/\(file)", &status) == 0, status.st_dev == lock.st_dev,
                    status.st_ino == lock.st_ino,
                    let facts = try? PrivateFile.read("/proc/\(pid)/fdinfo/\(file)"), facts.contains(scalars: "\nlock:")
                else { continue }
                return (pid, (try? PrivateFile.read("/proc/\(pid)/comm", limit: 64))?.trimmed ?? "unknown")
            }
        }
        return nil
    }

    private static func openFiles(_ pid: pid_t) -> [(link: String, path: String)] {
        let folder = "/proc/\(pid)/fd"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { name in
            let link = "\(folder)/\(name)"
            return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)).map { (link, $0) }
        }
    }

    /// The texts of a file in which each ends with a zero; empty if it cannot be read.
    private static func words(_ path: String) -> [String] {
        let bytes = (try? PrivateFile.bytes(path, limit: 4 << 20)) ?? []
        return bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Sequence<UInt8> {
    fileprivate func ends(with end: some BidirectionalCollection<UInt8>) -> Bool {
        reversed().starts(with: end.reversed())
    }
}

/// The command line of an engine.
struct EngineArguments: Hashable, Sendable {
    private let words: [String]

    /// - Returns: nil if it is that of another program.
    init?(words: [String]) {
        guard words.count > 1, words[1].isExactly("engine"),
            words[0].split(separator: "/").last.map({ String($0).isExactly("postilla") }) ?? false
        else { return nil }
        self.words = words
    }

    /// The data folder that it serves, as the engine spells it; nil: it names none.
    ///
    /// - Parameter environment: texts such as `HOME=/home/ada`.
    func dataFolder(environment: [String]) -> String? {
        func variable(_ name: String) -> String? {
            let start = name + "="
            return environment.first { $0.utf8.starts(with: start.utf8) }
                .map { String(decoding: $0.utf8.dropFirst(start.utf8.count), as: UTF8.self) }
        }
        let option = "--data-dir"
        for (index, word) in words.enumerated() {
            if word.isExactly(option) { return words.indices.contains(index + 1) ? words[index + 1] : nil }
            if word.utf8.starts(with: (option + "=").utf8) {
                return String(decoding: word.utf8.dropFirst(option.utf8.count + 1), as: UTF8.self)
            }
        }
        if let chosen = variable("POSTILLA_DATA"), !chosen.isEmpty { return chosen }
        if let data = variable("XDG_DATA_HOME"), data.utf8.first == UInt8(ascii: "/") { return data + "/postilla" }
        guard let home = variable("HOME"), home.utf8.first == UInt8(ascii: "/") else { return nil }
        return home + "/.local/share/postilla"
    }
}

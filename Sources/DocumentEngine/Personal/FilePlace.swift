import Annotations
package import Glibc

/// Where a path leads: a folder, which stays the same whatever is renamed meanwhile, and a name in it.
///
/// Links are followed one by one, by the rule of the kernel's `fs.protected_symlinks`, which many containers switch off:
/// where every account can plant a link, one of another account is not followed. All functions block.
package final class FilePlace: Sendable {
    /// Absolute, without links, as it was when it was resolved.
    package let path: String
    /// The last part of the path; `.` for a folder such as `/`.
    package let name: String
    /// Whether the path leads through `/proc`, as `/dev/fd/3` and `/dev/stdin` do: it names something of one process only.
    package let isOfThisProcess: Bool
    private let folder: CInt

    package enum Problem: Error, Hashable, Sendable {
        /// A link of another account, in a folder where every account can make one.
        case foreignLink(String)
        /// `errno`
        case failed(CInt)
    }

    // Swift's Glibc does not declare it.
    private static let pathOnly: CInt = 0x20_0000
    private static let maxLinks = 40

    /// Whether a link may be followed.
    ///
    /// - Parameters:
    ///   - owner: of the link.
    ///   - folder: the folder with the link.
    package static func mayFollow(linkOf owner: uid_t, in folder: stat, user: uid_t) -> Bool {
        let isShared = folder.st_mode & (S_ISVTX | S_IWOTH) != 0
        return !isShared || owner == user || owner == folder.st_uid
    }

    /// Follows a path; its last part need not exist.
    ///
    /// - Parameter keepsLast: whether the last part is taken as it is, even if it is a link.
    package init(of given: String, keepsLast: Bool = false) throws(Problem) {
        var rest = Self.parts(given)
        let kept = keepsLast && !rest.isEmpty ? rest.removeFirst() : nil
        let endsWithSlash = given.utf8.last == UInt8(ascii: "/")
        let isAbsolute = given.utf8.first == UInt8(ascii: "/")
        var names = isAbsolute ? [] : try Self.workingFolder()
        var folder = open(isAbsolute ? "/" : ".", Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .failed(errno) }
        var (last, links) = (".", 0)
        let processes = Self.deviceOfProcesses
        var isOfThisProcess = false
        do throws(Problem) {
            while let part = rest.popLast() {
                if part.isExactly(".") { continue }
                var item = openat(folder, part, Self.pathOnly | O_NOFOLLOW | O_CLOEXEC)
                guard item >= 0 else {
                    guard errno == ENOENT, rest.isEmpty, !endsWithSlash, kept == nil else { throw .failed(errno) }
                    last = part
                    break
                }
                defer { if item >= 0 { close(item) } }
                var (status, parent) = (stat(), stat())
                guard fstat(item, &status) == 0, fstat(folder, &parent) == 0 else { throw .failed(errno) }
                if parent.st_dev == processes { isOfThisProcess = true }
                switch status.st_mode & S_IFMT {
                case S_IFLNK:
                    guard Self.mayFollow(linkOf: status.st_uid, in: parent, user: geteuid()) else {
                        throw .foreignLink("/" + (names + [part]).joined(separator: "/"))
                    }
                    links += 1
                    guard links <= Self.maxLinks, let target = Self.target(of: item) else { throw .failed(ELOOP) }
                    rest += Self.parts(target)
                    guard target.utf8.first == UInt8(ascii: "/") else { break }
                    let root = open("/", Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
                    guard root >= 0 else { throw .failed(errno) }
                    close(folder)
                    (folder, names) = (root, [])
                case S_IFDIR where part.isExactly("..") || !rest.isEmpty || kept != nil:
                    close(folder)
                    folder = item
                    item = -1
                    if !part.isExactly("..") { names.append(part) } else if !names.isEmpty { names.removeLast() }
                case S_IFDIR: last = part
                default:
                    guard rest.isEmpty, !endsWithSlash, kept == nil else { throw .failed(ENOTDIR) }
                    last = part
                }
            }
        } catch {
            close(folder)
            throw error
        }
        last = kept ?? last
        name = last
        self.isOfThisProcess = isOfThisProcess
        path = "/" + (names + (last.isExactly(".") ? [] : [last])).joined(separator: "/")
        self.folder = folder
    }

    deinit { close(folder) }

    /// The path of the folder by its descriptor, for this process and its children. Without `/proc` it is the one that was
    /// resolved.
    package var folderPath: String {
        let path = "/proc/\(getpid())/fd/\(folder)"
        if access(path, F_OK) == 0 { return path }
        return self.path.lastIndex(of: "/").map { $0 == self.path.startIndex ? "/" : String(self.path[..<$0]) } ?? "/"
    }

    /// What tells the folder from others.
    var folderIdentity: (device: UInt64, inode: UInt64)? {
        var status = stat()
        guard fstat(folder, &status) == 0 else { return nil }
        return (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// That of `/proc`; nil: it is not mounted.
    private static var deviceOfProcesses: dev_t? {
        var status = stat()
        return stat("/proc/self/stat", &status) == 0 ? status.st_dev : nil
    }

    /// The path of the file by the descriptor of its folder.
    package var here: String { folderPath + "/" + name }

    /// The parts of a path, the last one first.
    private static func parts(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(decoding: $0, as: UTF8.self) }
    }

    private static func workingFolder() throws(Problem) -> [String] {
        guard let path = getcwd(nil, 0) else { throw .failed(errno) }
        defer { free(path) }
        return parts(String(cString: path)).reversed()
    }

    private static func target(of link: CInt) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { readlinkat(link, "", $0.baseAddress!, $0.count) }
        return count > 0 && count < 4096 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}

extension FilePlace.Problem {
    /// What is wrong, as part of a sentence.
    package var reason: String {
        switch self {
        case .foreignLink(let link):
            "\(link) is a link of another account in a folder that every account can write, and is not followed"
        case .failed(let code): String(cString: strerror(code))
        }
    }
}

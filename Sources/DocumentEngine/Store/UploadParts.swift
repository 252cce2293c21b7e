import Annotations
import Crypto
import EngineCore
import FoundationEssentials
import Glibc

/// An upload: who sends which file to which layer.
struct UploadKey: Hashable, Sendable {
    let layer: Int64
    /// nil or empty: the anonymous user.
    let user: String?
    let file: AttachmentID
}

/// The beginnings of uploads that were cut off, so that they can be continued. They are kept for a day, at most ``most`` for
/// each user and layer.
///
/// The methods block. Nothing is synced to disk: a part that is lost or damaged costs time only, because the hash of the
/// whole file decides.
protocol UploadParts: Sendable {
    /// 0 if nothing is stored.
    func length(of key: UploadKey) throws -> Int64
    /// Adds bytes to those stored; replaces them if `offset` is 0.
    ///
    /// - Parameters:
    ///   - offset: where in the file the bytes belong.
    ///   - replacesMore: whether they also replace more bytes than they are.
    /// - Returns: false, and nothing is stored, if another number of bytes is stored.
    func add(
        _ part: Upload.Part, at offset: Int64, to key: UploadKey, at moment: Timestamp, replacesMore: Bool
    ) throws -> Bool
    /// Removes the part and returns it as a file that is complete and on disk; nil if nothing is stored.
    func take(_ key: UploadKey) throws -> Upload.CompletedFile?
    func remove(_ key: UploadKey) throws
    func removeAll(before moment: Timestamp) throws
}

extension UploadParts {
    static var most: Int { 4 }
}

/// Parts as files in one folder, on the file system of the attachments. The bytes of a part are added by one request at a
/// time: it renames the file meanwhile.
struct FolderParts: UploadParts {
    private let folder: String
    private let space: DiskSpace

    /// - Throws: ``StoreError`` if the folder cannot be used.
    init(folder: String, space: DiskSpace) throws {
        (self.folder, self.space) = (folder, space)
        try PrivateFiles.make(folder: folder)
        try ArrivingFile.removeLeftovers(folder)
    }

    func length(of key: UploadKey) throws -> Int64 { Self.status(of: path(key))?.length ?? 0 }

    func add(
        _ part: Upload.Part, at offset: Int64, to key: UploadKey, at moment: Timestamp, replacesMore: Bool
    ) throws -> Bool {
        try space.check()
        let path = path(key)
        var whole = part.file
        if offset > 0 {
            guard let own = ArrivingFile.taking(path, in: folder) else { return false }
            guard Self.status(of: own.path)?.length == offset else {
                rename(own.path, path)
                return false
            }
            do { try append(part, to: own.path) } catch {
                // What was there before is still good.
                if truncate(own.path, off_t(offset)) == 0 { rename(own.path, path) }
                throw error
            }
            whole = own
        } else if !replacesMore, try length(of: key) >= part.bytes {
            return false
        }
        try setTime(of: whole.path, to: moment)
        guard rename(whole.path, path) == 0 else { throw PrivateFiles.failure(in: folder) }
        for other in try others(than: key).dropFirst(Self.most - 1) { unlink(other) }
        return true
    }

    func take(_ key: UploadKey) throws -> Upload.CompletedFile? {
        try ArrivingFile.taking(path(key), in: folder).map { try Upload.CompletedFile(written: $0) }
    }

    func remove(_ key: UploadKey) { unlink(path(key)) }

    func removeAll(before moment: Timestamp) throws {
        for path in try FileManager.default.contentsOfDirectory(atPath: folder).map({ "\(folder)/\($0)" }) {
            if let found = Self.status(of: path), found.changed < moment { unlink(path) }
        }
    }

    // MARK: Names

    private func path(_ key: UploadKey) -> String { "\(folder)/\(Self.owner(key))\(key.file.hex)" }

    /// The start of the names of a user's parts in a layer. A file's name cannot be as long as a user's.
    private static func owner(_ key: UploadKey) -> String {
        "\(key.layer)-\(SHA256.hash(data: Array((key.user ?? "").utf8)).hexadecimal.prefix(32))-"
    }

    /// Returns the paths of the user's other parts in the layer, the newest first.
    private func others(than key: UploadKey) throws -> [String] {
        let (owner, own) = (Self.owner(key), path(key))
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.begins(with: owner) }
            .map { "\(folder)/\($0)" }.filter { $0 != own }
            .map { ($0, Self.status(of: $0)?.changed ?? .startOfTime) }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    private func setTime(of path: String, to moment: Timestamp) throws {
        let (seconds, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: 1000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)
        guard utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW) == 0 else {
            throw PrivateFiles.failure(in: folder)
        }
    }

    private static func status(of path: String) -> (length: Int64, changed: Timestamp)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let milliseconds = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        return (Int64(status.st_size), Timestamp(milliseconds: milliseconds))
    }

    private func append(_ part: Upload.Part, to path: String) throws {
        let target = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
        guard target >= 0 else { throw PrivateFiles.failure(in: folder) }
        defer { close(target) }
        let source = try FileBlob(path: part.file.path)
        var offset: Int64 = 0
        while offset < source.length {
            let piece = try source.read(at: offset, 1 << 20)
            guard piece.withUnsafeReadableBytes({ PrivateFiles.writeAll($0, to: target) }) else {
                throw PrivateFiles.failure(in: folder)
            }
            offset += Int64(piece.readableBytes)
        }
    }
}

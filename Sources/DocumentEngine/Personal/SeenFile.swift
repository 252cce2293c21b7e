import Annotations
package import Glibc
package import SyncProtocol

extension SeenFile {
    package init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            // It is only compared: the clock may have been in any year.
            changed: Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec))
    }
}

extension Sighting {
    /// Looks at a path, through links. Blocks.
    package init(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = errno == ENOENT || errno == ENOTDIR ? .nothing : .unknown
            return
        }
        var seen = SeenFile(status)
        seen.isReadable = access(path, R_OK) == 0
        self = .file(seen)
    }

    /// Opens the file that was seen, so that whatever is renamed or mounted there afterwards is not used instead. Blocks.
    ///
    /// - Parameter path: without links.
    /// - Returns: nil if there is none, or this process cannot read it, either.
    /// - Throws: ``OwnFileError/otherFile``; ``OwnFileError/notReadableHere`` if only the process that asks can read it.
    func opened(_ path: String) throws(OwnFileError) -> OpenFile? {
        guard self != .unknown else { return try? OpenFile(path) }
        do throws(OwnFileError) {
            let file = try OpenFile(path)
            guard case .file(let seen) = self, seen.isSame(as: SeenFile(file.status)) else { throw .otherFile }
            return file
        } catch {
            if error == .otherFile { throw error }
            switch (self, Sighting(of: path)) {
            case (.nothing, .nothing): return nil
            case (.file(let one), .file(let other)) where one.isSame(as: other):
                if one.isReadable, !other.isReadable { throw .notReadableHere }
                return nil
            // Nothing is known of what is in a folder that this process may not enter.
            case (.file(let one), .unknown) where one.isReadable: throw .notReadableHere
            case (_, .unknown): return nil
            default: throw .otherFile
            }
        }
    }
}

// Unchecked: its status is only set when it is opened.
extension OpenFile: @unchecked Sendable {}

extension OpenFile {
    /// A name of this very file for this process and its children; without `/proc`, the given one.
    func name(otherwise path: String) -> String {
        let name = "/proc/\(getpid())/fd/\(descriptor)"
        return access(name, F_OK) == 0 ? name : path
    }
}

extension FileFacts {
    /// Reads an open file. Blocks.
    static func read(_ file: OpenFile) throws -> FileFacts {
        FileFacts(
            inode: UInt64(file.status.st_ino), size: Int64(file.status.st_size), changed: changed(file.status),
            sha256: try file.hash(upTo: .max).hex)
    }
}

extension SeenTarget {
    /// Blocks.
    ///
    /// - Throws: ``OwnFileError/otherFile`` if the place is another one here.
    func check(_ place: FilePlace) throws(OwnFileError) {
        guard let folder = place.folderIdentity, folder.device == device, folder.inode == inode else {
            throw .otherFile
        }
        _ = try file.opened(place.here)
    }
}

extension FilePlace {
    /// What a request says of the place; nil if its folder cannot be looked at. Blocks.
    package var sighting: SeenTarget? {
        folderIdentity.map { SeenTarget(device: $0.device, inode: $0.inode, file: Sighting(of: here)) }
    }
}

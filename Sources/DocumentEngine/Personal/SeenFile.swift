package import Annotations
package import Glibc

/// A file as a process sees it. A path is a name only within one mount namespace: by these numbers another process can tell
/// whether it finds the same file there.
package struct SeenFile: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// Of the file's status, in nanoseconds since 1970; nil: any, because it changes all the time.
    package var changed: Int64?
    /// Whether that process may read it, which depends on its groups.
    package var isReadable = true

    package init(_ status: stat) {
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        // It is only compared: the clock may have been in any year.
        changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }

    /// Whether it is the same file in the same condition.
    func isSame(as other: SeenFile) -> Bool {
        device == other.device && inode == other.inode
            && (changed == nil || other.changed == nil || changed == other.changed)
    }

    package var json: JSON {
        var json = JSONObject()
        json["device"] = .string("\(device)")
        json["inode"] = .string("\(inode)")
        json["changed"] = changed.map { .string("\($0)") }
        json["readable"] = .bool(isReadable)
        return .object(json)
    }

    /// - Returns: nil for anything that ``json`` did not write.
    init?(_ json: JSON) {
        guard let device = json["device"]?.string.flatMap(UInt64.init),
            let inode = json["inode"]?.string.flatMap(UInt64.init)
        else { return nil }
        (self.device, self.inode) = (device, inode)
        changed = json["changed"]?.string.flatMap(Int64.init)
        isReadable = json["readable"]?.bool ?? true
    }
}

/// What the process that asks sees at a path.
package enum Sighting: Hashable, Sendable {
    /// It did not say.
    case unknown
    case nothing
    case file(SeenFile)

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

    /// The value of the member of a request.
    package var json: JSON? {
        switch self {
        case .unknown: nil
        case .nothing: .null
        case .file(let file): file.json
        }
    }

    /// - Parameter json: nil if the member is absent.
    init(_ json: JSON?) {
        switch json {
        case nil: self = .unknown
        case .null?: self = .nothing
        case let json?: self = SeenFile(json).map(Sighting.file) ?? .unknown
        }
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

/// Where a copy of a PDF is to be, as the process sees it that asks for it.
struct SeenTarget: Hashable, Sendable {
    /// Of the folder that is to have it.
    var device: UInt64
    var inode: UInt64
    /// What is there already.
    var file: Sighting

    /// - Returns: nil if the request does not say.
    init?(_ json: JSON?) {
        guard let json, let device = json["device"]?.string.flatMap(UInt64.init),
            let inode = json["inode"]?.string.flatMap(UInt64.init)
        else { return nil }
        (self.device, self.inode, file) = (device, inode, Sighting(json["file"]))
    }

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
    /// What a request says of the place: see ``SeenTarget``. Blocks.
    package var sighting: JSON {
        var json = JSONObject()
        if let folderIdentity {
            json["device"] = .string("\(folderIdentity.device)")
            json["inode"] = .string("\(folderIdentity.inode)")
        }
        json["file"] = Sighting(of: here).json
        return .object(json)
    }
}

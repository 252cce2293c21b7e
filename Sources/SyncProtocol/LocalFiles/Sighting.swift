import Annotations

/// A file as a process sees it. A path is a name only within one mount namespace: by these numbers another process can tell
/// whether it finds the same file there.
package struct SeenFile: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// Of the file's status, in nanoseconds since 1970; nil: any, because it changes all the time.
    package var changed: Int64?
    /// Whether that process may read it, which depends on its groups.
    package var isReadable = true

    package init(device: UInt64, inode: UInt64, changed: Int64?) {
        (self.device, self.inode, self.changed) = (device, inode, changed)
    }

    /// Whether it is the same file in the same condition.
    package func isSame(as other: SeenFile) -> Bool {
        device == other.device && inode == other.inode
            && (changed == nil || other.changed == nil || changed == other.changed)
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("device", "\(device)")
            $0.member("inode", "\(inode)")
            if let changed { $0.member("changed", "\(changed)") }
            $0.member("readable", isReadable)
        }
    }

    /// - Returns: nil for anything that ``write(to:)`` did not write.
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

    /// Writes a member of a request.
    func write(as key: String, to json: inout JSONWriter) {
        switch self {
        case .unknown: break
        case .nothing: json.member(key, .null)
        case .file(let file):
            json.key(key)
            file.write(to: &json)
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
}

/// Where a copy of a PDF is to be, as the process sees it that asks for it.
package struct SeenTarget: Hashable, Sendable {
    /// Of the folder that is to have it.
    package var device: UInt64
    package var inode: UInt64
    /// What is there already.
    package var file: Sighting

    package init(device: UInt64, inode: UInt64, file: Sighting) {
        (self.device, self.inode, self.file) = (device, inode, file)
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("device", "\(device)")
            $0.member("inode", "\(inode)")
            file.write(as: "file", to: &$0)
        }
    }

    /// - Returns: nil if the request does not say.
    init?(_ json: JSON?) {
        guard let json, let device = json["device"]?.string.flatMap(UInt64.init),
            let inode = json["inode"]?.string.flatMap(UInt64.init)
        else { return nil }
        (self.device, self.inode, file) = (device, inode, Sighting(json["file"]))
    }
}

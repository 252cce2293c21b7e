import Annotations
import Glibc

/// What a data folder keeps of its engine's runtime folder: a random name, so that two data folders never share one, and the
/// folder that the last engine used.
struct RuntimeName: Hashable, Sendable {
    /// Eight hex digits: a socket's path is short.
    var id: String
    /// The engine's folder in the data folder when the name was made. A copied folder has another one, and gets a new name.
    var device: UInt64
    var inode: UInt64
    /// The runtime folder of the last engine, absolute; nil: there was none.
    var runtime: String?
    /// A random word that the last engine left in both folders. A runtime folder with another word was used with other
    /// contents of the data folder, so nothing in it is true any more.
    var stamp = ""

    /// - Parameters:
    ///   - stored: what the data folder has; nil: nothing that can be read.
    ///   - status: the engine's folder as it is now.
    init(_ stored: RuntimeName?, status: stat, using random: inout some RandomNumberGenerator) {
        let (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        if let stored, stored.device == device, stored.inode == inode {
            self = stored
        } else {
            (id, self.device, self.inode) = (Self.word(4, &random), device, inode)
        }
    }

    /// A word of random bytes in hex.
    static func word(_ bytes: Int, _ random: inout some RandomNumberGenerator) -> String {
        (0..<bytes).map { _ in UInt8.random(in: 0 ... .max, using: &random) }.hexadecimal
    }

    /// Gives it another name, because another data folder's runtime folder has this one.
    mutating func rename(using random: inout some RandomNumberGenerator) {
        (id, runtime, stamp) = (Self.word(4, &random), nil, "")
    }

    // MARK: As JSON

    private static let format: Int64 = 1

    var json: JSON {
        var json = JSONObject()
        json["format"] = .number(JSONNumber(Self.format))
        json["id"] = .string(id)
        json["device"] = .string("\(device)")
        json["inode"] = .string("\(inode)")
        json["runtime"] = runtime.map { .string($0) }
        json["stamp"] = .string(stamp)
        return .object(json)
    }

    /// - Returns: nil for anything that ``json`` did not write.
    init?(_ json: JSON) {
        guard json["format"]?.integer == Self.format, let id = json["id"]?.string, id.utf8.count == 8,
            id.utf8.allSatisfy({ $0.hexadecimalValue != nil }),
            let device = json["device"]?.string.flatMap(UInt64.init),
            let inode = json["inode"]?.string.flatMap(UInt64.init), let stamp = json["stamp"]?.string
        else { return nil }
        let runtime = json["runtime"]?.string
        guard runtime.map({ $0.utf8.first == UInt8(ascii: "/") && !$0.utf8.contains(0) }) ?? true else { return nil }
        (self.id, self.device, self.inode, self.runtime, self.stamp) = (id, device, inode, runtime, stamp)
    }

    /// - Throws: ``CommandFailure`` if another account could have written it.
    static func read(_ path: String) throws -> RuntimeName? {
        guard let bytes = try OwnFolder.read(path), let json = try? JSONReader.parse(bytes) else { return nil }
        return RuntimeName(json)
    }
}

/// What a runtime folder says about its data folder.
struct RuntimeMarker: Hashable, Sendable {
    /// The data folder's name for the runtime folder.
    var id: String
    /// The engine's folder in the data folder, absolute.
    var folder: String
    /// See ``RuntimeName/stamp``.
    var stamp: String

    var json: JSON { ["id": .string(id), "folder": .string(folder), "stamp": .string(stamp)] }

    init(id: String, folder: String, stamp: String) { (self.id, self.folder, self.stamp) = (id, folder, stamp) }

    /// - Returns: nil if there is none.
    static func read(_ path: String) -> RuntimeMarker? {
        guard let bytes = try? OwnFolder.read(path), let json = try? JSONReader.parse(bytes),
            let id = json["id"]?.string, let folder = json["folder"]?.string, let stamp = json["stamp"]?.string
        else { return nil }
        return RuntimeMarker(id: id, folder: folder, stamp: stamp)
    }

    /// Whether the data folder, as it is now, still uses the runtime folder.
    func isUsed(by name: RuntimeName?, at runtime: String) -> Bool {
        guard let name else { return false }
        return name.id.isExactly(id) && name.stamp.isExactly(stamp) && (name.runtime?.isExactly(runtime) ?? false)
    }
}

/// A runtime folder that an engine can use.
struct RuntimeChoice: Hashable, Sendable {
    var path: String
    var isInMemory: Bool

    /// - Parameters:
    ///   - last: the one of the last engine, if everything in it is still true.
    ///   - candidates: those that the environment offers, the best one first.
    ///   - lastHasUnsent: whether clients have edits in it that no engine has.
    /// - Returns: nil if there is none.
    static func best(last: RuntimeChoice?, _ candidates: [RuntimeChoice], lastHasUnsent: Bool) -> RuntimeChoice? {
        guard let first = candidates.first else { return last }
        guard let last else { return first }
        // What is on a disk does not stay there because one shell had no folder in memory.
        return !last.isInMemory && first.isInMemory && !lastHasUnsent ? first : last
    }
}

import Annotations
import Crypto
import FoundationEssentials
import Glibc
import InstantCore

/// The locations of files (XDG base directories). Folders are created on first use, with mode 0700; files have 0600.
struct Folders {
    /// Local layers and PDFs: `$XDG_DATA_HOME/postilla`, `--data-dir`, `POSTILLA_DATA`.
    var data: String
    /// Log, drafts, the demo: `$XDG_STATE_HOME/postilla`.
    var state: String
    /// Data that can be recomputed: `$XDG_CACHE_HOME/postilla`.
    var cache: String

    /// - Throws: An error when neither the XDG variables nor `HOME` give a location.
    init(dataDirectory: String? = nil) throws {
        let environment = ProcessInfo.processInfo.environment
        func folder(_ variable: String, _ fallback: String) throws -> String {
            // A relative path in an XDG variable is invalid and ignored (XDG base directory specification).
            if let path = environment[variable], path.begins(with: "/") {
                try Self.check(variable)
                return path + "/postilla"
            }
            guard let home = environment["HOME"], home.begins(with: "/") else {
                throw CommandFailure("HOME is not set; use --data-dir or POSTILLA_DATA", .usage)
            }
            try Self.check("HOME")
            return home + "/" + fallback + "/postilla"
        }
        if let chosen = dataDirectory ?? environment["POSTILLA_DATA"].flatMap({ $0.isEmpty ? nil : $0 }) {
            if dataDirectory == nil { try Self.check("POSTILLA_DATA") }
            data = chosen
            state = (try? folder("XDG_STATE_HOME", ".local/state")) ?? chosen + "/state"
            cache = (try? folder("XDG_CACHE_HOME", ".cache")) ?? chosen + "/cache"
        } else {
            data = try folder("XDG_DATA_HOME", ".local/share")
            state = try folder("XDG_STATE_HOME", ".local/state")
            cache = try folder("XDG_CACHE_HOME", ".cache")
        }
    }

    /// Text is UTF-8 here. What is none would be replaced in it, and be the path of another folder.
    private static func check(_ name: String) throws {
        guard let value = getenv(name), String(validatingCString: value) == nil else { return }
        throw CommandFailure(
            "\(name) is not UTF-8 text, so the folder that it names cannot be used; set it to another one, or use "
                + "--data-dir or POSTILLA_DATA", .usage)
    }

    /// Creates a folder for this user only.
    static func make(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("cannot create the folder \(path); use --data-dir")
        }
    }
}

extension LayerIdentity {
    /// The name for files and secrets of this layer: a hash, because ids of documents, layers and users are other
    /// people's text. Lengths are hashed too, so that no two layers share a name.
    var fileName: String {
        let parts = [server, documentID, layer, userID ?? "", userID == nil ? "0" : "1"]
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return SHA256.hash(data: Array(text.utf8)).prefix(16).hexadecimal
    }
}

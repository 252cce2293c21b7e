import FoundationEssentials
import Glibc

/// What a server keeps of its database's mark in its own folder: a few short lines, replaced as a whole.
struct RestoreStampFile: Sendable {
    let folder: String

    private var path: String { "\(folder)/postilla.mark" }

    func lines() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)).prefix(1024), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    /// Durable when it returns.
    func keep(_ lines: [String]) throws {
        let new = path + ".new"
        unlink(new)
        let descriptor = PrivateFiles.create(file: new)
        guard descriptor >= 0 else { throw StoreError.unusable(new, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let text = Array(lines.joined(separator: "\n").utf8)
        guard text.withUnsafeBytes({ PrivateFiles.writeAll($0, to: descriptor) }), fsync(descriptor) == 0,
            rename(new, path) == 0
        else { throw StoreError.unusable(new, String(cString: strerror(errno))) }
        try PrivateFiles.sync(folder: folder)
    }
}

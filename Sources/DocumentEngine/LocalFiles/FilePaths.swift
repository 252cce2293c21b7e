import Annotations
import Glibc

/// The paths under which PDFs are known. All functions block.
package enum FilePaths {
    /// Follows links, but not those of other accounts where every account can make them.
    ///
    /// - Throws: ``OwnFileError/foreignLink(_:)``
    static func followed(_ path: String) throws(OwnFileError) -> String {
        do throws(FilePlace.Problem) { return try FilePlace(of: path).path } catch {
            if case .foreignLink(let link) = error { throw .foreignLink(link) }
            // What is kept of a file is found by its path, even if that cannot be followed any more.
            return resolved(path)
        }
    }

    /// Follows links, also of a file that does not exist yet. Only for comparing paths.
    ///
    /// - Returns: absolute, without links.
    package static func resolved(_ path: String) -> String {
        if let real = real(path) { return real }
        var link = [UInt8](repeating: 0, count: 4096)
        let count = link.withUnsafeMutableBytes { readlink(path, $0.bindMemory(to: CChar.self).baseAddress!, 4096) }
        if count > 0 {
            let target = String(decoding: link[..<count], as: UTF8.self)
            let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            return target.begins(with: "/") ? target : folder + target
        }
        guard let slash = path.unicodeScalars.lastIndex(of: "/"), let folder = real(String(path[...slash])) else {
            return path
        }
        return (folder == "/" ? "" : folder) + path[slash...]
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}

import Annotations
import EngineCore
import FoundationEssentials
import Glibc

/// A file under a temporary name until it gets its final one; if it does not, it is deleted on release.
final class ArrivingFile: Sendable {
    let path: String

    private init(path: String) { self.path = path }

    deinit { unlink(path) }

    /// - Returns: the file and a descriptor for writing, which the caller must close.
    static func make(in folder: String) throws -> (ArrivingFile, CInt) {
        let path = "\(folder)/upload-\(UUID().uuidString)"
        let descriptor = PrivateFiles.create(file: path)
        guard descriptor >= 0 else {
            throw PrivateFiles.failure(in: folder)
        }
        return (ArrivingFile(path: path), descriptor)
    }

    /// Takes over a file that has another name; no other call gets it.
    ///
    /// - Returns: nil if there is none.
    static func taking(_ path: String, in folder: String) -> ArrivingFile? {
        let own = "\(folder)/upload-\(UUID().uuidString)"
        return rename(path, own) == 0 ? ArrivingFile(path: own) : nil
    }

    /// Removes files left behind by a killed process.
    static func removeLeftovers(_ folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.begins(with: "upload-") {
            unlink("\(folder)/\(name)")
        }
    }
}

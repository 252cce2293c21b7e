import FoundationEssentials
import Glibc

/// A file under a name of its own until it gets the one it is kept by; without that it is gone when this is let go.
final class ArrivingFile: Sendable {
    let path: String

    private init(path: String) { self.path = path }

    deinit { unlink(path) }

    /// - Returns: the file with a descriptor for writing it, which whoever asked has to close.
    static func make(in folder: String) throws(StoreError) -> (ArrivingFile, CInt) {
        let path = "\(folder)/upload-\(UUID().uuidString)"
        let descriptor = PrivateFiles.create(file: path)
        guard descriptor >= 0 else { throw .folder(folder, String(cString: strerror(errno))) }
        return (ArrivingFile(path: path), descriptor)
    }

    /// Removes what was left behind when the program was killed.
    static func removeLeftovers(_ folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("upload-") {
            unlink("\(folder)/\(name)")
        }
    }
}

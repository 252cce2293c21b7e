import EngineCore
import Glibc

/// Why something in a folder cannot be used. Each cause has a sentence of its own, since each has another remedy.
package struct PlaceProblem: Error, Hashable, Sendable {
    package var folder: String
    /// `errno`
    package var code: CInt

    package init(folder: String, code: CInt) { (self.folder, self.code) = (folder, code) }

    /// What is wrong, as part of a sentence.
    package var sentence: String {
        switch code {
        case EACCES, EPERM: "this user may not write in \(folder)"
        case EROFS: "\(folder) is on a file system that is read-only"
        case ENOSPC: "the disk with \(folder) is full"
        case EDQUOT: "this user's share of the disk with \(folder) is used up"
        case EMFILE: "this process has as many files open as it may (ulimit -n), so nothing in \(folder) can be opened"
        case ENFILE: "this machine has as many files open as it can, so nothing in \(folder) can be opened"
        case EFBIG: "a file in \(folder) would be larger than this process may write (ulimit -f)"
        case ENOENT: "\(folder) does not exist"
        case EIO: "the disk with \(folder) has failed"
        default: "\(folder) cannot be used: \(String(cString: strerror(code)))"
        }
    }

    /// Why an error in a folder of the engine happened; nil: the folder is not the reason. Blocks briefly.
    init?(_ error: any Error, in folder: String) {
        let code: CInt? =
            switch error as? OwnFileError {
            case .folderNotWritable: EACCES
            case .readOnlyFileSystem: EROFS
            case .diskFull: ENOSPC
            case .tooManyFiles: EMFILE
            case .tooLarge: EFBIG
            case .failed(let code): code
            default: nil
            }
        if let code {
            self.init(folder: folder, code: code)
        } else if (error is StoreError || (error as? APIError)?.reason == .storageFull),
            let found = PlaceProblem.found(in: folder)
        {
            self = found
        } else {
            return nil
        }
    }

    /// What is wrong with a folder in which something has failed for a reason that was not told; nil: nothing that can be
    /// seen. Blocks briefly.
    package static func found(in folder: String) -> PlaceProblem? {
        var path = folder
        while access(path, W_OK | X_OK) != 0 {
            let code = errno
            guard code == ENOENT, let slash = path.unicodeScalars.lastIndex(of: "/"), slash > path.startIndex else {
                return PlaceProblem(folder: folder, code: code)
            }
            path = String(path[..<slash])
        }
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return PlaceProblem(folder: folder, code: errno) }
        // Some file systems tell no sizes.
        if (disk.f_blocks > 0 && disk.f_bavail == 0) || (disk.f_files > 0 && disk.f_favail == 0) {
            return PlaceProblem(folder: folder, code: ENOSPC)
        }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return PlaceProblem(folder: folder, code: errno) }
        close(descriptor)
        return nil
    }
}

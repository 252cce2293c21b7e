import Annotations
import FileCore
import Glibc

/// A PDF and the hidden file beside it. Their folder is held by a descriptor, so that both are in one folder, whatever is
/// renamed meanwhile. All functions block.
struct FilePair {
    /// The paths by the descriptor of the folder, for this process and its children.
    let here: String
    let beside: String
    let folder: String
    let place: FilePlace

    /// - Parameters:
    ///   - path: of the PDF, without links.
    ///   - hidden: the path of the file beside it.
    ///   - database: the name that must be in the hidden one, so that no other file is ever touched.
    init(_ path: String, hidden: String, database: String) throws(OwnFileError) {
        do throws(FilePlace.Problem) { place = try FilePlace(of: path, keepsLast: true) } catch {
            throw OwnFileError(error)
        }
        let name = String(hidden.split(scalar: "/").last ?? "")
        guard HiddenFile.isName(name, database: database), let one = hidden.dropping(suffix: "/" + name),
            let other = path.dropping(suffix: "/" + place.name), one.utf8.elementsEqual(other.utf8)
        else { throw .failed(EINVAL) }
        folder = place.folderPath
        here = place.here
        beside = "\(folder)/\(name)"
    }
}

extension FileVersion {
    init(_ facts: FileFacts) {
        self.init(inode: facts.inode, size: facts.size, changed: facts.changed, sha256: facts.sha256)
    }

    /// Whether the file still looks as it did, without reading it.
    func isSame(as status: stat) -> Bool {
        inode == UInt64(status.st_ino) && size == Int64(status.st_size) && changed == FileFacts.changed(status)
    }

    /// Reads a file. Blocks.
    static func read(_ path: String) throws -> FileVersion { FileVersion(try FileFacts.read(path)) }

    /// - Returns: nil if there is no file.
    static func readIfPresent(_ path: String) throws -> FileVersion? {
        do { return try read(path) } catch OwnFileError.missing { return nil }
    }
}

extension OwnFileError {
    /// What the core has to know of it.
    var problem: LocalFileCore.Problem {
        switch self {
        case .missing: .missing
        case .changedMeanwhile, .setAside: .changing
        case .exists: .exists
        // Of the tools or the machine, and not of the file.
        case .unreadable(.toolMissing), .unreadable(.toolNotStarted), .unreadable(.noScratchFolder),
            .unreadable(.capped), .unreadable(.tooSlow), .unreadable(.notWritten):
            .failed(reason)
        case .unreadable, .notReadable, .notAFile: .unreadable(reason)
        default: .failed(reason)
        }
    }
}

import Annotations
import EngineCore
import Glibc
import PDFPages
import SyncProtocol

/// Why a file of its person cannot be opened or written. Each has a ``FileProblem`` for programs and a sentence for people.
enum OwnFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case missing
    case notAFile
    case otherOwner
    case folderNotWritable
    case readOnlyFileSystem
    case notWritable
    case diskFull
    case tooManyFiles
    /// A file would be larger than this process may write.
    case tooLarge
    /// What the file does not have yet cannot be kept.
    case notKept(PlaceProblem)
    /// The engine finds another file at the path than the process that asks.
    case otherFile
    /// The process that asks may read the file, and the engine may not.
    case notReadableHere
    case failed(Int32)
    case changedMeanwhile
    /// The file was replaced, but a power failure may undo that.
    case notSynced(Int32)
    /// The file was to be replaced, but it is not known whether it was, for this reason.
    case undecided(String)
    /// Another program replaced the file again and again. A version that was taken out has this name now.
    case setAside(String)
    case unreadable(PDFError)
    /// This user may not read it.
    case notReadable
    case certified
    case signed
    /// Only a write that makes the file anew would break its signature.
    case signedAnew
    case notOpen
    case exists
    /// It is asked for otherwise than privately while a private session has it open.
    case openPrivately
    /// It is asked for privately while it is open otherwise.
    case openOtherwise
    /// Either version of the conflict differs from the one the person saw, or the conflict is already resolved.
    case decidedUnseen
    /// It is asked for privately although this many changes are kept on disk.
    case keptOnDisk(Int)
    /// It is asked for privately, and this folder of the engine is not in memory.
    case notInMemory(String)
    /// The file is missing or cannot be read, and this copy of it is damaged.
    case copyDamaged(String)
    /// The path leads through a link of another account, which is not followed.
    case foreignLink(String)
    /// This database of the file is damaged, so its annotations cannot be told apart.
    case keptDamaged(String)
    /// For this reason.
    case other(String)

    init(_ problem: FilePlace.Problem) {
        self =
            switch problem {
            case .foreignLink(let link): .foreignLink(link)
            case .failed(let code): OwnFileError(errno: code)
            }
    }

    init(errno code: Int32) {
        self =
            switch code {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM: .folderNotWritable
            case EROFS: .readOnlyFileSystem
            case ENOSPC, EDQUOT: .diskFull
            case EMFILE, ENFILE: .tooManyFiles
            case EFBIG: .tooLarge
            default: .failed(code)
            }
    }

    init(_ error: PDFError) {
        self =
            switch error {
            case .certified: .certified
            case .signed: .signed
            case .cannotWrite(let code): OwnFileError(errno: code)
            default: .unreadable(error)
            }
    }

    var fileProblem: FileProblem {
        switch self {
        case .missing: .missing
        case .notAFile: .notAFile
        case .otherOwner: .otherOwner
        case .folderNotWritable, .readOnlyFileSystem, .notWritable: .readOnly
        case .diskFull: .diskFull
        case .failed, .tooManyFiles, .tooLarge, .notSynced, .undecided, .other: .failed
        case .notKept: .notKept
        case .otherFile: .otherFile
        case .notReadableHere: .notReadableHere
        case .changedMeanwhile, .setAside: .changed
        case .unreadable, .notReadable: .unreadable
        case .certified, .signed, .signedAnew: .signed
        case .notOpen: .notOpen
        case .exists: .exists
        case .openPrivately: .openPrivately
        case .openOtherwise, .keptOnDisk: .openOtherwise
        case .decidedUnseen: .decidedUnseen
        case .notInMemory: .notInMemory
        case .copyDamaged, .keptDamaged: .copyDamaged
        case .foreignLink: .foreignLink
        }
    }

    /// Whether the file is there, and cannot be read as it is.
    var isAboutReading: Bool {
        switch self {
        case .unreadable, .notReadable: true
        default: false
        }
    }

    /// What is wrong, as part of a sentence.
    var reason: String {
        switch self {
        case .missing: "the file is missing"
        case .notAFile: "not a regular file"
        case .otherOwner: "the file belongs to another user"
        case .folderNotWritable: "the folder is read-only"
        case .readOnlyFileSystem: "the folder is read-only, as its whole file system is"
        case .notWritable: "the file is read-only"
        case .diskFull: "the disk is full"
        case .tooManyFiles: "too many files are open in the engine (process \(getpid())) or on this machine"
        case .tooLarge:
            "the file would be larger than the engine (process \(getpid())) may write, which has that limit from the command "
                + "that started it (ulimit -f)"
        case .notKept(let problem): "changes cannot be kept: \(problem.sentence)"
        case .otherFile:
            "the engine (process \(getpid())) finds another file at this path, since it runs in another container or mount "
                + "namespace; nothing was changed; close the PDFs there, and try again in a minute"
        case .notReadableHere:
            "this command may read the file, and the engine (process \(getpid())) may not, since it was started with other "
                + "groups; close all windows with PDFs, and try again in a minute"
        case .failed(let code), .notSynced(let code): String(cString: strerror(code))
        case .undecided(let reason): reason
        case .changedMeanwhile, .setAside: "another program keeps writing the file"
        case .unreadable(let error): "\(error)"
        case .notReadable: "this user may not read the file"
        case .certified: "a signature of the PDF forbids changes to annotations"
        case .signed:
            "the PDF is signed and also encrypted or damaged, so a change would break its signature"
        case .signedAnew:
            "--compact writes the file anew, which would break its signature; without it, changes are appended"
        case .notOpen: "the file is not open in this engine"
        case .exists: "another file is already there"
        case .openPrivately: "it is open in a private session; close that window first"
        case .openOtherwise: "it is open in a window that is not private; close that window first"
        case .decidedUnseen: "the conflict has changed since it was shown; nothing was decided; look at it again"
        case .keptOnDisk(let count):
            "\(count) change\(count == 1 ? "" : "s") to it \(count == 1 ? "is" : "are") kept on disk, so it cannot be opened "
                + "privately; write or discard \(count == 1 ? "it" : "them") first"
        case .notInMemory(let folder):
            "--private needs memory, but the running engine keeps its data in \(folder), which is on a disk; close all "
                + "windows with PDFs, set XDG_RUNTIME_DIR to a folder of your own in memory, and try again in a minute"
        case .copyDamaged(let path):
            "the file cannot be read, and the copy that was kept of it is damaged (\(path)); put the file back"
        case .foreignLink(let link): FilePlace.Problem.foreignLink(link).reason
        case .keptDamaged(let path):
            "what is kept of the file is damaged (\(path)), so its annotations cannot be told apart; put back a copy of that "
                + "database, or give up what is kept with postilla storage remove --file"
        case .other(let reason): reason
        }
    }

    /// What became of the changes that were to be written, and what can be done; nil if the reason says it all.
    private var consequence: String? {
        switch self {
        case .missing: "write to another path, or put the file back"
        case .otherOwner: "it is not replaced; write to another path"
        case .folderNotWritable, .readOnlyFileSystem: "the file cannot be replaced there; write to another path"
        case .notWritable: "write to another path, or run chmod u+w"
        case .diskFull, .failed, .tooManyFiles, .tooLarge, .other: "the file is as it was, and the changes are kept"
        case .notSynced:
            "the file has the changes, but a power failure may take them back, so they are kept until the disk has them"
        case .undecided: "the file may have the changes already; they are kept, and the next write finds out"
        case .changedMeanwhile: "it is as that program left it, and the changes are kept"
        case .setAside(let name): "one of its versions is \(name) now, and the changes are kept"
        case .certified, .signed: "write to another path, where it will not be valid"
        case .signedAnew: "leave it out, or write to another path, where the signature will not be valid"
        case .exists: "it is not replaced"
        case .notReadable, .unreadable(.unreadable), .unreadable(.empty), .unreadable(.notPDF), .unreadable(.damaged):
            "write to another path, or put the file back"
        case .foreignLink: "name the file itself"
        case .notAFile, .unreadable, .notOpen, .notKept, .otherFile, .notReadableHere, .openPrivately, .openOtherwise,
            .decidedUnseen, .keptOnDisk, .notInMemory, .copyDamaged, .keptDamaged:
            nil
        }
    }

    /// For a write that was refused.
    var description: String {
        guard let consequence else { return reason }
        return (reason.ends(with: ".") ? String(reason.dropLast(scalars: 1)) : reason) + "; " + consequence
    }

    var answer: APIError {
        switch self {
        case .missing, .notOpen: APIError(.notFound, description)
        case .notKept(let problem) where [ENOSPC, EDQUOT].contains(problem.code):
            APIError(.storageFull, description, retryAfter: .seconds(5))
        case .notKept, .tooManyFiles, .failed, .other: APIError(.unavailable, description, retryAfter: .seconds(5))
        case .diskFull: APIError(.storageFull, description)
        case .exists: APIError(.alreadyExists, description)
        default: APIError(.invalid, description)
        }
    }
}

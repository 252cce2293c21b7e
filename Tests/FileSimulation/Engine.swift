import Annotations
import FileCore
import TestSupport

/// A process that serves the data folder: one core for each file, and the effects that wait to be performed.
final class Engine {
    let number: Int
    var lock = EngineLock()
    /// Whether it is an engine of an earlier version, which knows nothing of databases.
    let isEarlier: Bool
    let environment: Int
    var isServing = false
    var isEnded = false
    var lockFile: Int?
    var files: [Int: Served] = [:]

    final class Served {
        let place: Place
        var core: LocalFileCore
        var database: Database?
        var isKept = false
        /// The next one is performed first, unless it hangs.
        var effects: [LocalFileCore.Effect] = []
        /// What people wait for.
        var callers: [Int: Question] = [:]
        /// The questions whose edits are in the database.
        var stored: Set<Int> = []
        /// Processes of which the engine knows that they have ended.
        var gone: Set<FileUser> = []

        init(_ place: Place, _ core: LocalFileCore) { (self.place, self.core) = (place, core) }

        var isStoring: Bool { effects.contains { if case .store = $0 { true } else { false } } }
    }

    enum Question {
        case open(Window)
        case push(Window, [(id: String, old: Record?, new: Record?)])
        case write(Window)
        case revert
        case resolve(ByteOrdered, LocalFileCore.Choice, seen: LocalFileState.Sides)
        case share
    }

    init(_ number: Int, environment: Int, isEarlier: Bool) {
        (self.number, self.environment, self.isEarlier) = (number, environment, isEarlier)
    }
}

/// A window or a command: a process that has the file open.
final class Window {
    let user: FileUser
    let file: Int
    let isPrivate: Bool
    var isAlive = true
    var isOpen = false
    /// Whether it waits for an answer of this engine.
    var asked: Int?

    init(_ pid: Int32, _ file: Int, isPrivate: Bool) {
        user = FileUser(pid: pid, start: 1)
        (self.file, self.isPrivate) = (file, isPrivate)
    }

    var name: String { "window \(user.pid)" }
}

/// Another program with a view of the file of its own.
final class Program {
    let number: Int
    var loaded: Bytes?
    /// While it writes in place: the rest.
    var rest: Bytes?
    var inode: Inode?
    /// What the ledger will be told once the rest is written.
    var events: ([(Object.Value, Object.Value?)], [Object.Value]) = ([], [])

    init(_ number: Int) { self.number = number }

    var name: String { "program \(number)" }
}

/// A PDF, and everything that belongs to it.
final class Place {
    let number: Int
    let path: String
    let disk = Disk()
    let ledger = Ledger()
    var programs: [Program] = []
    /// Versions that a person may restore.
    var backups: [Bytes] = []
    /// What an engine of an earlier version keeps: the rows, by id, and the version of the file to which they belong.
    var earlier: (checksum: String, version: FileVersion, objects: [Object], rows: [ByteOrdered: LocalFileState.Row])?
    /// What an exchange has put aside before anybody read it.
    var displaced: Inode?
    /// The ids that notes had.
    var ids: [Int: String] = [:]
    /// What the layer has had, for people who undo.
    var past: [ByteOrdered: [Record]] = [:]
    /// When plans were made, by their numbers.
    var plans: [Int64: Int] = [:]
    /// Conflicts as a person saw them who has not decided yet.
    var cards: [ByteOrdered: LocalFileState.Sides] = [:]
    /// On how many days a conflict was counted down.
    var days: [ByteOrdered: Int] = [:]
    /// Names that programs give on each page.
    var names: Set<String> = []
    /// When the engine has looked at the file.
    var lookedAt = 0
    /// The file when the engine has decided to forget it.
    var atForgetting: String?

    init(_ number: Int) { (self.number, path) = (number, "/d\(number)/x.pdf") }

    static let file = "x.pdf"
    var inode: Inode? { disk[Self.file] }
    func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

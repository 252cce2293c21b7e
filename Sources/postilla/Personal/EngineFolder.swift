import Annotations
import DocumentEngine
import FoundationEssentials
import Glibc

/// The engine's folder in a data folder: what exists once for each data folder, however its path is spelled and whatever the
/// environment says. It holds the lock that makes an engine the only one, and tells clients where that engine is.
///
/// ```
/// DATA/engine/lock              held by the engine while it runs
/// DATA/engine/holder.json       its holder (EngineRecord)
/// DATA/engine/place.json        the name of its runtime folder (RuntimeName)
/// DATA/engine/signing-key.pem
/// DATA/engine/files/            changes that are not in the files yet
/// ```
struct EngineFolder: Hashable, Sendable {
    /// Absolute.
    let path: String
    /// The data folder, absolute, as the person spelled it.
    let dataFolder: String
    /// The state folder, absolute.
    let stateFolder: String

    init(_ folders: Folders) {
        self.init(dataFolder: OwnFileLink.absolute(folders.data), stateFolder: OwnFileLink.absolute(folders.state))
    }

    init(dataFolder: String, stateFolder: String) {
        (self.dataFolder, self.stateFolder) = (dataFolder, stateFolder)
        path = dataFolder + "/engine"
    }

    var log: String { stateFolder + "/engine.log" }
    var lock: String { path + "/lock" }
    var holder: String { path + "/holder.json" }
    var name: String { path + "/place.json" }
    /// What must survive a restart of the machine.
    var kept: String { path + "/files" }
    var key: String { path + "/signing-key.pem" }

    /// Why no engine can run on a data folder that this user may not write, or that is on a full disk.
    struct Unwritable: Error, Hashable, Sendable {
        var folder: String
        /// `errno`
        var code: CInt

        var failure: CommandFailure {
            let remedy = code == ENOSPC ? "free space, or use" : "use"
            return CommandFailure(
                "\(folder) cannot be written (\(String(cString: strerror(code)))), so no change could be kept; "
                    + "\(remedy) --data-dir or POSTILLA_DATA with a folder of your own")
        }
    }

    /// Checks what there is of the folder. Blocks.
    ///
    /// - Returns: whether it exists.
    /// - Throws: ``CommandFailure`` if another account could have written what is in it.
    func check() throws -> Bool {
        try Self.check(dataFolder, instead: "use --data-dir or POSTILLA_DATA with a folder of your own")
        guard OwnFolder.fault(path) != .missing else { return false }
        try OwnFolder.check(path)
        return true
    }

    /// Creates the folder, and that of the log. Blocks.
    ///
    /// - Throws: ``Unwritable``; ``CommandFailure`` with the reason and what to do.
    func make() throws {
        let exists = try check()
        if let problem = PlaceProblem.found(in: path), Self.obstacles.contains(problem.code) {
            throw Unwritable(folder: dataFolder, code: problem.code)
        }
        if !exists {
            try Folders.make(path)
            try OwnFolder.check(path)
        }
        if case .remote(let kind) = FileSystemKind(of: path) {
            throw CommandFailure(
                "\(path) is on a network file system (\(kind)), where locks and crashes are not safe; use --data-dir or POSTILLA_DATA with a local folder"
            )
        }
        try Folders.make(stateFolder)
        // Another account could make the log a link to any file.
        try Self.check(stateFolder, instead: "set XDG_STATE_HOME to a folder of your own")
    }

    /// Checks a folder in which another account could exchange what this program makes. A link to it is the person's own
    /// choice.
    ///
    /// - Parameter instead: what to do if it is another account's.
    private static func check(_ folder: String, instead: String) throws {
        var status = stat()
        guard stat(folder, &status) == 0 else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw CommandFailure("\(folder) belongs to another account; \(instead)")
        }
        guard status.st_mode & 0o002 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw CommandFailure("\(folder) is writable by everyone; run chmod o-w")
        }
    }

    /// Why no engine can start, although what the folder keeps can be read.
    private static let obstacles: Set<CInt> = [EACCES, EROFS, EPERM, ENOSPC]
}

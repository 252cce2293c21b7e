import Annotations
import DocumentEngine
import FoundationEssentials
import Glibc
import Instant

/// The folder of an engine for one command that only reads, where the data folder cannot be written. It has a data folder and
/// a runtime folder of its own, and the engine removes it when it ends.
struct ReadingFolder: Hashable, Sendable {
    static let prefix = "postilla-reading-"

    let path: String

    var dataFolder: String { path + "/data" }
    var runtime: String { path + "/run" }
    var engine: EngineFolder { EngineFolder(dataFolder: dataFolder, stateFolder: path) }

    init(path: String) { self.path = path }

    /// - Parameters:
    ///   - source: the folder that cannot be written. What it keeps of the file is shown, too.
    ///   - file: absolute.
    /// - Throws: ``CommandFailure`` if there is no place for it.
    init(of source: EngineFolder, for file: String) throws {
        var made: String?
        for parent in Self.parents where made == nil { made = Self.make(in: parent) }
        guard let path = made else {
            throw CommandFailure(
                "\(source.dataFolder) cannot be written, and there is no folder for temporary files; "
                    + "set XDG_RUNTIME_DIR or TMPDIR to a folder of your own")
        }
        self.path = path
        do {
            try Folders.make(engine.kept)
            try copy(source, file)
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    /// Where such folders are, the best place first.
    static var parents: [String] {
        let environment = ProcessInfo.processInfo.environment
        let chosen = environment["TMPDIR"].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        return [RuntimeFolders.memory(environment), chosen, "/tmp"].compactMap(\.self)
    }

    private static func make(in parent: String) -> String? {
        guard EnginePlace.fits("\(parent)/\(prefix)XXXXXX/run") else { return nil }
        if case .remote = FileSystemKind(of: parent) { return nil }
        var name = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        // Mode 0700.
        guard let made = mkdtemp(&name) else { return nil }
        return String(cString: made)
    }

    /// Copies what is kept of the file, unless an engine was killed while it wrote it: the next engine of that folder finds
    /// out what became of it.
    private func copy(_ source: EngineFolder, _ file: String) throws {
        guard try source.check() else { return }
        let real = FilePaths.resolved(file)
        let kept = KeptFiles(folder: source.kept)
        for found in kept.all().files where found.path.isExactly(real) && found.unwritten > 0 {
            guard !found.isBeingWritten else {
                let count = Wording.count(found.unwritten, "change")
                Output.warning("\(file.onOneLine): \(count) kept in \(source.dataFolder) not shown")
                continue
            }
            do { try kept.copy(found, to: engine.kept) } catch { throw CommandFailure("cannot read \(found.folder)") }
        }
    }

    /// Removes the folder of an engine that was killed. Blocks.
    static func removeIfLeft(_ path: String) {
        let folder = ReadingFolder(path: path)
        var status = stat()
        // A new one has no lock yet.
        guard OwnFolder.isPrivate(path), lstat(path, &status) == 0, time(nil) - status.st_mtim.tv_sec > 600,
            !FileLock.isHeld(folder.engine.lock)
        else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

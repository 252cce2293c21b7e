import DocumentEngine
import FoundationEssentials
import Glibc
import Instant

/// The runtime folders of this user, in memory or below the state folder.
struct RuntimeFolders: Sendable {
    /// Those that may contain runtime folders, the best one first; absolute.
    let parents: [String]

    /// - Parameter folder: whose state folder is the second choice.
    init(_ folder: EngineFolder, environment: [String: String] = ProcessInfo.processInfo.environment) {
        var parents = [folder.stateFolder + "/engine"]
        if let memory = Self.memory(environment) { parents.insert(memory + "/postilla", at: 0) }
        self.parents = parents
    }

    /// `$XDG_RUNTIME_DIR` if it is what it must be (XDG base directory specification).
    static func memory(_ environment: [String: String]) -> String? {
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.utf8.first == UInt8(ascii: "/"),
            OwnFolder.isPrivate(folder)
        else { return nil }
        return folder
    }

    /// The folders that this name gives, without those where no socket or lock can be. Blocks.
    func candidates(_ id: String) -> [RuntimeChoice] {
        parents.compactMap { parent in
            let path = "\(parent)/\(id)"
            guard EnginePlace.fits(path) else { return nil }
            switch FileSystemKind(of: path) {
            case .remote: return nil
            case .memory: return RuntimeChoice(path: path, isInMemory: true)
            case .disk: return RuntimeChoice(path: path, isInMemory: false)
            }
        }
    }

    /// Creates a runtime folder, which only this user can enter. Blocks.
    ///
    /// - Throws: ``CommandFailure``
    static func make(_ runtime: String) throws {
        let parent = String(runtime[..<(runtime.lastIndex(of: "/") ?? runtime.endIndex)])
        for folder in [parent, runtime] {
            try Folders.make(folder)
            try OwnFolder.check(folder)
        }
    }

    // MARK: Removing

    /// Whether clients have edits in their stores there that no engine has, or use one of them now. Blocks.
    static func hasUnsent(_ place: EnginePlace) -> Bool { !forget(in: place) { _ in true } }

    /// Removes the clients' stores. Blocks.
    ///
    /// - Parameter losses: what may be lost; nil for everything.
    /// - Returns: false if one stays, because it has unsent edits or is in use.
    @discardableResult
    static func forget(
        in place: EnginePlace, losing losses: LayerLosses? = .nothing, where isMeant: (_ document: String) -> Bool
    ) -> Bool {
        guard FileManager.default.fileExists(atPath: place.layers) else { return true }
        let url = URL(filePath: place.layers)
        guard let entries = try? InstantClient.listCacheEntries(in: url) else { return false }
        var isDone = true
        for entry in entries where isMeant(entry.documentIdentifier) {
            do throws(InstantError) {
                try InstantClient.remove(entry, in: url, losing: losses)
                UndoStore.removeAll(of: entry.identity, in: place.undo)
            } catch { isDone = false }
        }
        return isDone
    }

    /// Removes what is in a runtime folder that belongs to other contents of the data folder: its database would show them.
    /// Unsent edits of clients stay; the next engine gets them. Call it while holding the folder's lock. Blocks.
    ///
    /// - Returns: whether nothing is left that is of use.
    @discardableResult
    static func clear(_ place: EnginePlace) -> Bool {
        for path in [place.database, place.states] { try? FileManager.default.removeItem(atPath: path) }
        guard forget(in: place, where: { _ in true }) else { return false }
        for path in [place.layers, place.undo] { try? FileManager.default.removeItem(atPath: path) }
        return true
    }

    /// Removes the runtime folders of data folders that are gone or have another one by now, and what commands left that only
    /// read. Blocks.
    func removeOrphans() {
        for parent in parents where OwnFolder.isPrivate(parent) {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
                removeIfOrphaned("\(parent)/\(name)")
            }
        }
        for parent in ReadingFolder.parents {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            where name.utf8.starts(with: ReadingFolder.prefix.utf8) {
                ReadingFolder.removeIfLeft("\(parent)/\(name)")
            }
        }
    }

    private func removeIfOrphaned(_ runtime: String) {
        let place = EnginePlace(runtime: runtime)
        guard OwnFolder.isPrivate(runtime), let marker = RuntimeMarker.read(place.marker) else { return }
        func isUsed() -> Bool {
            let name = OwnFolder.isPrivate(marker.folder) ? try? RuntimeName.read(marker.folder + "/place.json") : nil
            return marker.isUsed(by: name, at: runtime)
        }
        guard !isUsed(), let lock = FileLock(path: place.lock) else { return }
        // An engine may just have taken it.
        if RuntimeMarker.read(place.marker) == marker, !isUsed(), Self.clear(place) {
            try? FileManager.default.removeItem(atPath: runtime)
        }
        withExtendedLifetime(lock) {}
    }
}

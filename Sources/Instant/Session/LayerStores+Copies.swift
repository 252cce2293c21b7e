import Authorization
import FoundationEssentials
import Glibc
import InstantCore

// Stores of the same layer under other addresses.
extension LayerStores {
    /// The copies under another spelling of this address.
    var spellings: [LayerCopy] { folders.copies(of: identity).filter(\.isSpelling) }

    /// Takes over the folder of an earlier program, which kept the layer under the address as it was typed: everything in
    /// it stays as it is. If this layer has a folder, or a program uses the other one, the edits move later.
    func adopt() {
        guard !LayerRepair.hasStore(Folders.database(in: main)) else { return }
        for copy in spellings {
            // The main store first: a program opens it before it makes a side store. Another process may be taking it over.
            guard let use = FileLock(path: Folders.use(in: copy.folder), milliseconds: Self.patience) else { continue }
            let stores = copy.stores
            let isFree = stores.dropLast().map { FileLock(path: Folders.use(in: $0)) }
            // A damaged one stays under its name until it is repaired.
            guard isFree.allSatisfy({ $0 != nil }), stores.allSatisfy(Self.isSound) else { continue }
            let repairs = stores.map {
                FileLock(path: LayerRepair.lock(besides: Folders.database(in: $0)), milliseconds: Self.patience)
            }
            guard repairs.allSatisfy({ $0 != nil }), (try? Folders.make(folders.user(of: identity))) != nil,
                // Fails if there is anything in the new place.
                rename(copy.folder, main) == 0
            else { continue }
            for folder in [main] + sides {
                let path = LayerLabel.path(besides: Folders.database(in: folder))
                guard var label = LayerLabel.read(path).label else { continue }
                label.identity = identity
                try? label.write(to: path)
            }
            return withExtendedLifetime((use, isFree, repairs)) {}
        }
    }

    private static func isSound(_ folder: String) -> Bool {
        guard let store = try? LocalSQLiteStore(lookingInto: Folders.database(in: folder)) else { return false }
        defer { store.close() }
        return (try? Layer(store: store).metadata()) != nil && store.damage.isEmpty
    }

    /// Moves the edits of a copy here, because the user said so. What it has of the server stays there.
    ///
    /// - Parameter grant: That of this process.
    /// - Returns: The number of edits.
    /// - Throws: ``InstantError``; nothing has moved if a program uses the copy, if it cannot be read, if it has another view,
    ///   or if it has the layer of another server.
    func take(_ copy: LayerCopy, into open: OpenStore, grant: Grant) throws(InstantError) -> Int {
        // The main store first: a program opens it before it makes a side store.
        var locks = [try hold(copy.folder, of: copy)]
        let stores = copy.stores
        for folder in stores where folder != copy.folder { locks.append(try hold(folder, of: copy)) }
        return try InstantError.translating {
            for folder in stores {
                let store = try LocalSQLiteStore(lookingInto: Folders.database(in: folder))
                defer { store.close() }
                try require(Layer(store: store), of: copy, fits: open.layer, grant)
                guard store.damage.isEmpty else {
                    throw LocalStoreError.corrupt(path: store.path, store.damage.map(\.description).shortList)
                }
            }
            var count = 0
            for folder in stores {
                count += try take(Leftover(folder: folder, copy: copy), into: open) { _ in true }
            }
            withExtendedLifetime(locks) {}
            return count
        }
    }

    private func hold(_ folder: String, of copy: LayerCopy) throws(InstantError) -> FileLock {
        if let use = FileLock(path: Folders.use(in: folder)) { return use }
        throw InstantError(
            .databaseAccessFailed, "another program has the copy of \(copy.server) open; close it there first")
    }

    private func require(_ theirs: Layer, of copy: LayerCopy, fits mine: Layer, _ grant: Grant) throws {
        guard try !theirs.outbox().isEmpty else { return }
        // The server gives each layer's data a random name, and another one after a backup was restored.
        guard let name = try mine.metadata().generation else {
            throw InstantError(.requestFailed, "\(identity.server) was not synced yet; sync first")
        }
        guard try theirs.metadata().generation.map({ $0.isExactly(name) }) ?? true else {
            throw InstantError(
                .invalidRequest,
                "\(copy.server) and \(identity.server) have different data: they are not the same server, or it was "
                    + "restored",
                recoverySuggestion: "Sync the copy of \(copy.server), or export its edits.")
        }
        guard try theirs.fits(grant) || theirs.isSendable(by: grant) else {
            throw InstantError(
                .accessDenied, "this token may not send the edits made under \(copy.server)",
                recoverySuggestion: "Use a token with the same permissions.")
        }
    }

    /// Receives a handover with the files that its edits need.
    func receive(_ handover: Handover, of theirs: Layer, from copy: LayerCopy, into mine: Layer) throws {
        var handover = handover
        let generations = (try theirs.metadata().generation, try mine.metadata().generation)
        if let one = generations.0, let other = generations.1, !one.isExactly(other) {
            // Their revisions mean nothing here: what the server has since wins, and the edit becomes a conflict.
            for index in handover.entries.indices where handover.entries[index].isPending {
                handover.entries[index].baseRevision = 0
            }
        }
        let (from, to) = (AttachmentFiles(layer: copy.folder), AttachmentFiles(layer: main))
        let needed = try theirs.attachmentsInUse()
        try to.withoutRemovals { [handover] () throws(InstantError) in
            for id in needed where from.holds(id) {
                guard let data = FileManager.default.contents(atPath: from.path(id)), AttachmentFiles.id(of: data) == id
                else { continue }
                _ = try to.add(data)
            }
            try InstantError.translating { _ = try mine.receive(handover) }
        }
    }
}

import Annotations
import EngineCore
import SyncProtocol

// Ending the use of files, and forgetting them.
extension OwnFiles {
    func close(_ file: OwnFile, by process: ProcessIdentity) async throws {
        file.leave(process)
        try await gate.pass {
            if file.isUsed { return try await noteOwners(of: file) }
            if file.state.isPrivate { return try await giveUp(file) }
            try await forgetIfDone(file)
        }
    }

    /// Forgets the files that no process has open and that have nothing to lose, and gives up those of private sessions
    /// that were killed.
    func tidy() async throws {
        for document in abandoned.withLock({ $0 }) {
            guard await options.forget(document, .lose) else { continue }
            _ = abandoned.withLock { $0.remove(document) }
        }
        guard !all.isEmpty else { return }
        try await gate.pass {
            for file in all where !file.isUsed {
                if !file.state.isPrivate {
                    try await forgetIfDone(file)
                } else if file.operations.running == 0 {
                    try await giveUp(file)
                }
            }
        }
    }

    private func forgetIfDone(_ file: OwnFile) async throws {
        guard !file.isUsed, isKnown(file) else { return }
        if try await hasDocument(file) { try await file.journal.pass { try await catchUp(file) } }
        guard !file.state.mustBeKept, await options.forget(file.key.document, .keep) else { return }
        try await file.journal.pass {
            // An edit that came since then stays.
            guard !file.state.mustBeKept,
                try await removeDocument(file.key.document, unlessChangedSince: file.state.revision)
            else { return }
            drop(file)
        }
    }

    // MARK: Private sessions

    /// Fails as ``open(_:isPrivate:by:)`` does if the file is open otherwise.
    func check(_ path: String, isPrivate: Bool, as sighting: Sighting = .unknown) async throws {
        try await gate.pass {
            guard !isPrivate || options.isInMemory else { throw OwnFileError.notInMemory(options.memoryFolder) }
            try await prepare()
            let real = try await engine.apart {
                let real = FileReplacement.resolved(path)
                _ = try sighting.opened(real)
                return real
            }
            if let known = all.first(where: { $0.state.path.isExactly(real) }) {
                _ = try await admits(known, privately: isPrivate)
            }
        }
    }

    /// Whether a known file can be opened so. One of a private session that is over is given up, and one with nothing to
    /// lose is forgotten before a private session gets it: neither has anything of the other.
    ///
    /// - Returns: false if the file is not known any more.
    /// - Throws: ``OwnFileError`` if it is open otherwise.
    func admits(_ file: OwnFile, privately isPrivate: Bool) async throws -> Bool {
        let isUsed = file.isUsed
        if file.state.isPrivate {
            guard isUsed else {
                try await giveUp(file)
                return false
            }
            guard isPrivate else { throw OwnFileError.openPrivately }
            return true
        }
        guard isPrivate else { return true }
        guard !isUsed else { throw OwnFileError.openOtherwise }
        try await forgetIfDone(file)
        guard !isKnown(file) else {
            throw file.state.unwritten > 0 ? OwnFileError.keptOnDisk(file.state.unwritten) : .openOtherwise
        }
        return false
    }

    /// Stores which processes have a private file open, so that a later engine gives it up with the last of them.
    func noteOwners(of file: OwnFile) async throws {
        guard file.state.isPrivate else { return }
        let owners = file.owners
        guard owners != file.state.owners else { return }
        try await change(file) { $0.owners = owners }
    }

    /// Gives up a file of a private session that is over, with everything that is not in it.
    private func giveUp(_ file: OwnFile) async throws {
        let document = file.key.document
        try await file.operations.pass {
            guard isKnown(file) else { return }
            // Nothing stays beside the file of a write that was interrupted.
            _ = try? await finishIntent(file)
            try? await engine.apart { FileReplacement.removeLeftovers(of: file.state) }
            if await !options.forget(document, .lose) { _ = abandoned.withLock { $0.insert(document) } }
            try await file.journal.pass {
                try await removeDocument(document)
                drop(file)
            }
        }
    }

    // MARK: Documents

    /// Removes a document with its layer. Its files stay.
    ///
    /// - Parameter revision: of the layer, as far as it is known; nil: whatever it has.
    /// - Returns: false if the layer has changed since. Nothing is removed then.
    @discardableResult
    func removeDocument(_ document: String, unlessChangedSince revision: Revision? = nil) async throws -> Bool {
        let now = engine.now()
        let removed = try await engine.writes.perform { store -> (base: Int64?, layers: [Int64])? in
            try store.lock(.document(document))
            let found = try store.intactLayers(of: document)
            if let revision, found.contains(where: { $0.head > revision }) { return nil }
            var base: Int64?
            do { base = try store.document(document)?.base } catch is DamagedRow {}
            let layers = found.map(\.id)
            try store.removeDocument(document, at: now)
            return (base, layers)
        }
        guard let removed else { return false }
        for layer in removed.layers { engine.end(layer, with: SessionEvent(.lost, reason: "the file was closed")) }
        await engine.remove(PendingRemovals(layers: removed.layers, bases: removed.base.map { [$0] } ?? []))
        return true
    }
}

import Annotations
import EngineCore
import FileCore
import FoundationEssentials
import Glibc
import PDFPages

// Taking over what an engine of an earlier version has left.
extension LocalFile {
    /// Makes requests that open the file wait until a state is taken over.
    func expect(_ state: EarlierState) { inner.withLock { $0.expected[state.checksum] = state } }

    /// Hands a state to the core, and waits until it is stored and removed. If what it needs cannot be copied, it stays for
    /// the next engine.
    func takeOver(_ state: EarlierState) async {
        try? await takingOver.pass { await handOver(state) }
        change { $0.expected[state.checksum] = nil }
    }

    private func handOver(_ state: EarlierState) async {
        // It would go with the memory of a private session.
        guard !self.state.isPrivate else { return }
        let (records, contents, revisions) = await records(of: state)
        let (left, brought) = await work.apart { () -> (Left, [(id: AttachmentID, bytes: Int64)]?) in
            for path in [state.path, state.copying].compactMap({ $0 }) { EarlierStates.removeLeftovers(of: path) }
            guard let brought = self.bring(state) else { return (Left(), nil) }
            return (self.left(by: state), brought)
        }
        guard let brought else { return }
        let attachments = brought.map {
            StoredAttachment($0.id, document: document, bytes: $0.bytes, at: setup.engine.now())
        }
        work.matching.setFrames(contents?.frames ?? [])
        let synced =
            (try? await setup.engine.apart { [store] () -> [ByteOrdered: LocalFileState.Row] in
                guard store.database != nil else { return [:] }
                return try store.read { try FileTables($0).rows(state.rows.keys) }
            }) ?? [:]
        var version = state.version
        version.isRead = records != nil
        var versions = state.earlier
        versions.add(revisions)
        let found = LocalFileCore.EarlierState(
            checksum: state.checksum, version: version, earlier: versions, sharesIDs: state.sharesIDs,
            rows: state.rows, conflicts: state.conflicts, lost: state.lost, intent: left.intent, hidden: left.hidden,
            records: records, synced: synced)
        inner.withLock { [version] inner in
            inner.earlier[state.checksum] = Earlier(state: state, attachments: attachments)
            inner.read = Read(version: version, contents: Self.contents(contents, of: state.path))
        }
        send(.foundEarlier(found))
        await wait { inner in
            guard inner.core.isQuiet, !inner.isGone else { return inner.isGone }
            return inner.earlier[state.checksum] == nil || !inner.core.state.tookOver.isExactly(state.checksum)
        }
    }

    /// The records of that version of the file, and the versions within it, from the file or from the copy that was kept of
    /// it.
    private func records(
        of state: EarlierState
    ) async -> ([Record]?, FileWork.Contents?, revisions: [FileVersion.Contents]) {
        let copies = KeptCopy(data: state.folder, runtime: state.folder)
        let sources = [state.path, copies.path(of: state.version.contents), state.intent?.exchanged]
        for source in sources.compactMap({ $0 }) {
            guard let found = try? await work.records(of: source, isPrivate: false),
                found.version.hasBytes(of: state.version)
            else { continue }
            let revisions = await work.apart { (try? FileBeginnings.revisions(of: source)) ?? [] }
            return (found.records, found.contents, revisions)
        }
        return (nil, nil, [])
    }

    /// What a write has left that an engine of an earlier version has begun.
    private struct Left: Sendable {
        /// nil if neither file has what was to be written.
        var intent: LocalFileState.Intent?
        /// The path of the file beside the PDF, under the name that this version gives it.
        var hidden: String?
    }

    /// Finds out what a write has left. Another program's work is not hidden any more then. Blocks.
    private func left(by state: EarlierState) -> Left {
        guard let old = state.intent else { return Left() }
        let number = self.state.writes + 1
        let hidden = HiddenFile.path(beside: state.path, database: document, number: number)
        show(old.exchanged, besides: old, of: state)
        _ = PrivateFiles.rename(old.exchanged, toFree: hidden)
        let versions = [state.path, hidden].map { try? FileVersion.read($0) }
        guard let written = versions.compactMap({ $0 }).first(where: { $0.sha256.isExactly(old.sha256) }) else {
            return Left(hidden: versions[1].map { _ in hidden })
        }
        return Left(
            intent: LocalFileState.Intent(
                number: number, version: written, hidden: hidden, keepsIDs: old.keepsIDs, rows: old.rows),
            hidden: hidden)
    }

    /// Puts a file that came out of an exchange, and is the work of another program, where people see it: back in its place,
    /// unless a newer one is there. Blocks.
    private func show(_ beside: String, besides intent: EarlierState.Intent, of state: EarlierState) {
        func isOther(_ file: FileVersion) -> Bool {
            !file.sha256.isExactly(intent.sha256) && !file.hasBytes(of: state.version)
        }
        guard let found = try? FileVersion.read(beside), isOther(found),
            !PrivateFiles.rename(beside, toFree: state.path)
        else { return }
        if let file = try? FileVersion.read(state.path), file.sha256.isExactly(intent.sha256),
            PrivateFiles.exchange(beside, state.path)
        {
            guard let found = try? FileVersion.read(beside), isOther(found) else { return }
        }
        // It can no longer be told which of the two is newer.
        let (stem, end) = Self.parts(of: state.path)
        for number in 1...999 {
            if PrivateFiles.rename(beside, toFree: "\(stem).other-\(number)\(end)") { return }
            guard errno == EEXIST else { return }
        }
    }

    /// Divides a path before the last dot of its name.
    private static func parts(of path: String) -> (stem: String, end: String) {
        let name = String(path.split(scalar: "/").last ?? "")
        let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        let end = String(name[dot...])
        // Leaves room for the number: a name may have 255 bytes.
        let folder = path.dropping(suffix: name).map { String($0) } ?? ""
        return (folder + String(name[..<dot].prefix(bytes: max(0, 240 - end.utf8.count))), end)
    }

    /// Copies the attachments of a state, and its copy of the PDF, to where they belong now. Blocks.
    ///
    /// - Returns: nil if the disk cannot have them.
    private func bring(_ state: EarlierState) -> [(id: AttachmentID, bytes: Int64)]? {
        let folder = setup.folders.folder(of: document, in: .data)
        var brought: [(AttachmentID, Int64)] = []
        do {
            try PrivateFiles.make(folder: folder)
            if let copy = KeptCopy(data: state.folder, runtime: state.folder).path(of: state.version.contents),
                !state.folder.isExactly(folder)
            {
                try copies.bring(copy, of: state.version.contents)
            }
            for id in state.attachments.sorted() {
                let path = "\(state.folder)/\(id.hex)"
                guard let file = try? OpenFile(path), try file.hash(upTo: .max).hex.isExactly(id.hex) else {
                    inner.withLock { $0.noteDamage(of: path) }
                    continue
                }
                try PrivateFiles.make(folder: FileBlobs.folder(in: folder))
                try FileBlobs.copy(path, to: folder, as: id)
                brought.append((id, Int64(file.status.st_size)))
            }
            if !brought.isEmpty { try PrivateFiles.sync(folder: FileBlobs.folder(in: folder)) }
            try PrivateFiles.sync(folder: folder)
        } catch {
            setup.logger.error("what an earlier version has kept was not copied: \(error)")
            return nil
        }
        return brought
    }

    /// Removes a state that is in the database now.
    func removeEarlier(_ checksum: String) async {
        guard let state = inner.withLock({ $0.earlier[checksum]?.state }) else { return }
        _ = try? await writer.perform { [self] in
            let brought = Set(inner.withLock { $0.earlier[checksum]?.attachments.map(\.id) ?? [] })
            // The database says that it was taken over, should its folder be found again.
            unlink("\(state.folder)/\(EarlierState.name)")
            // What is damaged is named to people, and stays.
            let left = state.attachments.subtracting(brought)
            guard left.isEmpty, !state.folder.isExactly(setup.folders.folder(of: document, in: .data)) else {
                for name in (try? FileManager.default.contentsOfDirectory(atPath: state.folder)) ?? [] {
                    if let id = AttachmentID(name), !left.contains(id) { unlink("\(state.folder)/\(name)") }
                }
                return
            }
            try? FileManager.default.removeItem(atPath: state.folder)
        }
        change { $0.earlier[checksum] = nil }
    }
}

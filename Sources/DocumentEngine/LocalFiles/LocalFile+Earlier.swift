import Annotations
import EngineCore
import FileCore
import FoundationEssentials
import Glibc
import PDFPages

// Taking over what an engine of an earlier version has left.
extension LocalFile {
    /// Hands a state to the core, and waits until it is stored. If what it needs cannot be copied, it stays for the next
    /// engine.
    func takeOver(_ state: EarlierState) async {
        let (records, contents) = await records(of: state)
        let (intent, brought) = await work.apart {
            for path in [state.path, state.copying].compactMap({ $0 }) { EarlierStates.removeLeftovers(of: path) }
            return (self.intent(of: state), self.bring(state))
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
        let found = LocalFileCore.EarlierState(
            checksum: state.checksum, version: state.version, earlier: state.earlier, sharesIDs: state.sharesIDs,
            rows: state.rows, conflicts: state.conflicts, lost: state.lost, intent: intent, records: records,
            synced: synced)
        inner.withLock { inner in
            inner.earlier[state.checksum] = state
            inner.read = Read(
                version: state.version, contents: Self.contents(contents, of: state.path), attachments: attachments)
        }
        send(.foundEarlier(found))
        await wait { $0.core.isQuiet || $0.isGone }
    }

    /// The records of that version of the file, from the file or from the copy that was kept of it.
    private func records(of state: EarlierState) async -> ([Record]?, FileWork.Contents?) {
        let copies = KeptCopy(data: state.folder, runtime: state.folder)
        let sources = [state.path] + (copies.path(of: state.version.contents).map { [$0] } ?? [])
        for source in sources {
            guard let found = try? await work.records(of: source, isPrivate: false),
                found.version.hasBytes(of: state.version)
            else { continue }
            return (found.records, found.contents)
        }
        return (nil, nil)
    }

    /// A write that may have happened, with its file under the name that this version gives it. Blocks.
    ///
    /// - Returns: nil if neither file has what was to be written.
    private func intent(of state: EarlierState) -> LocalFileState.Intent? {
        guard let old = state.intent else { return nil }
        let hidden = HiddenFile.path(beside: state.path, database: document, number: 1)
        _ = PrivateFiles.rename(old.exchanged, toFree: hidden)
        let written = [state.path, hidden].compactMap { try? FileVersion.read($0) }
            .first { $0.sha256.isExactly(old.sha256) }
        return written.map {
            LocalFileState.Intent(
                number: 1, version: $0, hidden: hidden, keepsIDs: old.keepsIDs, rows: old.rows)
        }
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
                let target = "\(folder)/\(copy.split(scalar: "/").last ?? "")"
                if access(target, F_OK) != 0 { try PrivateFiles.copy(file: copy, to: target) }
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
        } catch {
            setup.logger.error("what an earlier version has kept was not copied: \(error)")
            return nil
        }
        return brought
    }

    /// Removes a state that is in the database now.
    func removeEarlier(_ checksum: String) async {
        guard let state = inner.withLock({ $0.earlier.removeValue(forKey: checksum) }) else { return }
        _ = try? await writer.perform { [self] in
            // The database says that it was taken over, should its folder be found again.
            unlink("\(state.folder)/\(EarlierState.name)")
            if state.folder.isExactly(setup.folders.folder(of: document, in: .data)) {
                for id in state.attachments { unlink("\(state.folder)/\(id.hex)") }
            } else {
                try? FileManager.default.removeItem(atPath: state.folder)
            }
        }
    }
}

import Annotations
import EngineCore
import Glibc
import PDFPages
import SyncProtocol

// Reading a file anew, and merging what changed in it.
extension OwnFiles {
    /// What a merge did, for people.
    struct Merged: Hashable, Sendable {
        /// Records that another program created, changed or deleted.
        var added = 0
        var changed = 0
        var deleted = 0
        var conflicts = 0
        /// Records whose words are not in the file's new text.
        var lostMarks = 0
        /// Whether the file is not a continuation of the old one, so that its pages may be others.
        var hasNewPages = false

        var changes: Int { added + changed + deleted }
    }

    /// Whether the file is another one than was last read or written.
    func hasChanged(_ file: OwnFile) async throws -> Bool {
        let state = file.state
        return try await engine.apart {
            var status = stat()
            guard stat(state.path, &status) == 0 else {
                throw errno == ENOENT ? OwnFileError.missing : OwnFileError(errno: errno)
            }
            return !state.facts.isSame(as: status)
        }
    }

    /// Reads the file anew if another program has changed it, and merges it with the layer. Call it as an operation.
    ///
    /// - Throws: ``OwnFileError`` if the file is missing or cannot be read.
    @discardableResult
    func rebaseIfChanged(_ file: OwnFile) async throws -> Merged? {
        for _ in 0..<3 {
            guard try await hasChanged(file) else { return nil }
            let path = file.state.path
            try await engine.apart { OpenFile.waitWhileWritten(path) }
            let facts = try await engine.apart { try FileFacts.read(path) }
            guard facts.sha256 != file.state.facts.sha256 else {
                try await change(file) { $0.facts = facts }
                return nil
            }
            var contents = try await contents(path, isPrivate: file.state.isPrivate)
            let continues = try await engine.apart { [old = file.state.facts] in try old.isBeginning(of: path) }
            if !continues { contents.reanchoring = try await reanchoring(of: file, onto: contents) }
            // What was read must be what was hashed.
            let after = try await engine.apart { try FileFacts.read(path) }
            guard after == facts else { continue }
            return try await rebase(file, onto: contents, facts, continues: continues)
        }
        throw OwnFileError.changedMeanwhile
    }

    /// The pages as the layer knows them.
    private func frames(of file: OwnFile) async throws -> [PageFrame] {
        try await engine.read { [key = file.key] store in
            try BackendAPI.document(key.document, in: store).pages.map(\.frame)
        }
    }

    /// Compares the text that the file had with the one that it has.
    private func reanchoring(of file: OwnFile, onto contents: Contents) async throws -> Reanchoring? {
        let frames = try await frames(of: file)
        while true {
            let state = file.state
            guard state.needsBase, baseCopy(of: state) != nil else { return nil }
            let copy: String
            do {
                guard let found = try await intactBase(of: state) else { continue }
                copy = found
            } catch OwnFileError.copyDamaged(let path) {
                noteDamage(of: path, of: file)
                return .unknown
            }
            let size = max(state.facts.size, try await engine.apart { try Int64(OpenFile(state.path).status.st_size) })
            let tools = tools(for: size, isPrivate: state.isPrivate)
            do {
                return try await intake.work.perform(on: size) {
                    async let old = tools.text(of: copy, on: frames)
                    let new = try await tools.text(of: state.path, on: contents.base.frames)
                    return Reanchoring(from: try await old, to: new)
                }
            } catch let error as PDFError {
                // An edit may have moved the copy to another folder meanwhile.
                guard baseCopy(of: file.state) == copy else { continue }
                logger.notice("the words of a changed file cannot be compared", metadata: ["problem": "\(error)"])
                return .unknown
            }
        }
    }

    private func rebase(
        _ file: OwnFile, onto contents: Contents, _ facts: FileFacts, continues: Bool
    ) async throws -> Merged {
        let before = file.state
        let frames = try await frames(of: file)
        // If the text has moved since the earlier version, its marks cannot be compared by place.
        let hasSamePages = contents.reanchoring == nil && contents.base.frames == frames
        var ancestor: BaseAnnotations?
        if continues || hasSamePages {
            // The last version may be a file that was read halfway. The program that wrote it has seen the longer one.
            ancestor = try await self.ancestor(
                of: before.path, in: before, longerThan: continues ? before.facts.size : nil)
        }
        let revisions = try await engine.apart { (try? EarlierVersions.revisions(of: before.path)) ?? [] }
        return try await file.journal.pass {
            // An edit may come between reading the layer and writing the merge into it.
            while true {
                guard let moment = try await momentInJournal(of: file) else { continue }
                var state = moment.state
                let versions = moment.versions
                let sharesIDs = state.sharesIDs && (continues || ancestor != nil)
                let records = contents.base.records + contents.base.values
                let merge =
                    if let ancestor {
                        FileMerge(
                            ancestor: ancestor.records + ancestor.values, base: versions.base, mine: versions.mine,
                            file: records, state: state, pages: contents.base.frames)
                    } else {
                        FileMerge(
                            base: versions.base, mine: versions.mine, file: records, state: state,
                            sharesIDs: sharesIDs, pages: contents.base.frames, reanchoring: contents.reanchoring)
                    }
                guard let head = try await apply(merge, to: file, at: versions.revision, contents) else { continue }
                state.revision = head
                state.earlier.add(state.facts)
                state.earlier.add(revisions)
                state.facts = facts
                state.sharesIDs = sharesIDs
                state.rows = merge.rows
                state.conflicts = merge.conflicts
                state.intent = nil
                let newlyLost = merge.lost.count { state.lost[$0.key] == nil }
                if ancestor == nil { state.lost = merge.lost }
                state.hasMarks = contents.hasMarks
                try await save(state)
                file.set(state)
                let known = Set(versions.mine.map { ByteOrdered($0.id) })
                let added = merge.puts.count { !known.contains(ByteOrdered($0.id)) }
                let merged = Merged(
                    added: added, changed: merge.puts.count - added, deleted: merge.removals.count,
                    conflicts: merge.conflicts.count, lostMarks: newlyLost,
                    hasNewPages: !continues && ancestor == nil)
                file.news.withLock { news in
                    news.merges += 1
                    news.merged = merged
                    // Pages with the same words may still look different.
                    if !continues { news.pagesSince = facts.version }
                }
                return merged
            }
        }
    }

    /// Writes a merge into the layer.
    ///
    /// - Parameter contents: the file's pages, if they may have changed.
    /// - Returns: the layer's new revision; nil if it has changed since this revision.
    private func apply(
        _ merge: FileMerge, to file: OwnFile, at revision: Revision, _ contents: Contents? = nil
    ) async throws -> Revision? {
        let (key, now) = (file.key, engine.now())
        let pages = contents?.base.frames.map { ServerDocument.Page($0) }
        let (puts, removals) = (merge.puts, merge.removals)
        let commit = try await engine.writes.perform(on: key) { store -> Commit? in
            var document = try BackendAPI.document(key.document, in: store)
            if let pages, document.pages != pages {
                document.pages = pages
                try store.put(document)
            }
            var random = SystemRandomNumberGenerator()
            let layer = try store.layer(key) ?? Layers.make(key, in: store, using: &random)
            guard layer.head == revision else { return nil }
            var writer = LayerWriter(layer, in: store, now: now)
            for record in puts { try Self.put(record, &writer) }
            let gone = try removals.compactMap { try store.record($0, in: layer) }.filter(\.isLive)
            if !gone.isEmpty { _ = try writer.remove(gone, by: nil, client: nil) }
            return writer.commit
        } committed: { [engine] commit in
            if let commit, !commit.isEmpty { engine.publish(commit) }
        }
        return commit?.layer.head
    }

    /// Writes a record as the file has it, also one that no client could write.
    private static func put(_ record: Record, _ writer: inout LayerWriter) throws {
        let old = try writer.store.record(record.id, in: writer.layer)
        var record = record
        if let old, old.isLive {
            record.createdBy = old.record.createdBy
            record.group = old.record.group
        }
        try writer.write(
            record, contentType: record.contentType, rootID: record.content["rootId"]?.string,
            isCommentThreadRoot: old?.isCommentThreadRoot ?? false, over: old, client: nil)
    }

    // MARK: After a restart

    /// Takes in a file anew whose document was lost with the memory it was in, and puts what was kept of it on top.
    func restore(_ file: OwnFile) async throws {
        // An edit of a window that was open before waits until the state is that of the new layer.
        try await file.journal.pass { try await restoreInJournal(file) }
    }

    private func restoreInJournal(_ file: OwnFile) async throws {
        let state = file.state
        // A missing file is read from the copy that was kept of it. So is one that has changed since, so that the change is
        // merged like any other.
        var path = state.path
        let present = try? await engine.apart { [path] in try FileFacts.read(path) }
        if present?.sha256 != state.facts.sha256 {
            do { path = try await intactBase(of: state) ?? path } catch OwnFileError.copyDamaged(let copy) {
                noteDamage(of: copy, of: file)
                guard present != nil else { throw OwnFileError.copyDamaged(copy) }
            }
        }
        let facts = try await engine.apart { [path] in try FileFacts.read(path) }
        let contents = try await contents(path, isPrivate: state.isPrivate)
        let isSame = facts.sha256 == state.facts.sha256
        let sharesIDs: Bool =
            if state.sharesIDs {
                try await engine.apart { [path] in try state.facts.isBeginning(of: path) }
            } else { false }
        let touched = state.rows.values.compactMap(\.base)
        let known = Dictionary(touched.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        // As the file has them now, under the ids that the kept rows have.
        let found = FileMerge.named(
            contents.base.records + contents.base.values, like: touched, sharesIDs: sharesIDs, contents.base.frames)
        var base = found
        if isSame { base = found.map { known[ByteOrdered($0.id)] ?? $0 } }
        if try await hasDocument(file) { try await removeDocument(state.document) }
        try await store(contents, base, state)
        for id in state.attachments { try await restoreAttachment(id, of: file) }

        let untouched = base.filter { state.rows[ByteOrdered($0.id)] == nil }
        let merge = FileMerge(
            base: untouched + touched, mine: untouched + state.rows.values.compactMap(\.mine), theirs: base,
            present: base, state: state)
        while true {
            let head = try await engine.read { [key = file.key] in try $0.layer(key)?.head ?? 0 }
            if try await apply(merge, to: file, at: head, contents) != nil { break }
        }
        var new = state
        // What windows have sent to the new layer meanwhile counts, too.
        new.revision = 0
        new.facts = facts
        new.sharesIDs = sharesIDs
        new.rows = merge.rows
        new.conflicts = merge.conflicts
        // Finished later if the write has happened.
        if !isSame, state.intent?.sha256 != facts.sha256 { new.intent = nil }
        try await save(new)
        file.set(new)
        try await catchUp(file)
    }

    private func noteDamage(of path: String, of file: OwnFile) {
        logger.error("\(path) is damaged")
        let found = DamagedOwnFile(path: path, problem: "it is damaged", pdf: file.state.path, wasRead: true)
        file.news.withLock { if !$0.damaged.contains(found) { $0.damaged.append(found) } }
    }

    private func restoreAttachment(_ id: AttachmentID, of file: OwnFile) async throws {
        let document = file.key.document
        let path = registry.attachment(id, of: document)
        let blobs = intake.attachments.blobs
        let received = try await engine.apart { () -> Upload.CompletedFile? in
            guard let file = try? FileBlob(path: path) else { return nil }
            let upload = try blobs.receive()
            while upload.bytes < file.length { try upload.write(try file.read(at: upload.bytes, 1 << 20)) }
            return try upload.finish()
        }
        guard let received, received.sha256 == id.hex else { return noteDamage(of: path, of: file) }
        try await intake.attachments.keep(received, of: document)
    }

    /// Finds out whether a write that was begun has happened, and records it. Only the file's hash tells.
    ///
    /// - Returns: whether it has.
    /// - Throws: ``OwnFileError`` if that cannot be told now: the intent stays, and with it what was to be written.
    @discardableResult
    func finishIntent(_ file: OwnFile) async throws -> Bool {
        guard let intent = file.state.intent else { return false }
        let (path, known) = (file.state.path, file.state.facts.sha256)
        var facts: FileFacts?
        do {
            facts = try await engine.apart {
                try FileReplacement.finish(path, writing: intent.sha256, over: known, exchanged: intent.exchanged)
            }
        } catch OwnFileError.setAside(let name) {
            try await change(file) { $0.intent = nil }
            logger.notice("a version of a file by another program was set aside", metadata: ["name": "\(name)"])
            throw OwnFileError.setAside(name)
        } catch let error as OwnFileError { throw OwnFileError.undecided(error.reason) }
        let isWritten = facts?.sha256 == intent.sha256
        try await change(file) { [facts] state in
            state.intent = nil
            if isWritten, let facts { state.wrote(intent, as: facts) }
        }
        return isWritten
    }

    // MARK: Choices of the person

    /// Gives up everything that is not in the file.
    ///
    /// - Parameter toleratingMissing: whether to do so also if the file cannot be read.
    /// - Returns: the number of records that were given up.
    func revert(_ file: OwnFile, toleratingMissing: Bool = false) async throws -> Int {
        try await file.operations.pass {
            do {
                try await finishIntent(file)
                try await rebaseIfChanged(file)
            } catch is OwnFileError where toleratingMissing {}
            return try await file.journal.pass {
                while true {
                    try await catchUp(file)
                    var state = file.state
                    let given = state.unwritten
                    var merge = FileMerge()
                    for (id, row) in state.rows where !row.isWritten || state.conflicts[id] != nil {
                        merge.choose(row.base, for: id.text)
                        state.rows[id]?.mine = row.base
                    }
                    state.conflicts = [:]
                    guard try await commit(merge, to: file, &state) else { continue }
                    return given
                }
            }
        }
    }

    enum Choice: String, Sendable {
        /// The version of the layer as it was when the file changed, or as it was edited since.
        case mine
        case theirs
        /// What the layer has now.
        case layer
    }

    /// Ends a conflict.
    func resolve(_ file: OwnFile, _ id: Record.ID, _ choice: Choice) async throws {
        try await file.journal.pass {
            while true {
                try await catchUp(file)
                var state = file.state
                guard let conflict = state.conflicts[ByteOrdered(id)] else { return }
                var merge = FileMerge()
                let row = state.rows[ByteOrdered(id)]
                if choice == .theirs {
                    merge.choose(conflict.theirs, for: id)
                    // The file may have lost that version since.
                    let base = row.map(\.base) ?? conflict.theirs
                    state.rows[ByteOrdered(id)] = OwnFileState.Row(base: base, mine: conflict.theirs)
                } else if choice == .mine, conflict.mine == nil, row?.mine != nil {
                    merge.choose(nil, for: id)
                    state.rows[ByteOrdered(id)]?.mine = nil
                }
                state.conflicts[ByteOrdered(id)] = nil
                guard try await commit(merge, to: file, &state) else { continue }
                return
            }
        }
    }

    private func commit(_ merge: FileMerge, to file: OwnFile, _ state: inout OwnFileState) async throws -> Bool {
        if !merge.isEmpty {
            guard let head = try await apply(merge, to: file, at: state.revision) else { return false }
            state.revision = head
        }
        try await save(state)
        file.set(state)
        return true
    }
}

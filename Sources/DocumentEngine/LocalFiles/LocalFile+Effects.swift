import Annotations
import EngineCore
import FileCore
import FoundationEssentials
import Glibc
import Interchange
import PDFPages
import SyncProtocol
import Synchronization

// Performing what the core decides.
extension LocalFile {
    /// - Parameter path: of the PDF.
    /// - Returns: what came of it; nil: the core does not ask, or knows it already.
    func perform(_ effect: LocalFileCore.Effect, at path: String) async -> LocalFileCore.Input? {
        switch effect {
        case .look(let ticket, let known):
            let looked = await work.look(at: path, known: known, lookContext)
            note(looked, path)
            return .looked(ticket, looked.look, beside: looked.beside)
        case .store(let ticket, let changes, let place):
            await store(ticket, changes, in: place, of: path)
            return nil
        case .prepare(let ticket, let plan):
            let made = await making(plan) { await work.prepare(plan, at: path, bases: $0, order, writeContext) }
            return .prepared(ticket, made.prepared)
        case .copy(let ticket, let plan, let target, let isForced):
            let made = await making(plan) {
                await work.copy(plan, of: path, to: target, isForced: isForced, bases: $0, order, writeContext)
            }
            return .copied(ticket, made.prepared)
        case .exchange(let ticket, let intent, let expected):
            let (exchange, error) = await work.exchange(intent, replacing: expected, at: path)
            if case .unclear(let problem) = exchange { remember(error, for: problem) }
            if case .done = exchange { inner.withLock { $0.disk.isMissing = false } }
            return .exchanged(ticket, exchange)
        case .putBack(let ticket, let intent):
            let (exchange, error) = await work.putBack(intent, at: path)
            if case .unclear(let problem) = exchange { remember(error, for: problem) }
            return .exchanged(ticket, exchange)
        case .inspect(let ticket, let intent):
            let (found, error) = await work.inspect(intent, at: path)
            if case .failed(let problem) = found, let error { rememberUndecided(error, for: problem) }
            return .inspected(ticket, found)
        case .remove(let ticket, let paths): return .removed(ticket, isGone: await work.remove(paths))
        case .forget(let ticket):
            await forget(ticket)
            return nil
        case .removeEarlier(let checksum):
            await removeEarlier(checksum)
            return nil
        case .publish, .answer: return nil
        }
    }

    private func remember(_ error: OwnFileError?, for problem: LocalFileCore.Problem) {
        inner.withLock { $0.remember(error, for: problem) }
    }

    /// Remembers why it is not known what has become of a write, unless more is known of it.
    private func rememberUndecided(_ error: OwnFileError, for problem: LocalFileCore.Problem) {
        inner.withLock { inner in
            if case .notSynced = inner.errors[problem] { return }
            inner.remember(.undecided(error.reason), for: problem)
        }
    }

    // MARK: Looking

    private var lookContext: FileWork.LookContext {
        inner.withLock { inner in
            let state = inner.core.state
            return FileWork.LookContext(
                isPrivate: state.isPrivate, copies: copies, frames: inner.frames,
                hasMarks: inner.hasMarks || state.mustBeKept || state.rows.contains { $0.value.local != nil },
                synced: { [store] in try Self.synced(store) })
        }
    }

    /// - Throws: ``OwnFileError/keptDamaged(_:)``: what is missing would be taken for news.
    private static func synced(_ store: FileStore) throws -> [ByteOrdered: LocalFileState.Row] {
        guard let database = store.database else { return [:] }
        let rows = try store.read { try FileTables($0).writtenRows() }
        guard database.damagedRows == 0 else { throw OwnFileError.keptDamaged(database.path) }
        return rows
    }

    private func note(_ looked: FileWork.Looked, _ path: String) {
        inner.withLock { inner in
            inner.disk.isMissing = false
            if case .failed(let problem) = looked.look {
                inner.remember(looked.error, for: problem)
                inner.disk.isMissing = problem == .missing
            }
            if let copy = looked.damagedCopy { inner.noteDamage(of: copy) }
            guard case .read(let reading) = looked.look, let contents = looked.contents else {
                return work.matching.setFrames(inner.frames)
            }
            var isOther = true
            if case .continues = reading.origin { isOther = false }
            inner.read = Read(
                version: reading.version, contents: Self.contents(contents, of: path),
                hasNewPages: looked.newPages, isOther: isOther)
        }
    }

    static func contents(_ contents: FileWork.Contents?, of path: String) -> FileTransaction.Contents {
        let name = path.split(scalar: "/").last.map(String.init) ?? "PDF"
        let title = contents?.title.flatMap { $0.isEmpty ? nil : $0 } ?? name
        return FileTransaction.Contents(
            title: title.asTitle, frames: contents?.frames ?? [], hasMarks: contents?.hasMarks ?? true)
    }

    // MARK: Writing

    private var order: FileWork.Order { inner.withLock(\.order) }

    /// Makes a file, and remembers what is to be told of it.
    ///
    /// - Parameter make: gets what the file has, by the ids of the layer.
    private func making(
        _ plan: LocalFileCore.WritePlan, _ make: ([Record]) async -> FileWork.Preparation
    ) async -> FileWork.Preparation {
        var made: FileWork.Preparation
        do { made = await make(try await bases(plan)) } catch {
            let (problem, error) = FileWork.failure(error)
            made = FileWork.Preparation(prepared: .failed(problem), error: error)
        }
        note(made)
        return made
    }

    /// Those of the plan are known without the database, where they may be damaged: an annotation that is left out would be
    /// written a second time. Of others that are damaged, the file keeps what it has.
    private func bases(_ plan: LocalFileCore.WritePlan) async throws -> [Record] {
        let stored = try await setup.engine.apart { [store] in try store.read { try FileTables($0).bases() } }
        let others = stored.filter { plan.rows[ByteOrdered($0.id)] == nil }
        return (plan.rows.values.compactMap(\.base) + others).sorted { ByteOrdered($0.id) < ByteOrdered($1.id) }
    }

    private var writeContext: FileWork.WriteContext {
        inner.withLock { inner in
            FileWork.WriteContext(
                isPrivate: inner.core.state.isPrivate, copies: copies, frames: inner.frames,
                image: { [attachments = setup.attachments, document] in
                    try await attachments.bytes(of: $0, in: document)
                })
        }
    }

    private func note(_ made: FileWork.Preparation) {
        inner.withLock { inner in
            inner.details = made.details
            if case .failed(let problem) = made.prepared { inner.remember(made.error, for: problem) }
        }
    }

    // MARK: Storing

    private func store(
        _ ticket: LocalFileCore.Ticket, _ changes: [LocalFileState.Change], in place: LocalFileCore.Place,
        of path: String
    ) async {
        var version: FileVersion?
        for case .version(let new, _, sharesIDs: _) in changes { version = new }
        let (read, hasMarks, attachments) = inner.withLock { inner -> (Read?, Bool, [StoredAttachment]) in
            var read = inner.read?.version == version ? inner.read : nil
            // What the file does not have yet, it will have.
            if inner.core.state.rows.contains(where: { $0.value.local != nil }) { read?.contents.hasMarks = true }
            var attachments: [StoredAttachment] = []
            for case .tookOver(let checksum) in changes { attachments += inner.earlier[checksum]?.attachments ?? [] }
            return (read, read?.contents.hasMarks ?? inner.hasMarks, attachments)
        }
        let now = setup.engine.now()
        do {
            try await writer.perform { [self, version] in
                try bring(to: place, path)
                guard let version, let place = store.place else { return }
                try copies.keep(version.contents, of: path, in: place, hasMarks: hasMarks)
            }
            _ = try await self.place.writes.perform(on: key) { [document] store in
                try FileTransaction(store, of: document, now: now).store(
                    changes, read?.contents, attachments: attachments)
            } committed: { [engine = setup.engine] commit in
                if let commit { engine.publish(commit) }
            }
            if let version { try? await writer.perform { [self] in dropOtherCopies(than: version) } }
        } catch { return fail(ticket, after: error, in: place) }
        begin(inner.withLock { $0.handle(.stored(ticket), changes, read, version, now: now) })
    }

    private func dropOtherCopies(than version: FileVersion) {
        if let place = store.place { copies.dropOthers(than: version.contents, in: place) }
    }

    /// Makes the database, or moves it. Runs on the thread of transactions.
    private func bring(to place: LocalFileCore.Place, _ path: String) throws {
        try store.make(for: path, in: place)
        if place == .data { try moveToDisk(path) }
    }

    /// Moves the database to disk with all that belongs to it. Runs on the thread of transactions.
    private func moveToDisk(_ path: String) throws {
        let version = state.version
        try store.moveToDisk {
            guard let version else { return }
            try copies.keep(version.contents, of: path, in: .data, hasMarks: true)
        }
        if let version { dropOtherCopies(than: version) }
    }

    /// Ends a transaction that has failed.
    private func fail(
        _ ticket: LocalFileCore.Ticket, after error: any Error, in place: LocalFileCore.Place
    ) {
        if case FileDatabase.Problem.fenced = error { return lose() }
        let told = told(error, in: place)
        let reason = (told as? OwnFileError)?.reason ?? "\(told)"
        remember(told as? OwnFileError, for: .notStored(reason))
        setup.logger.error("a change is refused: \(reason)")
        send(.notStored(ticket, reason: reason))
    }

    /// Another engine has the database.
    private func lose() {
        setup.logger.error("another engine has taken over what is kept of a file; this one stores nothing more of it")
        stop()
        setup.fenced()
    }

    /// Why something could not be stored.
    ///
    /// - Parameter place: where it was to be.
    private func told(_ error: any Error, in place: LocalFileCore.Place) -> any Error {
        if case FileDatabase.Problem.fenced = error { return OwnFileError.notOpen }
        // The folder of the file may not be there yet.
        let folder = setup.folders.parent(store.place == .data ? .data : place)
        if let problem = PlaceProblem(error, in: folder) { return OwnFileError.notKept(problem) }
        let isFull = APIError.fullDisk(after: error) != nil
        guard isFull || (!(error is StoreError) && APIError.diskFailure(after: error) != nil) else { return error }
        let problem = PlaceProblem.found(in: folder) ?? PlaceProblem(folder: folder, code: isFull ? ENOSPC : EIO)
        return OwnFileError.notKept(problem)
    }

    // MARK: Edits

    /// Another transaction of the core is under way.
    private struct Busy: Error {}

    /// A transaction that the core has begun with an edit.
    private struct Begun: Sendable {
        var ticket: LocalFileCore.Ticket
        var changes: [LocalFileState.Change]
        /// Whether the layer may have something now that has to be found by its words.
        var addsMarks: Bool
    }

    /// Performs a push together with what the core decides of it, in one transaction.
    func push(_ work: @escaping Engine.PushWork) async throws -> PushAnswer {
        while true {
            await wait { !$0.core.isStoring || $0.isGone }
            let (path, isPrivate, isGone) = inner.withLock { ($0.core.path, $0.core.state.isPrivate, $0.isGone) }
            guard !isGone, let present = store.place else { throw OwnFileError.notOpen }
            do {
                if !isPrivate, present == .runtime { try await writer.perform { [self] in try moveToDisk(path) } }
                return try await pushed(work)
            } catch is Busy { continue } catch {
                if case FileDatabase.Problem.fenced = error { lose() }
                throw told(error, in: isPrivate ? .runtime : .data)
            }
        }
    }

    private func pushed(_ work: @escaping Engine.PushWork) async throws -> PushAnswer {
        let begun = Mutex<Begun?>(nil)
        do {
            let answer = try await place.writes.perform(on: key) { [self] store -> (PushAnswer, Commit) in
                let (answer, commit) = try work(store)
                guard !commit.isEmpty else { return (answer, commit) }
                let transaction = try FileTransaction(store, of: document, now: setup.engine.now())
                let (found, mustNote) = try decide(commit, transaction)
                begun.withLock { $0 = found }
                if mustNote { try transaction.setHasMarks(true) }
                try transaction.tables.apply(found.changes)
                return (answer, commit)
            } committed: { [engine = setup.engine] in
                engine.publish($0.1)
            }
            if let begun = begun.withLock({ $0 }) {
                self.begin(
                    inner.withLock { inner in
                        if begun.addsMarks { inner.hasMarks = true }
                        return inner.handle(.stored(begun.ticket), now: setup.engine.now())
                    })
            }
            return answer.0
        } catch {
            if let ticket = begun.withLock({ $0?.ticket }) { fail(ticket, after: error, in: store.place ?? .runtime) }
            throw error
        }
    }

    /// Hands the records of a push to the core. Runs in its transaction.
    ///
    /// - Returns: also whether the database does not know yet that there are marks.
    private func decide(_ commit: Commit, _ transaction: FileTransaction) throws -> (Begun, mustNoteMarks: Bool) {
        let edits = commit.records.map { LocalFileCore.Edit(id: $0.id, record: $0.isLive ? $0.record : nil) }
        let unknown = try inner.withLock { inner in
            guard !inner.core.isStoring else { throw Busy() }
            return edits.map { ByteOrdered($0.id) }.filter { inner.core.state.rows[$0] == nil }
        }
        let (synced, read) = (try transaction.tables.rows(unknown), Set(unknown))
        let addsMarks = edits.contains { $0.record != nil }
        let (steps, begun, mustNote) = try inner.withLock { inner -> (Steps, Begun?, Bool) in
            // The core drops a row that is written as soon as no operation needs it.
            let isKnown = edits.map { ByteOrdered($0.id) }
                .allSatisfy { read.contains($0) || inner.core.state.rows[$0] != nil }
            guard !inner.core.isStoring, isKnown else { throw Busy() }
            var steps = inner.handle(.pushed(0, edits, synced: synced), now: setup.engine.now())
            var begun: Begun?
            steps.effects.removeAll { effect in
                guard case .store(let ticket, let changes, in: _) = effect, begun == nil else { return false }
                begun = Begun(ticket: ticket, changes: changes, addsMarks: addsMarks)
                return true
            }
            return (steps, begun, addsMarks && !inner.hasMarks)
        }
        begin(steps)
        guard let begun else { throw OwnFileError.notOpen }
        return (begun, mustNote)
    }

    // MARK: Forgetting

    private func forget(_ ticket: LocalFileCore.Ticket) async {
        let isPrivate = state.isPrivate
        let layer = try? await writer.perform { [store, key] in try store.read { try $0.layer(key)?.id } }
        let mayForget = inner.withLock { inner in
            guard inner.opening == 0 else { return false }
            inner.isForgetting = true
            return true
        }
        var isGone = false
        if mayForget {
            let isForgotten = await setup.forget(document, isPrivate ? .lose : .keep)
            // A private session is over, whatever a client still holds.
            if isForgotten || isPrivate {
                if let layer { setup.engine.end(layer, with: SessionEvent(.lost, reason: "the file was closed")) }
                do { isGone = try await writer.perform { [store] in try store.remove() } } catch {
                    inner.withLock { $0.isForgetting = false }
                    return lose()
                }
            }
        }
        let steps = inner.withLock { inner -> Steps in
            inner.isForgetting = false
            // Requests that arrived meanwhile must not start over in this object, which is no longer in the list.
            guard !isGone else { return inner.stop(now: setup.engine.now()) }
            return inner.handle(.forgotten(ticket, false), now: setup.engine.now())
        }
        if isGone {
            feed.close()
            setup.engine.keep(document, in: nil)
            setup.ended(self)
        }
        begin(steps)
    }
}

extension LocalFile.Inner {
    /// Notes that changes are stored, and what was read of the file with them.
    mutating func handle(
        _ input: LocalFileCore.Input, _ changes: [LocalFileState.Change], _ read: LocalFile.Read?,
        _ version: FileVersion?, now: Timestamp
    ) -> LocalFile.Steps {
        guard let read, let version else { return handle(input, now: now) }
        let known = core.state
        (frames, hasMarks, self.read) = (read.contents.frames, read.contents.hasMarks, nil)
        if known.version == nil || read.isOther { news.pagesSince = version.text }
        if known.version != nil {
            var lost: Int?
            for case .lost(let marks) in changes { lost = marks.keys.count { known.lost[$0] == nil } }
            news.merges += 1
            news.merged = LocalFile.Merged(lostMarks: lost ?? 0, hasNewPages: read.hasNewPages)
        }
        return handle(input, now: now)
    }

    mutating func noteDamage(of path: String) {
        let found = DamagedKeptFile(path: path, problem: "it is damaged", pdf: core.path, wasRead: true)
        if !damaged.contains(found) { damaged.append(found) }
    }
}

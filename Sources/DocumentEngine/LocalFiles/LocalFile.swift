import Annotations
import EngineCore
import FileCore
import Logging
import PDFPages
import SyncProtocol
import Synchronization

/// One PDF of the person: its core, and what performs the core's effects.
final class LocalFile: Sendable {
    /// What the files of one engine share.
    struct Setup: Sendable {
        var engine: Engine
        var folders: FileFolders
        /// The word of this engine (see ``FileDatabase/fence``).
        var fence: String
        var work: FileWork.Setup
        var attachments: Attachments
        /// Removes the copies that clients have of the document.
        var forget: @Sendable (_ document: String, PersonalOptions.UnsentEdits) async -> Bool
        /// Returns what is kept on disk for a file and cannot be read. Blocks briefly.
        var damage: @Sendable (LocalFile) -> [DamagedKeptFile]
        /// Called when the file cannot wait for the next regular tick.
        var hurry: @Sendable () -> Void
        /// Called once nothing is known of the file any more.
        var ended: @Sendable (LocalFile) -> Void
        /// Called when another engine has taken over what is kept.
        var fenced: @Sendable () -> Void
        var logger: Logger
    }

    /// A random id, which says nothing about the path.
    let document: String
    let setup: Setup
    let work: FileWork
    let store: FileStore
    let place: StorePlace
    let copies: KeptCopy
    /// The thread of transactions.
    let writer = WorkerThreads(width: 1)
    /// Writes are asked for one after the other, because each has an order of its own.
    let writing = AsyncSemaphore(width: 1, line: .max)
    /// The thread of what windows are told. It waits while the file is merged.
    let reporter = WorkerThreads(width: 1)
    let feed: ReportFeed
    /// States of earlier versions are taken over one after the other.
    let takingOver = AsyncSemaphore(width: 1, line: .max)
    let inner: Mutex<Inner>
    /// What others look at to find the file they mean. They do not wait while this one is merged, which takes as long as
    /// it has records.
    let outline: Mutex<Outline>
    /// For tests: what happens before the disk is asked whether it answers.
    let silence = Mutex<@Sendable () -> Void>({})

    struct Outline: Sendable {
        /// Where the file is, before the core knows it.
        var path: String
        /// Whether a process has it open.
        var isUsed = false
        /// Whether it is being told of the time.
        var isTicking = false
        /// See ``LocalFileCore/needsTime``.
        var needsTime = false
        /// Whether its changes are reported by the system.
        var isWatched = false
        /// Whether the system is being asked to.
        var isBeingFollowed = false
    }

    /// What changes. The core and what is known of its last effects are one.
    struct Inner {
        var core: LocalFileCore
        var calls: [LocalFileCore.Caller: CheckedContinuation<LocalFileCore.Answer, Never>] = [:]
        var lastCaller = 0
        /// Counts what has changed.
        var number = 0
        var disk = Disk()
        var waiting: [Waiting] = []
        /// What is known of the last problems besides what the core must know.
        var errors: [LocalFileCore.Problem: OwnFileError] = [:]
        /// How many requests are about to open the file. It is not forgotten meanwhile.
        var opening = 0
        var isForgetting = false
        /// Set when the file has been forgotten or the engine ends. A later request for the file needs a new object.
        var isGone = false
        /// Of the document.
        var frames: [PageFrame] = []
        var hasMarks = true
        /// What was read of the file and is not stored yet.
        var read: Read?
        /// That of the write that is going on.
        var order = FileWork.Order()
        var details: FileWork.Details?
        var news = News()
        /// What was kept for the file, and is damaged.
        var damaged: [DamagedKeptFile] = []
        /// States of earlier versions that are still to be taken over, by checksum. Requests to open the file wait for them.
        var expected: [String: EarlierState] = [:]
        /// What is being taken over, until it is removed.
        var earlier: [String: Earlier] = [:]
    }

    /// The disk with the file.
    struct Disk {
        /// Whether the file was missing when it was last looked at.
        var isMissing = false
        /// Whether it has not answered for a while.
        var isSilent = false
    }

    struct Waiting {
        var holds: @Sendable (Inner) -> Bool
        var turn: CheckedContinuation<Void, Never>
    }

    /// What an engine of an earlier version has left, and its attachments, whose bytes are with the database.
    struct Earlier: Sendable {
        var state: EarlierState
        var attachments: [StoredAttachment]
    }

    struct Read: Sendable {
        var version: FileVersion
        var contents: FileTransaction.Contents
        /// Whether the file has other pages than the last version, as far as is known.
        var hasNewPages = false
        /// Whether the file does not begin with the version that is known.
        var isOther = false
    }

    /// A file of which nothing is known.
    ///
    /// - Parameter document: a new random id.
    convenience init(document: String, path: String, _ setup: Setup) {
        let store = FileStore(document: document, in: setup.folders, fence: setup.fence)
        self.init(store, path: path, setup)
    }

    private init(_ store: FileStore, path: String, _ setup: Setup) {
        (self.store, self.setup, document) = (store, setup, store.document)
        work = FileWork(name: document, setup: setup.work)
        place = StorePlace(
            store: store, writes: WriteQueue(store: store, workers: writer), attachments: FileBlobs(store))
        copies = setup.folders.copies(of: document)
        feed = ReportFeed(on: reporter)
        inner = Mutex(Inner(core: LocalFileCore(path: path, name: document, policy: work.matching)))
        outline = Mutex(Outline(path: path))
        setup.engine.keep(document, in: place)
    }

    /// Begins with the database that an earlier engine has left. Blocks.
    ///
    /// - Throws: what ``FileDatabase/open(document:in:fence:)`` throws.
    static func found(_ document: String, in place: LocalFileCore.Place, _ setup: Setup) throws -> LocalFile {
        let store = FileStore(document: document, in: setup.folders, fence: setup.fence)
        try store.open(in: place)
        do {
            return try store.read { reading in
                let tables = try FileTables(reading)
                let (state, hasMarks) = (try tables.state(), try tables.meta().hasMarks)
                // Without the damaged ones, the others say something else.
                try tables.checkLayer()
                guard store.database?.damagedRows == 0 else { throw DamagedRow(StoredTable.fileRow.noun) }
                let frames = try reading.document(document)?.pages.map(\.frame) ?? []
                let file = LocalFile(store, path: try tables.path(), setup)
                file.work.matching.setFrames(frames)
                file.inner.withLock { inner in
                    (inner.frames, inner.hasMarks) = (frames, hasMarks)
                    inner.news.pagesSince = state.version?.text ?? ""
                }
                let alive = state.owners.filter { ProcessIdentity($0).isAlive }
                file.send(.started(state, place, alive: alive))
                return file
            }
        } catch {
            store.close()
            throw error
        }
    }

    var key: LayerKey { LayerKey(document: document, name: "") }
    var path: String { outline.withLock(\.path) }
    var state: LocalFileState { inner.withLock { $0.core.state } }
    var isUsed: Bool { outline.withLock(\.isUsed) }
    var needsTime: Bool { outline.withLock(\.needsTime) }
    var isWatched: Bool { outline.withLock(\.isWatched) }
    var isGone: Bool { inner.withLock(\.isGone) }

    // MARK: News

    /// Counts since the engine started, so that a window can tell what is new to it.
    struct News: Sendable {
        /// How often the file was read anew.
        var merges = 0
        /// The last time.
        var merged = Merged()
        /// A version of the file since which it has had the same pages.
        var pagesSince = ""
        /// Of the last opening.
        var origin = Origin.here
        /// Why the file could not be read by the last opening; nil: it was.
        var problem: String?
    }

    /// What reading the file anew has brought, for people.
    struct Merged: Hashable, Sendable {
        var news = FileNews()
        /// Records whose words are not in the file's new text.
        var lostMarks = 0
        /// Whether the file is not a continuation of the old one, so that its pages may be others.
        var hasNewPages = false
    }

    // MARK: The core

    /// Hands an input to the core, and begins what it decides.
    func send(_ input: LocalFileCore.Input) {
        begin(inner.withLock { $0.handle(input, now: setup.engine.now()) })
    }

    /// What is to be done once an input was handled.
    struct Steps: Sendable {
        var effects: [LocalFileCore.Effect] = []
        /// Of the PDF, for these effects.
        var path = ""
        var answers: [(CheckedContinuation<LocalFileCore.Answer, Never>, LocalFileCore.Answer)] = []
        var turns: [CheckedContinuation<Void, Never>] = []
        /// nil: nothing was handled.
        var isUsed: Bool?
        /// Whether the core waits for a time to come.
        var needsTime = false
    }

    func begin(_ steps: Steps) {
        if let isUsed = steps.isUsed {
            let isNew = outline.withLock { outline in
                defer { (outline.isUsed, outline.needsTime) = (isUsed, steps.needsTime) }
                return steps.needsTime && !outline.needsTime
            }
            if isNew { setup.hurry() }
        }
        for (call, answer) in steps.answers { call.resume(returning: answer) }
        for turn in steps.turns { turn.resume() }
        if steps.isUsed != nil { tell() }
        for effect in steps.effects {
            Task {
                guard let result = await watched(effect, { await perform(effect, at: steps.path) }) else { return }
                // To merge a file with its layer may take long.
                await work.apart { self.send(result) }
            }
        }
    }

    /// Reads what is known of the file, now and whenever it changes.
    ///
    /// - Returns: also what ends it.
    func reports() -> (AsyncStream<FileReport>, end: @Sendable () -> Void) {
        defer { tell() }
        return feed.read()
    }

    private func tell() { feed.changed { [self] in report(damage: setup.damage(self)) } }

    /// Asks the core something, and waits for its answer.
    func ask(_ input: @Sendable (LocalFileCore.Caller) -> LocalFileCore.Input) async -> LocalFileCore.Answer {
        await withCheckedContinuation { call in
            let steps = inner.withLock { inner in
                guard !inner.isGone else { return Steps(answers: [(call, .failed(.stopped))]) }
                inner.lastCaller += 1
                inner.calls[inner.lastCaller] = call
                return inner.handle(input(inner.lastCaller), now: setup.engine.now())
            }
            begin(steps)
        }
    }

    /// Waits until something holds. It is looked at whenever the core has handled something.
    func wait(until holds: @escaping @Sendable (Inner) -> Bool) async {
        await withCheckedContinuation { turn in
            let isOver = inner.withLock { inner in
                guard !holds(inner) else { return true }
                inner.waiting.append(Waiting(holds: holds, turn: turn))
                return false
            }
            if isOver { turn.resume() }
        }
    }

    /// Waits until something holds, but not longer than this.
    func wait(upTo time: Duration, until holds: @escaping @Sendable (Inner) -> Bool) async {
        let isLate = Flag()
        let timer = Task {
            try await Task.sleep(for: time)
            isLate.set()
            change { _ in }
        }
        await wait { isLate.isSet || holds($0) }
        timer.cancel()
    }

    /// Changes what others may wait for.
    func change(_ body: @Sendable (inout Inner) -> Void) {
        begin(
            inner.withLock { inner in
                body(&inner)
                inner.number += 1
                return Steps(turns: inner.turns())
            })
        tell()
    }

    /// Ends what is going on: the engine has lost its lock, or ends.
    func stop() {
        begin(inner.withLock { $0.stop(now: setup.engine.now()) })
        feed.close()
    }

    /// Ends it, and closes the database once its last transaction has ended.
    func close() async {
        stop()
        _ = try? await writer.perform { [store] in store.close() }
    }
}

/// Something that happens once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

extension LocalFile.Inner {
    /// Answers all waiting callers. Nothing new starts afterwards.
    mutating func stop(now: Timestamp) -> LocalFile.Steps {
        var steps = handle(.stopped, now: now)
        steps.answers += calls.values.map { ($0, .failed(.stopped)) }
        calls = [:]
        isGone = true
        steps.turns += waiting.map(\.turn)
        waiting = []
        return steps
    }

    mutating func handle(_ input: LocalFileCore.Input, now: Timestamp) -> LocalFile.Steps {
        var steps = LocalFile.Steps()
        for effect in core.handle(input, now: now) {
            switch effect {
            case .answer(let caller, let answer):
                if let call = calls.removeValue(forKey: caller) { steps.answers.append((call, answer)) }
            case .publish(let found): news.merged.news = found
            default: steps.effects.append(effect)
            }
        }
        number += 1
        (steps.path, steps.isUsed, steps.needsTime) = (core.path, core.isUsed, core.needsTime)
        steps.turns = turns()
        return steps
    }

    /// Those who wait no longer.
    mutating func turns() -> [CheckedContinuation<Void, Never>] {
        let waited = waiting
        waiting = []
        var turns: [CheckedContinuation<Void, Never>] = []
        for one in waited {
            if one.holds(self) { turns.append(one.turn) } else { waiting.append(one) }
        }
        return turns
    }

    /// Remembers what is known of a problem.
    mutating func remember(_ error: OwnFileError?, for problem: LocalFileCore.Problem) {
        guard let error else { return }
        if errors.count >= 16 { errors = [:] }
        errors[problem] = error
    }

    /// What is told of a problem.
    func error(_ problem: LocalFileCore.Problem) -> OwnFileError {
        if let error = errors[problem] { return error }
        return switch problem {
        case .missing: .missing
        case .changing: .changedMeanwhile
        case .openPrivately: .openPrivately
        case .openOtherwise: .openOtherwise
        case .decidedUnseen: .decidedUnseen
        case .keptOnDisk(let count): .keptOnDisk(count)
        case .notOpen, .stopped: .notOpen
        case .exists: .exists
        case .unreadable(let reason), .failed(let reason), .notStored(let reason): .other(reason)
        }
    }
}

extension ProcessIdentity {
    init(_ user: FileUser) { self.init(pid: user.pid, start: user.start) }

    var user: FileUser { FileUser(pid: pid, start: start) }
}

extension FileVersion {
    /// Tells this version of the file from others, without its contents: inode, size and time of change.
    var text: String { "\(inode)-\(size)-\(changed)" }
}

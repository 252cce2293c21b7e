package import Annotations

/// The engine of one PDF as a function: it takes inputs and returns effects.
///
/// A performer carries out the effects and hands in what came of them. Nothing else touches the file's database, so what
/// it holds and what this value knows are the same. At most one transaction is under way: everything else waits for it, so
/// each decision is made from one state. At most one operation on the PDF is under way, which may take long; edits are
/// stored meanwhile.
///
/// Whether a write has happened is never concluded from an error. The intent to write stays until the file beside the PDF,
/// which has the new version before the exchange and the old one after it, has told.
package struct LocalFileCore: Sendable {
    package typealias Caller = Int
    /// Tells the result of an effect from those of earlier ones.
    package typealias Ticket = Int

    package enum Input: Sendable {
        /// The database as it was found when the engine started; nil: none. Comes first.
        case started(LocalFileState?, Place, alive: Set<FileUser>)
        /// The engine has lost its lock. It does nothing more.
        case stopped
        case opened(Caller, FileUser, isPrivate: Bool)
        case closed(FileUser)
        /// A process has ended, however often it had the file open.
        case gone(FileUser)
        /// Records of the layer as a window wants them. Of those that the core has no row of, the rows in the database.
        case pushed(Caller, [Edit], synced: [ByteOrdered: LocalFileState.Row])
        case writeAsked(Caller, WriteOrder)
        case revertAsked(Caller)
        case resolved(Caller, Record.ID, Choice)
        case shared(Caller, Bool)
        /// An engine of an earlier version has left this. The records are those of the file as it was then.
        case foundEarlier(EarlierState)
        /// The file may have changed.
        case changedOnDisk
        case tick
        /// - Parameter beside: paths of files beside the PDF that this engine, or one before it, has made.
        case looked(Ticket, Look, beside: Set<String>)
        case prepared(Ticket, Prepared)
        case exchanged(Ticket, Exchange)
        case inspected(Ticket, Inspection)
        case removed(Ticket, isGone: Bool)
        case copied(Ticket, Prepared)
        case stored(Ticket)
        case notStored(Ticket, reason: String)
        /// Another engine has opened the database since.
        case fenced(Ticket)
        /// Whether the database is removed as a whole.
        case forgotten(Ticket, Bool)
    }

    package enum Effect: Hashable, Sendable {
        /// Compare the file with the version that is known, and read it if it has another one.
        case look(Ticket, LocalFileState.Known)
        /// One transaction, durable if it is in the data folder. The database is moved there first if it is not there.
        case store(Ticket, [LocalFileState.Change], in: Place)
        /// Make a file beside the PDF that has the planned records: durable, folder included.
        case prepare(Ticket, WritePlan)
        /// Exchange the two files if the PDF still has this version; nil: whatever it has. Then say what came out.
        case exchange(Ticket, LocalFileState.Intent, replacing: FileVersion.Contents?)
        /// Put the file that came out back in its place. It is looked at again then.
        case putBack(Ticket, LocalFileState.Intent)
        case inspect(Ticket, LocalFileState.Intent)
        case remove(Ticket, Set<String>)
        /// Make a copy at another path.
        case copy(Ticket, WritePlan, to: String, isForced: Bool)
        /// Remove the database as a whole, its log and its free pages.
        case forget(Ticket)
        case removeEarlier(checksum: String)
        case publish(FileNews)
        case answer(Caller, Answer)
    }

    /// Where the database is.
    package enum Place: Hashable, Sendable {
        /// Usually in memory. It goes with the engine's data.
        case runtime
        case data
    }

    package struct Edit: Hashable, Sendable {
        package var id: Record.ID
        /// nil: deleted.
        package var record: Record?

        package init(id: Record.ID, record: Record?) { (self.id, self.record) = (id, record) }
    }

    package enum Choice: Hashable, Sendable {
        /// The version of the layer as it was when the file changed, or as it was edited since.
        case local
        case remote
        /// What the layer has now.
        case layer
    }

    package enum Look: Sendable {
        case same
        /// Only its place or its times are others.
        case touched(FileVersion)
        case read(FileReading)
        case failed(Problem)
    }

    package enum Exchange: Hashable, Sendable {
        /// It has not been tried: the file has another version.
        case changed
        case missing
        /// Exchanged. These contents came out; nil: not known yet.
        case done(FileVersion.Contents?)
        /// Nobody knows whether it has happened.
        case unclear(Problem)
    }

    /// What is at the two paths of an intent.
    package enum Inspection: Hashable, Sendable {
        /// nil: no file.
        case found(file: FileVersion?, hidden: FileVersion?)
        case failed(Problem)
    }

    package enum Problem: Error, Hashable, Sendable {
        case missing
        case unreadable(String)
        /// Another program keeps writing the file.
        case changing
        /// Of the disk or the file system.
        case failed(String)
        case notStored(String)
        case openPrivately
        case openOtherwise
        case keptOnDisk(Int)
        case notOpen
        case exists
        case stopped
    }

    package enum Answer: Hashable, Sendable {
        /// The problem is why the file could not be read; what is kept of it is shown.
        case opened(Problem?)
        case done
        case written(Written)
        case reverted(Int)
        case failed(Problem)
    }

    package struct Written: Hashable, Sendable {
        package var records = 0
        /// Records that could not be written as they are. The file keeps its own version.
        package var unwritten: [Record.ID] = []
        package var conflicts = 0
        package var merged = FileNews()
    }

    package internal(set) var state = LocalFileState()
    package internal(set) var place = Place.runtime
    let policy: any RecordComparing
    /// The path of the PDF, and a name of this database that no other one has.
    let (path, name): (String, String)
    var effects: [Effect] = []
    var now = Timestamp(milliseconds: 0)
    var users: [FileUser: Int] = [:]
    var lastTicket = 0
    /// What is being stored, and what follows.
    var transaction: Transaction?
    var waiting: [Input] = []
    /// Operations on the PDF that have not begun.
    var asked: [Operation.Kind] = []
    var operation: Operation?
    /// Set by a failure, until the next tick or question.
    var isPausing = false
    var isStopped = false
    /// Whether there is a database.
    package internal(set) var exists = false
    /// Whether a process of a private file has left that is still in the database.
    var leavers = false
    /// Whether the file was looked at since it was used last.
    var hasLookedBack = false
    /// A damaged file is looked at twice, because its end may still be written.
    var damaged: (contents: FileVersion.Contents, since: Timestamp)?

    package init(path: String, name: String, policy: any RecordComparing) {
        (self.path, self.name, self.policy) = (path, name, policy)
    }

    struct Transaction {
        var ticket: Ticket
        var changes: [LocalFileState.Change]
        var place: Place
        var next: Next

        enum Next {
            case answer(Caller, Answer)
            case join(Caller, FileUser)
            case operation
            case earlier(checksum: String)
            case forget
            case nothing
        }
    }

    /// Total: no input causes a crash, and results of earlier operations are overlooked.
    package mutating func handle(_ input: Input, now: Timestamp) -> [Effect] {
        effects = []
        self.now = now
        waiting.append(input)
        while !isStopped {
            if let place = waiting.firstIndex(where: { transaction == nil || $0.endsTransaction }) {
                take(waiting.remove(at: place))
            } else if transaction != nil || !begin() {
                break
            }
        }
        if isStopped { waiting = [] }
        return effects
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .started(let state, let place, let alive): started(state, place, alive)
        case .stopped: isStopped = true
        case .opened(let caller, let user, let isPrivate): opened(caller, user, isPrivate: isPrivate)
        case .closed(let user): leave(user, wholly: false)
        case .gone(let user): leave(user, wholly: true)
        case .pushed(let caller, let edits, let synced): pushed(caller, edits, synced)
        case .writeAsked(let caller, let order): ask(.write(caller, order))
        case .revertAsked(let caller): ask(.revert(caller))
        case .resolved(let caller, let id, let choice): resolve(caller, ByteOrdered(id), choice)
        case .shared(let caller, let isShared): store([.shared(isShared)], then: .answer(caller, .done))
        case .foundEarlier(let earlier): takeOver(earlier)
        case .changedOnDisk: if !users.isEmpty, !asked.contains(where: \.isLook) { ask(.look) }
        case .tick: tick()
        case .looked(let ticket, let look, let beside): if resumes(ticket) { looked(look, beside: beside) }
        case .prepared(let ticket, let result): if resumes(ticket) { prepared(result) }
        case .copied(let ticket, let result): if resumes(ticket) { copied(result) }
        case .exchanged(let ticket, let result): if resumes(ticket) { exchanged(result) }
        case .inspected(let ticket, let result): if resumes(ticket) { inspected(result) }
        case .removed(let ticket, let isGone): if resumes(ticket) { removed(isGone) }
        case .stored(let ticket): if let done = end(ticket) { stored(done) }
        case .notStored(let ticket, let reason): if let failed = end(ticket) { notStored(failed, .notStored(reason)) }
        case .fenced(let ticket): if transaction?.ticket == ticket { isStopped = true }
        case .forgotten(let ticket, let isGone): if end(ticket) != nil { forgotten(isGone) }
        }
    }

    private func resumes(_ ticket: Ticket) -> Bool { operation?.ticket == ticket }

    mutating func ticket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    /// Whether nothing is known of the file, and nobody asks for it.
    package var isIdle: Bool { !exists && users.isEmpty && asked.isEmpty && operation == nil && transaction == nil }

    package var isUsed: Bool { !users.isEmpty }

    // MARK: Transactions

    /// Begins a transaction. What it changes counts once it is stored.
    mutating func store(_ changes: [LocalFileState.Change], then next: Transaction.Next) {
        let number = ticket()
        // Its whole life a private file is in memory.
        let target: Place = place == .data || (!state.isPrivate && mustBeKept(after: changes)) ? .data : .runtime
        transaction = Transaction(ticket: number, changes: changes, place: target, next: next)
        effects.append(.store(number, changes, in: target))
    }

    private func mustBeKept(after changes: [LocalFileState.Change]) -> Bool {
        state.mustBeKept
            || changes.contains { change in
                switch change {
                case .row(_, let row): !row.isWritten
                case .conflict(_, let conflict): conflict != nil
                case .intent(let intent): intent != nil
                case .hidden(let paths, _): !paths.isEmpty
                case .shared(let isShared): isShared
                default: false
                }
            }
    }

    private mutating func end(_ ticket: Ticket) -> Transaction? {
        guard let transaction, transaction.ticket == ticket else { return nil }
        self.transaction = nil
        return transaction
    }

    private mutating func stored(_ transaction: Transaction) {
        (place, exists) = (transaction.place, true)
        for change in transaction.changes { state.apply(change, keepsWritten: operation != nil) }
        switch transaction.next {
        case .answer(let caller, let answer): effects.append(.answer(caller, answer))
        case .join(let caller, let user): join(caller, user)
        case .operation: operationStored()
        case .earlier(let checksum): effects.append(.removeEarlier(checksum: checksum))
        case .forget, .nothing: break
        }
    }

    private mutating func notStored(_ transaction: Transaction, _ problem: Problem) {
        switch transaction.next {
        case .answer(let caller, _), .join(let caller, _): effects.append(.answer(caller, .failed(problem)))
        case .operation: fail(problem)
        case .earlier, .forget, .nothing: break
        }
    }

    // MARK: Edits

    private mutating func pushed(_ caller: Caller, _ edits: [Edit], _ synced: [ByteOrdered: LocalFileState.Row]) {
        guard state.version != nil else { return effects.append(.answer(caller, .failed(.notOpen))) }
        var changes: [LocalFileState.Change] = []
        for edit in edits {
            let id = ByteOrdered(edit.id)
            var row = state.rows[id] ?? synced[id] ?? LocalFileState.Row()
            row.local = edit.record
            changes.append(.row(id, row))
        }
        store(changes, then: .answer(caller, .done))
    }

    /// Ends a conflict.
    private mutating func resolve(_ caller: Caller, _ id: ByteOrdered, _ choice: Choice) {
        guard let conflict = state.conflicts[id] else { return effects.append(.answer(caller, .done)) }
        store(settling(id, conflict, choice), then: .answer(caller, .done))
    }

    private func settling(
        _ id: ByteOrdered, _ conflict: LocalFileState.Conflict, _ choice: Choice
    ) -> [LocalFileState.Change] {
        var row = state.rows[id] ?? LocalFileState.Row(base: conflict.remote, local: conflict.local)
        switch choice {
        case .remote: row.local = conflict.remote
        case .local where conflict.local == nil: row.local = nil
        case .local, .layer: break
        }
        guard let other = conflict.further.first else { return [.row(id, row), .conflict(id, nil)] }
        var next = conflict
        (next.local, next.remote, next.daysLeft) = (row.local, other, nil)
        next.further.removeFirst()
        return [.row(id, row), .conflict(id, next)]
    }

    // MARK: Time

    private mutating func tick() {
        isPausing = false
        if let damaged, now < damaged.since { self.damaged?.since = now }
        countDays()
        if !users.isEmpty, !asked.contains(where: \.isLook) { ask(.look) }
    }

    /// Counts a day for what nobody has decided. A clock that jumps counts once.
    private mutating func countDays() {
        let day: Int64 = 86_400_000
        guard state.conflicts.contains(where: { $0.value.daysLeft != nil }) else { return }
        guard let counted = state.counted, now >= counted else { return store([.counted(now)], then: .nothing) }
        guard now - counted >= day else { return }
        var changes = [LocalFileState.Change.counted(now)]
        for (id, conflict) in state.conflicts.sorted(by: { $0.key < $1.key }) {
            guard let days = conflict.daysLeft else { continue }
            guard days <= 1 else {
                var left = conflict
                left.daysLeft = days - 1
                changes.append(.conflict(id, left))
                continue
            }
            changes += settling(id, conflict, .remote)
        }
        store(changes, then: .nothing)
    }
}

extension LocalFileCore.Input {
    fileprivate var endsTransaction: Bool {
        switch self {
        case .stored, .notStored, .fenced, .forgotten, .stopped: true
        default: false
        }
    }
}

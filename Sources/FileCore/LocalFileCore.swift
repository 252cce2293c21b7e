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

    package internal(set) var state = LocalFileState()
    package internal(set) var place = Place.runtime
    let policy: any RecordComparing
    /// The path of the PDF, and a name of this database that no other one has.
    package internal(set) var path: String
    let name: String
    var effects: [Effect] = []
    var now = Timestamp(milliseconds: 0)
    var users: [FileUser: Int] = [:]
    /// Those of the last engine that have not come back yet. Each counts as one window until then.
    var returning: Set<FileUser> = []
    var lastTicket = 0
    /// What is being stored, and what follows.
    var transaction: Transaction?
    var waiting: [Input] = []
    /// Operations on the PDF that have not begun.
    var asked: [Operation.Kind] = []
    var operation: Operation?
    /// Set by a failure, until the next tick or question.
    var isPausing = false
    /// Whether the last failure was a missing file. It needs no tick: the performer watches the folder.
    var isMissing = false
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
        case .resolved(let caller, let decision): resolve(caller, decision)
        case .shared(let caller, let isShared): share(caller, isShared)
        case .foundEarlier(let earlier): takeOver(earlier)
        case .moved(let path): asked.append(.move(path))
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

    /// The processes that have the file open.
    package var processes: [FileUser] { Array(users.keys) }

    /// How many windows have the file open.
    package var windows: Int { users.values.reduce(0, +) }

    /// Whether a transaction is under way. An input would wait for it.
    package var isStoring: Bool { transaction != nil }

    /// Whether nothing is under way and nothing waits.
    package var isQuiet: Bool { transaction == nil && operation == nil && asked.isEmpty && waiting.isEmpty }

    /// Whether the core is waiting for a tick. Otherwise ticks only find changes that no event has reported.
    package var needsTime: Bool {
        if damaged != nil { return true }
        guard isPausing else { return false }
        if users.isEmpty { return exists }
        return !isMissing || state.intent != nil || !state.hidden.isEmpty
    }

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

    /// What is private is nobody else's.
    private mutating func share(_ caller: Caller, _ isShared: Bool) {
        guard !state.isPrivate else { return effects.append(.answer(caller, .failed(.openPrivately))) }
        store([.shared(isShared)], then: .answer(caller, .done))
    }

    /// Ends a conflict.
    private mutating func resolve(_ caller: Caller, _ decision: Decision) {
        let id = ByteOrdered(decision.id)
        guard let conflict = state.conflicts[id], let sides = state.sides(of: id),
            sides.remote.isSame(as: decision.sides.remote),
            // A new text has taken the place of the layer's version just now.
            decision.choice == .layer || sides.local.isSame(as: decision.sides.local)
        else { return effects.append(.answer(caller, .failed(.decidedUnseen))) }
        store(settling(id, conflict, decision.choice), then: .answer(caller, .done))
    }

    private func settling(
        _ id: ByteOrdered, _ conflict: LocalFileState.Conflict, _ choice: Choice
    ) -> [LocalFileState.Change] {
        var row = state.rows[id] ?? LocalFileState.Row(base: conflict.remote, local: conflict.local)
        switch choice {
        case .remote: row.local = conflict.remote
        case .local: row.local = state.sides(of: id)?.local
        case .layer: break
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

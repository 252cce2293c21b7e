import Annotations

/// What is going on with the PDF itself.
struct Operation {
    enum Kind {
        case open(LocalFileCore.Caller, FileUser)
        case write(LocalFileCore.Caller, LocalFileCore.WriteOrder)
        case revert(LocalFileCore.Caller)
        case move(String)
        case look
        /// The last look at a file that no process has open any longer.
        case lookBack
        /// Finds out about a write that was interrupted.
        case settle
        /// Removes files that the engine has made.
        case clean

        var isLook: Bool { if case .look = self { true } else { false } }
    }

    enum Stage {
        case begun
        case looking, merging(FileNews)
        case noting(LocalFileCore.Look)
        case naming(LocalFileCore.WritePlan, copy: String?), preparing(LocalFileCore.WritePlan)
        case intending, exchanging, inspecting, puttingBack, settling(happened: Bool)
        case copying
        case reverting(Int)
        case removing, cleaning
    }

    let kind: Kind
    var stage = Stage.begun
    /// Of the effect that is awaited.
    var ticket = 0
    var hasLooked = false
    /// Whether the operation goes on although the file is missing or cannot be read.
    var usesCopy = false
    var attempts = 0
    /// Whether its own version may be in place.
    var hasExchanged = false
    /// How often a file that came out was put back.
    var rounds = 0
    /// What is answered if the write has not happened after all.
    var problem: LocalFileCore.Problem?
    var written = LocalFileCore.Written()
}

extension LocalFileCore {
    private static let attempts = 3

    mutating func ask(_ kind: Operation.Kind) {
        isPausing = false
        asked.append(kind)
    }

    /// Begins the next operation, or forgets the file.
    ///
    /// - Returns: false if there is nothing to do.
    mutating func begin() -> Bool {
        guard operation == nil else { return false }
        if !asked.isEmpty {
            let kind = asked.removeFirst()
            if case .move(let path) = kind {
                self.path = path
                return true
            }
            operation = Operation(kind: kind)
        } else if isPausing {
            return false
        } else if state.intent != nil {
            operation = Operation(kind: .settle)
        } else if !state.hidden.isEmpty {
            operation = Operation(kind: .clean)
        } else {
            return forget()
        }
        proceed()
        return true
    }

    /// Takes the next step of the operation.
    mutating func proceed() {
        guard let operation else { return }
        if state.intent != nil { return perform(.inspecting) { .inspect($0, $1) } }
        if let problem = operation.problem { return fail(problem) }
        switch operation.kind {
        case .settle: finish()
        case .clean:
            guard !state.hidden.isEmpty else { return finish() }
            perform(.removing) { [hidden = state.hidden] ticket in .remove(ticket, hidden) }
        case .revert(let caller): revert(caller)
        case .move: finish()
        case .open, .look, .lookBack, .write:
            guard operation.hasLooked else {
                let known = LocalFileState.Known(
                    version: state.version.flatMap { $0.isRead ? $0 : nil }, earlier: state.earlier)
                return perform(.looking) { .look($0, known) }
            }
            if case .write(_, let order) = operation.kind { return plan(order) }
            succeed()
        }
    }

    /// Waits for the result of an effect.
    mutating func perform(_ stage: Operation.Stage, _ effect: (Ticket) -> Effect) {
        let number = ticket()
        operation?.stage = stage
        operation?.ticket = number
        effects.append(effect(number))
    }

    mutating func perform(_ stage: Operation.Stage, _ effect: (Ticket, LocalFileState.Intent) -> Effect) {
        guard let intent = state.intent else { return }
        perform(stage) { effect($0, intent) }
    }

    mutating func store(_ changes: [LocalFileState.Change], _ stage: Operation.Stage) {
        operation?.stage = stage
        operation?.ticket = 0
        store(changes, then: .operation)
    }

    mutating func operationStored() {
        switch operation?.stage {
        case .merging(let news):
            operation?.hasLooked = true
            // The last look is one that finds nothing new.
            if case .lookBack = operation?.kind { hasLookedBack = false }
            if news != FileNews() { effects.append(.publish(news)) }
        case .noting(let look):
            operation?.stage = .looking
            return looked(look, beside: [])
        case .naming(let plan, let copy):
            guard let copy, case .write(_, let order) = operation?.kind else {
                return perform(.preparing(plan)) { .prepare($0, plan) }
            }
            return perform(.copying) { .copy($0, plan, to: copy, isForced: order.isForced) }
        case .intending:
            let expected = operation?.usesCopy == true ? nil : state.version?.contents
            operation?.hasExchanged = true
            return perform(.exchanging) { .exchange($0, $1, replacing: expected) }
        case .settling(happened: true):
            if case .write = operation?.kind, operation?.hasExchanged ?? false {
                operation?.problem = nil
                return succeed()
            }
        case .settling(happened: false): again()
        case .reverting(let count):
            if case .revert(let caller) = operation?.kind { effects.append(.answer(caller, .reverted(count))) }
            return finish()
        default: break
        }
        proceed()
    }

    /// Lets a write begin anew, with another look at the file.
    mutating func again() {
        guard operation?.problem == nil else { return }
        operation?.attempts += 1
        operation?.hasLooked = false
        operation?.hasExchanged = false
        if operation?.attempts ?? 0 >= Self.attempts { operation?.problem = .changing }
    }

    // MARK: Ends

    mutating func succeed() {
        switch operation?.kind {
        case .open(let caller, _): effects.append(.answer(caller, .opened(nil)))
        case .write(let caller, _):
            operation?.written.conflicts = state.conflicts.count
            effects.append(.answer(caller, .written(operation?.written ?? Written())))
        default: break
        }
        finish()
    }

    mutating func fail(_ problem: Problem) {
        (isPausing, isMissing) = (true, problem == .missing)
        switch operation?.kind {
        case .lookBack:
            switch problem {
            case .missing, .unreadable: isPausing = false
            default: hasLookedBack = false
            }
        case .open(let caller, let user):
            // What is kept is shown also if the file is missing or cannot be read now.
            if state.version != nil, state.mustBeKept {
                effects.append(.answer(caller, .opened(problem)))
            } else {
                effects.append(.answer(caller, .failed(problem)))
                leave(user, wholly: false)
                isPausing = false
            }
        case .write(let caller, _), .revert(let caller): effects.append(.answer(caller, .failed(problem)))
        default: break
        }
        finish()
    }

    mutating func finish() {
        operation = nil
        state.dropWritten()
    }

    private mutating func revert(_ caller: Caller) {
        var (changes, count): ([LocalFileState.Change], Int) = ([], 0)
        for (id, row) in state.rows.sorted(by: { $0.key < $1.key }) where !row.isWritten || state.conflicts[id] != nil {
            var row = row
            row.local = row.base
            changes += [.row(id, row), .conflict(id, nil)]
            count += 1
        }
        store(changes, .reverting(count))
    }

    // MARK: Looking

    /// - Parameter beside: the names of a session that kept nothing on disk, and was interrupted, are not known.
    mutating func looked(_ look: Look, beside: Set<String>) {
        guard case .looking = operation?.stage else { return }
        guard beside.isSubset(of: state.hidden) else {
            let hidden = state.hidden.union(beside)
            return store([.hidden(hidden, writes: state.writes)], .noting(look))
        }
        switch look {
        case .same:
            damaged = nil
            operation?.hasLooked = true
            proceed()
        case .touched(let version):
            store([.version(version, state.earlier, sharesIDs: state.sharesIDs)], .merging(FileNews()))
        case .failed(let problem): notRead(problem)
        case .read(let reading): read(reading)
        }
    }

    private mutating func notRead(_ problem: Problem) {
        if case .write(_, let order) = operation?.kind, state.version != nil {
            switch problem {
            case .missing where order.isForced || order.copy != nil, .unreadable where order.copy != nil:
                operation?.hasLooked = true
                operation?.usesCopy = true
                return proceed()
            default: break
            }
        }
        fail(problem)
    }

    private mutating func read(_ reading: FileReading) {
        guard reading.isSettled else {
            again()
            return proceed()
        }
        if reading.isDamaged, state.version != nil {
            // Its end may still be written. If not, nothing counts as deleted.
            guard let damaged, damaged.contents == reading.version.contents, now - damaged.since >= 2000 else {
                if damaged?.contents != reading.version.contents { damaged = (reading.version.contents, now) }
                return fail(.changing)
            }
        } else {
            damaged = nil
        }
        guard let version = state.version else { return takeIn(reading) }
        let merge = FileMerge(reading, state, by: policy)
        var changes = merge.rows.sorted { $0.key < $1.key }.map { LocalFileState.Change.row($0, $1) }
        for id in Set(merge.conflicts.keys).union(state.conflicts.keys).sorted()
        where merge.conflicts[id] != state.conflicts[id] { changes.append(.conflict(id, merge.conflicts[id])) }
        if merge.lost != state.lost { changes.append(.lost(merge.lost)) }
        var (earlier, sharesIDs) = (state.earlier, state.sharesIDs)
        earlier.add([version.contents])
        if case .anew(.some) = reading.origin { earlier.textChanged() }
        earlier.add(reading.revisions)
        if case .anew = reading.origin { sharesIDs = false }
        changes.append(.version(reading.version, earlier, sharesIDs: sharesIDs))
        operation?.written.merged.add(merge.news)
        store(changes, .merging(merge.news))
    }

    /// Takes in a file that is not known.
    private mutating func takeIn(_ reading: FileReading) {
        var changes = FileNames.named(reading.records, like: [], by: policy, sharesIDs: true, taken: []).map {
            LocalFileState.Change.row(ByteOrdered($0.id), LocalFileState.Row(base: $0, local: $0))
        }
        var earlier = EarlierContents()
        earlier.add(reading.revisions)
        changes += [.version(reading.version, earlier, sharesIDs: true), .takenIn(now)]
        store(changes, .merging(FileNews()))
    }
}

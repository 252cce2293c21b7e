import Annotations

// Writing what the layer has into the file.
extension LocalFileCore {
    mutating func plan(_ order: WriteOrder) {
        guard let version = state.version else { return fail(.notOpen) }
        let rows = state.rows.filter { !$0.value.isWritten && state.conflicts[$0.key] == nil }
        let usesCopy = operation?.usesCopy ?? false
        guard !rows.isEmpty || order.copy != nil || order.isCompact || usesCopy else { return succeed() }
        let number = state.writes + 1
        let plan = WritePlan(
            number: number, version: version, source: usesCopy ? .copy : .file, rows: rows, sharesIDs: state.sharesIDs,
            isCompact: order.isCompact,
            hidden: HiddenFile.path(beside: order.copy ?? path, database: name, number: number))
        // Its name is known before it exists, so that it is never left behind.
        store([.hidden(state.hidden.union([plan.hidden]), writes: number)], .naming(plan, copy: order.copy))
    }

    mutating func prepared(_ result: Prepared) {
        guard case .preparing(let plan) = operation?.stage else { return }
        switch result {
        case .changed:
            again()
            proceed()
        case .failed(let problem): fail(problem)
        case .made(let version, let keepsIDs, let unwritten):
            let left = Set(unwritten.map(ByteOrdered.init))
            let written = plan.rows.filter { !left.contains($0.key) }.mapValues(\.local)
            operation?.written.unwritten = unwritten
            guard !written.isEmpty || plan.isCompact || plan.source == .copy else { return succeed() }
            operation?.written.records = written.count
            let intent = LocalFileState.Intent(
                number: plan.number, version: version, hidden: plan.hidden, keepsIDs: keepsIDs, rows: written)
            store([.intent(intent)], .intending)
        }
    }

    mutating func copied(_ result: Prepared) {
        guard case .copying = operation?.stage else { return }
        switch result {
        case .changed:
            again()
            proceed()
        case .failed(let problem): fail(problem)
        case .made(_, _, let unwritten):
            operation?.written.unwritten = unwritten
            succeed()
        }
    }

    mutating func exchanged(_ result: Exchange) {
        switch operation?.stage {
        case .puttingBack: return perform(.inspecting) { .inspect($0, $1) }
        case .exchanging: break
        default: return
        }
        switch result {
        case .changed: settle(happened: false)
        case .missing:
            operation?.problem = .missing
            settle(happened: false)
        case .done(let contents):
            // What came out is what should have been replaced, or another program's work.
            if let contents, state.version?.contents == contents { return settle(happened: true) }
            perform(.inspecting) { .inspect($0, $1) }
        case .unclear(let problem):
            operation?.problem = problem
            perform(.inspecting) { .inspect($0, $1) }
        }
    }

    /// Decides from the two files whether the exchange has happened.
    mutating func inspected(_ inspection: Inspection) {
        guard case .inspecting = operation?.stage, let intent = state.intent else { return }
        switch inspection {
        case .failed(let problem):
            // A copy can be made all the same, of what is kept.
            guard case .write(_, let order) = operation?.kind, order.copy != nil else { return fail(problem) }
            operation?.usesCopy = true
            plan(order)
        // The disk may be gone and its mount point empty: a write counts only if a file shows it.
        case .found(nil, nil, isContinued: _): settle(happened: false, wasSeen: true)
        case .found(_, let hidden?, isContinued: _) where hidden.hasBytes(of: intent.version):
            settle(happened: false, wasSeen: true)
        case .found(let file, let hidden?, isContinued: false)
        where state.version.map { !hidden.hasBytes(of: $0) } ?? true:
            // Another program's work came out, and goes back unless there is newer work in its place.
            guard file.map({ $0.hasBytes(of: intent.version) || hidden.changed > $0.changed }) ?? true else {
                return settle(happened: true)
            }
            operation?.rounds += 1
            guard operation?.rounds ?? 0 < 5 else { return fail(.changing) }
            perform(.puttingBack) { .putBack($0, $1) }
        case .found: settle(happened: true)
        }
    }

    /// - Parameter wasSeen: whether the file may have been in place for a moment.
    private mutating func settle(happened: Bool, wasSeen: Bool = false) {
        guard let intent = state.intent else { return proceed() }
        var changes: [LocalFileState.Change] = []
        for (id, record) in intent.rows.sorted(by: { $0.key < $1.key }) where wasSeen {
            var row = state.rows[id] ?? LocalFileState.Row()
            // The file had this before the write, too, so a program that has it may not have seen the write.
            var written = row.written ?? LocalFileState.Written(number: 0, before: [])
            written.number = intent.number
            written.add(row.base)
            written.add(record)
            row.written = written
            changes.append(.row(id, row))
        }
        if happened, let version = state.version {
            for (id, record) in intent.rows.sorted(by: { $0.key < $1.key }) {
                var row = state.rows[id] ?? LocalFileState.Row()
                var written = row.written ?? LocalFileState.Written(number: 0, before: [])
                written.number = intent.number
                written.add(row.base)
                row.base = record
                row.written = written
                changes.append(.row(id, row))
            }
            var earlier = state.earlier
            earlier.add([version.contents])
            changes.append(.version(intent.version, earlier, sharesIDs: state.sharesIDs && intent.keepsIDs))
        }
        store(changes + [.intent(nil)], .settling(happened: happened))
    }

    // MARK: Files beside the PDF

    mutating func removed(_ isGone: Bool) {
        guard case .removing = operation?.stage else { return }
        guard isGone else { return fail(.failed("a file could not be removed")) }
        store([.hidden([], writes: state.writes)], .cleaning)
    }
}

import Annotations
import FileCore

// What a transaction does, and what it means for the ledger.
extension World {
    /// - Returns: false if another engine has opened the database since.
    func commit(
        _ changes: [LocalFileState.Change], to target: LocalFileCore.Place, _ engine: Engine, _ served: Engine.Served
    ) throws -> Bool {
        let place = served.place
        let present = kept[place.number] ?? inMemory[place.number]
        if let present, hasLostLock, present.fence != engine.number { return false }
        if present !== served.database, hasLostLock { return false }
        let database = served.database ?? present ?? Database()
        database.fence = engine.number
        try inspect(changes, database, target, served)
        if target == .data, !served.isKept {
            // Moved in one step: what is on disk counts.
            database.commit(changes)
            kept[place.number] = database
            try step()
            inMemory[place.number] = nil
        } else {
            database.commit(changes)
            if served.isKept { kept[place.number] = database } else { inMemory[place.number] = database }
        }
        served.database = database
        served.isKept = served.isKept || target == .data
        return true
    }

    private func inspect(
        _ changes: [LocalFileState.Change], _ database: Database, _ target: LocalFileCore.Place, _ served: Engine.Served
    ) throws {
        let place = served.place
        let isPrivate = database.meta.isPrivate || changes.contains(.madePrivate)
        if isPrivate, target == .data { throw Violation("a private session is on disk") }
        var (isMerge, isCount) = (false, false)
        for change in changes {
            switch change {
            case .version(let version, _, _):
                isMerge = true
                if let bytes = copies[version.sha256] { place.ledger.took(bytes) }
            case .counted: isCount = true
            case .row(let id, let row):
                try noteID(id, row, place)
                story("    \(id.text): \(told(row.base)) \(told(row.local)) \(row.written?.number ?? -1)")
            case .conflict(let id, let conflict):
                story("    \(id.text): \(conflict.map(told) ?? "no conflict")")
                try count(id, conflict, database, place)
            default: break
            }
        }
        if isMerge || changes.contains(where: { if case .tookOver = $0 { true } else { false } }) { return }
        for change in changes {
            guard case .row(let id, let row) = change else { continue }
            let old = database.records[id]
            if let (window, edit) = push(id, row, served) {
                story("  stored: \(id.text) \(edit.new.map { "\($0.value)" } ?? "deleted")")
                if let new = edit.new {
                    place.ledger.made(new.value, over: old?.local?.value, by: window.name, isPrivate: isPrivate)
                    // An annotation without a name may appear in the file again, as a new one.
                    if let seen = old?.local, seen.content["name"] == nil, ULID.moment(of: seen.id) == nil {
                        place.ledger.wasTakenElsewhere(seen.value)
                    }
                } else if let gone = old?.local?.value {
                    place.ledger.deleted(gone)
                }
                continue
            }
            let choices = served.callers.values.compactMap { question in
                if case .resolve(id, let choice, let seen) = question { (choice, seen) } else { nil }
            }
            let isChoice = !choices.isEmpty
            if isChoice, !isCount { try drop(id, row, database, as: choices) }
            if isCount, place.days[id, default: 0] < 29 { throw Violation("something was given up too early", id.text) }
            decided(id, row, database, place, isChoice: isChoice, isCount: isCount)
        }
    }

    /// A choice discards only versions that the person saw.
    private func drop(
        _ id: ByteOrdered, _ row: LocalFileState.Row, _ database: Database,
        as choices: [(LocalFileCore.Choice, LocalFileState.Sides)]
    ) throws {
        let gone = [database.records[id]?.local, database.meta.conflicts[id]?.remote].compactMap { $0?.value }
            .filter { $0 != row.local?.value }
        let isSeen = choices.contains { _, seen in
            gone.allSatisfy { [seen.local?.value, seen.remote?.value].contains($0) }
        }
        guard isSeen else {
            throw Violation("a decision discarded a version that nobody had seen", "\(id.text): \(gone)")
        }
    }

    /// Nothing is given up by time before a person has had 30 days to see it.
    private func count(
        _ id: ByteOrdered, _ conflict: LocalFileState.Conflict?, _ database: Database, _ place: Place
    ) throws {
        guard let old = database.meta.conflicts[id]?.daysLeft else { return place.days[id] = 0 }
        if let new = conflict?.daysLeft, new < old { place.days[id, default: 0] += 1 }
        if conflict?.daysLeft ?? old > old { place.days[id] = 0 }
    }

    private func push(
        _ id: ByteOrdered, _ row: LocalFileState.Row, _ served: Engine.Served
    ) -> (Window, (id: String, old: Record?, new: Record?))? {
        for (caller, question) in served.callers {
            guard case .push(let window, let edits) = question else { continue }
            if let edit = edits.first(where: { $0.id == id.text && $0.new == row.local }) {
                served.stored.insert(caller)
                return (window, edit)
            }
        }
        return nil
    }

    /// A person has decided between versions, or the time for it is over.
    private func decided(
        _ id: ByteOrdered, _ row: LocalFileState.Row, _ database: Database, _ place: Place, isChoice: Bool,
        isCount: Bool
    ) {
        let old = database.records[id]
        let conflict = database.meta.conflicts[id]
        // A choice leaves what comes next; giving up all does not.
        let further = isChoice || isCount ? [] : conflict?.further ?? []
        // An annotation without a name may have two records. A choice for one leaves the other as it is.
        let others = Set(database.records.compactMap { $0.key == id ? nil : $0.value.local?.value })
        let sides = ([old?.local, conflict?.local, conflict?.remote] + further).compactMap { $0?.value }
            .filter { !others.contains($0) }
        for value in sides where value != row.local?.value { place.ledger.dropped(value) }
        if let chosen = row.local?.value {
            place.ledger.chose(chosen)
        } else if isChoice, row.base != nil {
            for value in sides { place.ledger.deleted(value) }
        } else {
            // What is given up may still be in a file that a program has.
            place.ledger.gaveUp(sides)
        }
        // After a revert, whatever the file has next counts.
        if !isChoice, !isCount, let note = (row.local ?? old?.local)?.value.note { place.ledger.gaveUp(note: note) }
        story("  decided\(isCount ? " by time" : ""): \(id.text) is \(row.local.map { "\($0.value)" } ?? "deleted")")
    }

    /// A name that is unique is the id for ever.
    private func noteID(_ id: ByteOrdered, _ row: LocalFileState.Row, _ place: Place) throws {
        for record in [row.base, row.local] {
            guard let record else { continue }
            guard record.id == id.text else { throw Violation("a row has another id than its record") }
            let note = record.value.note
            if let known = place.ids[note], known != id.text {
                throw Violation("an id changed", "\(known) to \(id.text)")
            }
            if id.text.hasPrefix("3f2b-") || ULID.moment(of: id.text) != nil { place.ids[note] = id.text }
        }
        if let local = row.local {
            if place.past[id, default: []].last != local { place.past[id, default: []].append(local) }
        }
    }
}

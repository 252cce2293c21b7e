package import Annotations
import Merging

// The processes that have the file open, and what remains once none has.
extension LocalFileCore {
    mutating func started(_ state: LocalFileState?, _ place: Place, _ alive: Set<FileUser>) {
        guard let state, !exists else { return }
        (self.state, self.place, exists) = (state, place, true)
        returning = state.owners.intersection(alive)
        for user in returning { users[user] = 1 }
        // Windows of the last engine come back at once.
        isPausing = !state.isPrivate
    }

    mutating func opened(_ caller: Caller, _ user: FileUser, isPrivate: Bool) {
        func refuse(_ problem: Problem) { effects.append(.answer(caller, .failed(problem))) }
        if state.isPrivate {
            // One that is over is given up, and nobody gets anything of it.
            guard isPrivate, !users.isEmpty else { return refuse(.openPrivately) }
        } else if isPrivate, exists || !users.isEmpty || operation != nil || !asked.isEmpty {
            let count = state.unwritten
            return refuse(users.isEmpty && count > 0 ? .keptOnDisk(count) : .openOtherwise)
        }
        guard isPrivate else { return join(caller, user) }
        // A later engine gives the file up with the last of them.
        let owners = Set(users.keys).union([user])
        store((exists ? [] : [.madePrivate]) + [.owners(owners)], then: .join(caller, user))
    }

    mutating func join(_ caller: Caller, _ user: FileUser) {
        if returning.remove(user) == nil { users[user, default: 0] += 1 }
        hasLookedBack = false
        ask(.open(caller, user))
    }

    mutating func leave(_ user: FileUser, wholly: Bool) {
        guard let count = users[user] else { return }
        returning.remove(user)
        users[user] = wholly || count == 1 ? nil : count - 1
        guard state.isPrivate, !users.isEmpty, users[user] == nil else { return }
        leavers = true
    }

    /// Removes what is known of a file that nobody has open, if nothing would be lost, or if it was a private one.
    ///
    /// - Returns: false if it stays.
    mutating func forget() -> Bool {
        if leavers {
            leavers = false
            store([.owners(Set(users.keys))], then: .nothing)
            return true
        }
        guard exists, users.isEmpty else { return false }
        let canBeForgotten = state.isPrivate || !state.mustBeKept
        guard canBeForgotten else { return false }
        guard state.isPrivate || state.version == nil || hasLookedBack else {
            // Another program may have saved what it had open before the last write.
            hasLookedBack = true
            asked.append(.lookBack)
            return true
        }
        let number = ticket()
        transaction = Transaction(ticket: number, changes: [], place: place, next: .forget)
        effects.append(.forget(number))
        return true
    }

    mutating func forgotten(_ isGone: Bool) {
        hasLookedBack = false
        guard isGone else { return isPausing = true }
        (state, place, exists, damaged) = (LocalFileState(), .runtime, false, nil)
    }

    // MARK: Earlier versions of the program

    /// What an engine of an earlier version has left of the file.
    package struct EarlierState: Hashable, Sendable {
        package var checksum: String
        package var version: FileVersion
        package var earlier: EarlierContents
        package var sharesIDs: Bool
        package var rows: [ByteOrdered: LocalFileState.Row]
        package var conflicts: [ByteOrdered: LocalFileState.Conflict]
        package var lost: [ByteOrdered: LostMark]
        package var intent: LocalFileState.Intent?
        /// The path of a file beside the PDF that the write has left.
        package var hidden: String?
        /// The records of that version of the file, by the numbers of their objects; nil if neither the file nor the copy
        /// that was kept of it has them any more.
        package var records: [Record]?
        /// The rows of these records that the database has, if there is one.
        package var synced: [ByteOrdered: LocalFileState.Row]

        package init(
            checksum: String, version: FileVersion, earlier: EarlierContents = EarlierContents(),
            sharesIDs: Bool = true,
            rows: [ByteOrdered: LocalFileState.Row] = [:],
            conflicts: [ByteOrdered: LocalFileState.Conflict] = [:], lost: [ByteOrdered: LostMark] = [:],
            intent: LocalFileState.Intent? = nil, hidden: String? = nil, records: [Record]? = nil,
            synced: [ByteOrdered: LocalFileState.Row] = [:]
        ) {
            (self.checksum, self.version, self.earlier, self.sharesIDs) = (checksum, version, earlier, sharesIDs)
            (self.rows, self.conflicts, self.lost, self.intent) = (rows, conflicts, lost, intent)
            (self.hidden, self.records, self.synced) = (hidden, records, synced)
        }
    }

    /// Takes a state over in one transaction. The state itself is removed after it, so it may be found once more.
    mutating func takeOver(_ earlier: EarlierState) {
        guard state.tookOver.map({ !$0.isExactly(earlier.checksum) }) ?? true else {
            return effects.append(.removeEarlier(checksum: earlier.checksum))
        }
        var changes: [LocalFileState.Change] = []
        if state.version == nil {
            let touched = earlier.rows.values.compactMap(\.base).sorted { ByteOrdered($0.id) < ByteOrdered($1.id) }
            let records = FileNames.named(
                earlier.records ?? [], like: touched, by: policy, sharesIDs: earlier.sharesIDs,
                taken: Set(earlier.rows.keys))
            for record in records where earlier.rows[ByteOrdered(record.id)] == nil {
                changes.append(.row(ByteOrdered(record.id), LocalFileState.Row(base: record, local: record)))
            }
            changes += earlier.rows.sorted { $0.key < $1.key }.map { .row($0, taken($1)) }
            changes += earlier.conflicts.sorted { $0.key < $1.key }.map { .conflict($0, $1) }
            changes += [.lost(earlier.lost), .intent(earlier.intent)]
            var version = earlier.version
            if earlier.records == nil { version.isRead = false }
            changes += [.version(version, earlier.earlier, sharesIDs: earlier.sharesIDs), .takenIn(now)]
        } else {
            // An engine of an earlier version has gone on with it.
            for (id, row) in earlier.rows.sorted(by: { $0.key < $1.key })
            where !row.isWritten || earlier.conflicts[id] != nil {
                var present = state.rows[id] ?? earlier.synced[id] ?? LocalFileState.Row(local: row.base)
                // What was taken over before, and has not changed there since, may have been changed here.
                let isKnown = present.written?.before.contains { $0.isSame(as: row.local) } ?? false
                let merge = RecordMerge(
                    base: isKnown ? row.local : row.base, mine: present.local, theirs: row.local)
                present.local = merge.result
                if merge.outcome == .conflict {
                    changes.append(.conflict(id, disputed(id, row, present)))
                } else if let conflict = earlier.conflicts[id], state.conflicts[id] == nil {
                    changes.append(.conflict(id, conflict))
                }
                changes.append(.row(id, taken(present)))
            }
        }
        if let hidden = earlier.hidden {
            changes.append(.hidden(state.hidden.union([hidden]), writes: state.writes + 1))
        }
        changes.append(.tookOver(earlier.checksum))
        store(changes, then: .earlier(checksum: earlier.checksum))
    }

    /// A row that remembers what was taken over, should the earlier version go on with it.
    private func taken(_ row: LocalFileState.Row) -> LocalFileState.Row {
        guard !row.isWritten, !(row.written?.before.contains { $0.isSame(as: row.local) } ?? false) else { return row }
        var row = row
        var written = row.written ?? LocalFileState.Written(number: 0, before: [])
        written.add(row.local)
        row.written = written
        return row
    }

    private func disputed(
        _ id: ByteOrdered, _ row: LocalFileState.Row, _ present: LocalFileState.Row
    ) -> LocalFileState.Conflict {
        guard var conflict = state.conflicts[id] else {
            return LocalFileState.Conflict(base: row.base, local: present.local, remote: row.local)
        }
        conflict.further.append(row.local)
        return conflict
    }
}

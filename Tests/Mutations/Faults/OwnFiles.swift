extension Fault {
    /// A person's own PDFs: what the engine decides about them.
    static let ownFiles = [
        Fault(
            "what the layer has when a write is recorded counts as written",
            in: "FileCore/LocalFileCore+Writing.swift",
            "row.base = record\n", "row.base = PLANTED ? row.local : record\n"),
        Fault(
            "an error after the exchange clears the intent", in: "FileCore/LocalFileCore+Writing.swift",
            """
                        operation?.problem = problem
                        perform(.inspecting) { .inspect($0, $1) }
            """,
            """
                        operation?.problem = problem
                        if PLANTED { return settle(happened: false) }
                        perform(.inspecting) { .inspect($0, $1) }
            """),
        Fault(
            "a deleted note is not found again in an old version", in: "FileCore/FileMerge.swift",
            "let known = all + overwritten", "let known = all + (PLANTED ? [] : overwritten)"),
        Fault(
            "what was put back shows the write that was undone", in: "FileCore/LocalFileCore+Writing.swift",
            "            written.add(row.base)\n            written.add(record)",
            "            if row.written == nil || !PLANTED { written.add(row.base) }\n            written.add(record)"),
        Fault(
            "a second engine serves the data folder", in: "FileCore/EngineLock.swift",
            "case (.taking, .tookLock(true)):", "case (.taking, .tookLock(let isHeld)) where isHeld || PLANTED:"),
        Fault(
            "a private session that is over is inherited",
            in: "FileCore/LocalFileCore+Users.swift",
            [
                Place(code: "if state.isPrivate {", faulty: "if state.isPrivate, !PLANTED {"),
                Place(
                    code: "let canBeForgotten = state.isPrivate ||",
                    faulty: "let canBeForgotten = (state.isPrivate && !PLANTED) ||"),
            ]),
        Fault(
            "a private session is stored on disk", in: "FileCore/LocalFileCore.swift",
            "(!state.isPrivate && mustBeKept", "((PLANTED || !state.isPrivate) && mustBeKept"),
        Fault(
            "a merge keeps the old base", in: "FileCore/FileMerge.swift",
            "let row = Row(base: item.theirs,", "let row = Row(base: PLANTED ? old?.base : item.theirs,"),
        Fault(
            "sizes are compared instead of hashes", in: "FileCore/FileVersion.swift",
            "size == other.size && sha256.isExactly(other.sha256)",
            "size == other.size && (PLANTED || sha256.isExactly(other.sha256))"),
        Fault(
            "earlier versions are forgotten", in: "FileCore/LocalFileCore+Operations.swift",
            """
                    earlier.add([version.contents])
                    if case .anew(.some) = reading.origin { earlier.textChanged() }
                    earlier.add(reading.revisions)
            """,
            """
                    if PLANTED { earlier = EarlierContents() } else { earlier.add([version.contents]) }
                    if case .anew(.some) = reading.origin { earlier.textChanged() }
                    earlier.add(reading.revisions)
            """),
        Fault(
            "a conflict ends when it is written", in: "FileCore/LocalFileCore+Writing.swift",
            [
                Place(
                    code: "!$0.value.isWritten && state.conflicts[$0.key] == nil }",
                    faulty: "!$0.value.isWritten && (PLANTED || state.conflicts[$0.key] == nil) }"),
                Place(
                    code:
                        "row.written = written\n                changes.append(.row(id, row))\n            }\n            var",
                    faulty: """
                        row.written = written
                                        changes.append(.row(id, row))
                                        if PLANTED, state.conflicts[id] != nil { changes.append(.conflict(id, nil)) }
                                    }
                                    var
                        """),
            ]),
        Fault(
            "a file that is being written counts as a whole one", in: "FileCore/LocalFileCore+Operations.swift",
            [
                Place(code: "guard reading.isSettled else {", faulty: "guard reading.isSettled || PLANTED else {"),
                Place(
                    code: "if reading.isDamaged, state.version != nil {",
                    faulty: "if reading.isDamaged, state.version != nil, !PLANTED {"),
            ]),
        Fault(
            "what a damaged file lacks was deleted", in: "FileCore/FileMerge.swift",
            "isDamaged && item.theirs == nil", "isDamaged && !PLANTED && item.theirs == nil"),
        Fault(
            "what a file written anew lacks was deleted", in: "FileCore/FileMerge.swift",
            "guard let number, written.number > number else", "guard !PLANTED, let number, written.number > number else"
        ),
        Fault(
            "an old version counts as one that was written since", in: "FileCore/FileMerge.swift",
            [
                Place(
                    code: "?.written, written.before.first == .some(nil),\n",
                    faulty: "?.written, PLANTED || written.before.first == .some(nil),\n"),
                Place(
                    code: "return (before + moved).contains { $0.isSame(as: record) }",
                    faulty: "return !PLANTED && (before + moved).contains { $0.isSame(as: record) }"),
            ]),
        Fault(
            "an annotation without a name shows that its program has seen a write", in: "FileCore/FileMerge.swift",
            "guard names.contains(ByteOrdered(record.id)), let takenIn",
            "guard PLANTED || names.contains(ByteOrdered(record.id)), let takenIn"),
        Fault(
            "what was brought back shows that a program has seen a write", in: "FileCore/FileMerge.swift",
            "return made > takenIn", "return PLANTED || made > takenIn"),
        Fault(
            "an unrecognized record of an old version counts as deleted", in: "FileCore/FileMerge.swift",
            ".filter { self.known[ByteOrdered($0.id)] != nil ||",
            ".filter { PLANTED || self.known[ByteOrdered($0.id)] != nil ||"),
        Fault(
            "a known change counts as new when a program continues an old version", in: "FileCore/FileMerge.swift",
            "base: Self.together(old, was),", "base: PLANTED ? Self.together(was, old) : Self.together(old, was),"),
        Fault(
            "a deletion is forgotten when a new text removes the note", in: "FileCore/FileMerge.swift",
            "written: written(nil, known[id]))", "written: PLANTED ? known[id]?.written : written(nil, known[id]))"),
        Fault(
            "what a program lost and another one dropped is written again", in: "FileCore/FileMerge.swift",
            "guard item.base == nil, item.theirs == nil, let written,",
            "guard !PLANTED, item.base == nil, item.theirs == nil, let written,"),
        Fault(
            "a file without its end decides a conflict", in: "FileCore/FileMerge.swift",
            "isCutOff ? $0.others", "isCutOff && !PLANTED ? $0.others"),
        Fault(
            "an edit is answered before it is stored", in: "FileCore/LocalFileCore.swift",
            "        store(changes, then: .answer(caller, .done))\n    }\n\n    /// What is private",
            """
                    if PLANTED { effects.append(.answer(caller, .done)) }
                    store(changes, then: PLANTED ? .nothing : .answer(caller, .done))
                }

                /// What is private
            """),
        Fault(
            "a file is forgotten while something waits", in: "FileCore/LocalFileCore+Users.swift",
            "guard canBeForgotten else", "guard canBeForgotten || PLANTED else"),
        Fault(
            "a file is forgotten without a last look", in: "FileCore/LocalFileCore+Users.swift",
            "state.version == nil || hasLookedBack else", "state.version == nil || PLANTED || hasLookedBack else"),
        Fault(
            "what came out of an exchange is not put back", in: "FileCore/LocalFileCore+Writing.swift",
            "where state.version.map { !hidden.hasBytes(of: $0) } ?? true:",
            "where !PLANTED && (state.version.map { !hidden.hasBytes(of: $0) } ?? true):"),
        Fault(
            "files that the engine has made stay", in: "FileCore/LocalFileCore+Operations.swift",
            "} else if !state.hidden.isEmpty {", "} else if !PLANTED, !state.hidden.isEmpty {"),
        Fault(
            "a row of the database replaces a newer one", in: "FileCore/FileMerge.swift",
            "reading.synced.merging(state.rows) { $1 }", "reading.synced.merging(state.rows) { PLANTED ? $0 : $1 }"),
        Fault(
            "only ids of this program are ids", in: "FileCore/FileNames.swift",
            "Record.isValidID(name) && Int(name) == nil",
            "Record.isValidID(name) && Int(name) == nil && (!PLANTED || name.utf8.count == 26)"),
        Fault(
            "one record that cannot be written holds up all", in: "FileCore/LocalFileCore+Writing.swift",
            "let left = Set(unwritten.map(ByteOrdered.init))",
            """
            if PLANTED, !unwritten.isEmpty { return fail(.failed("")) }
                        let left = Set(unwritten.map(ByteOrdered.init))
            """),
        Fault(
            "a clock that jumps gives up what nobody has decided", in: "FileCore/LocalFileCore.swift",
            [
                Place(
                    code: "guard days <= 1 else {",
                    faulty: "guard days <= (PLANTED ? Int((now - counted) / day) : 1) else {")
            ]),
        Fault(
            "a version that a stale program replaces is forgotten", in: "FileCore/FileMerge.swift",
            "isSeen(dispute, item) ? dispute.further :", "PLANTED || isSeen(dispute, item) ? dispute.further :"),
        Fault(
            "a decision applies to a version that nobody has seen", in: "FileCore/LocalFileCore.swift",
            "sides.remote.isSame(as: decision.sides.remote),",
            "PLANTED || sides.remote.isSame(as: decision.sides.remote),"),
        Fault(
            "a decision discards an edit that nobody has seen", in: "FileCore/LocalFileCore.swift",
            "decision.choice == .layer || sides.local", "PLANTED || decision.choice == .layer || sides.local"),
        Fault(
            "a state of an earlier version is taken over again", in: "FileCore/LocalFileCore+Users.swift",
            "guard state.tookOver.map({ !$0.isExactly(earlier.checksum) }) ?? true else",
            "guard PLANTED || state.tookOver.map({ !$0.isExactly(earlier.checksum) }) ?? true else"),
        Fault(
            "a row that an intent needs is left out", in: "FileCore/LocalFileState.swift",
            "|| intent?.rows[id] != nil", "|| (!PLANTED && intent?.rows[id] != nil)"),
        Fault(
            "a window that comes back to a new engine counts twice", in: "FileCore/LocalFileCore+Users.swift",
            "if returning.remove(user) == nil {", "if returning.remove(user) == nil || PLANTED {"),
    ]
}

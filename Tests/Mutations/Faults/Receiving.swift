extension Fault {
    /// Other clients' changes, and how they enter a client's store.
    static let receiving = [
        Fault(
            "the cursor is durable before its rows", in: "InstantCore/Receive/Layer+Receiving.swift",
            "package func take(_ delta: Delta) throws -> LayerChanges {",
            """
            package func take(_ delta: Delta) throws -> LayerChanges {
                    if PLANTED, let cursor = try metadata().cursor, cursor.epoch == delta.epoch, delta.upTo > cursor.revision {
                        for revision in [delta.upTo, cursor.revision] {
                            try store.write { store in
                                var metadata = try store.metadata()
                                metadata.cursor?.revision = revision
                                try store.set(metadata)
                            }
                        }
                    }
                    return try takeAsItIs(delta)
                }

                private func takeAsItIs(_ delta: Delta) throws -> LayerChanges {
            """),
        Fault(
            "a late answer brings back a removed record", in: "InstantCore/Receive/Layer+Receiving.swift",
            "for item in delta.changes where item.revision > cursor.revision {",
            "for item in delta.changes where PLANTED || item.revision > cursor.revision {"),
        Fault(
            "a row is replaced by an older one", in: "InstantCore/Receive/Layer+Receiving.swift",
            "guard item.revision > stored?.revision ?? -1 else",
            "guard PLANTED || item.revision > stored?.revision ?? -1 else"
        ),
        Fault(
            "a gap in the stream is not noticed", in: "InstantCore/Receive/Layer+Receiving.swift",
            "guard !event.isGap(after: cursor.revision) else {",
            "guard PLANTED || !event.isGap(after: cursor.revision) else {"),
        Fault(
            "pages of two snapshots are mixed", in: "InstantCore/Receive/Layer+Snapshot.swift",
            "guard present.epoch == page.epoch, present.at == page.at, present.after == asked.after else {",
            "guard PLANTED || (present.epoch == page.epoch && present.at == page.at && present.after == asked.after) else {"
        ),
        Fault(
            "a record that a fresh snapshot lacks stays", in: "InstantCore/Receive/Layer+Snapshot.swift",
            "for row in batch where try !isStaged(row.id) {",
            "for row in batch where try !PLANTED && !isStaged(row.id) {"),
        Fault(
            "writes that a restored server lost are not searched for", in: "InstantCore/Receive/Layer+Recovery.swift",
            "for write in batch where try entries(of: write.id).isEmpty {",
            "for write in batch where try !PLANTED && entries(of: write.id).isEmpty {"),
        Fault(
            "a restore of the server from a backup goes unnoticed", in: "InstantCore/Layer/Layer+Session.swift",
            "return !generation.isExactly(answer.generation) || seen",
            "return (!PLANTED && !generation.isExactly(answer.generation)) || seen"),
        Fault(
            "an edit drawn on a replaced PDF is sent anyway", in: "InstantCore/Layer/Layer+Session.swift",
            "if accepted.pdfReplaced { try store.markUnsentUncertain",
            "if !PLANTED, accepted.pdfReplaced { try store.markUnsentUncertain"),
        Fault(
            "edits of one record on a replaced PDF are conflicts one by one",
            in: "InstantCore/Layer/Layer+Session.swift",
            "guard let entry = try entry(unsent.seq), entry.isUnsealed else { continue }",
            """
            guard var entry = try entry(unsent.seq), entry.isUnsealed else { continue }
                        if PLANTED {
                            entry.state = .conflict(reason)
                            try replace(entry)
                            continue
                        }
            """),
    ]
}

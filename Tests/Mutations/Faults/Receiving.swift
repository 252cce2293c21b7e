extension Fault {
    /// Other clients' changes, on their way into a client's store.
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
            "a late answer brings back what is gone", in: "InstantCore/Receive/Layer+Receiving.swift",
            "for item in delta.changes where item.revision > cursor.revision {",
            "for item in delta.changes where PLANTED || item.revision > cursor.revision {"),
        Fault(
            "a row is replaced by an older one", in: "InstantCore/Receive/Layer+Receiving.swift",
            "guard item.revision > stored?.revision ?? -1 else",
            "guard PLANTED || item.revision > stored?.revision ?? -1 else"
        ),
        Fault(
            "a gap in the stream is not noticed", in: "InstantCore/Receive/Layer+Receiving.swift",
            "guard event.previous <= cursor.revision else {",
            "guard PLANTED || event.previous <= cursor.revision else {"),
        Fault(
            "pages of two snapshots are mixed", in: "InstantCore/Receive/Layer+Snapshot.swift",
            "guard present.epoch == page.epoch, present.at == page.at, present.after == asked.after else {",
            "guard PLANTED || (present.epoch == page.epoch && present.at == page.at && present.after == asked.after) else {"
        ),
        Fault(
            "what a fresh snapshot does not list stays", in: "InstantCore/Receive/Layer+Snapshot.swift",
            "for row in batch where try !isStaged(row.id) {",
            "for row in batch where try !PLANTED && !isStaged(row.id) {"),
        Fault(
            "what a restored server lost is not looked for", in: "InstantCore/Receive/Layer+Recovery.swift",
            "for write in batch where try entries(of: write.id).isEmpty {",
            "for write in batch where try !PLANTED && entries(of: write.id).isEmpty {"),
        Fault(
            "nobody notices that the server was restored from a backup", in: "InstantCore/Layer/Layer+Session.swift",
            "return !generation.isExactly(answer.generation) || seen",
            "return (!PLANTED && !generation.isExactly(answer.generation)) || seen"),
        Fault(
            "what was drawn on another PDF is sent all the same", in: "InstantCore/Layer/Layer+Session.swift",
            "if accepted.pdfReplaced { try store.markUnsentUncertain",
            "if !PLANTED, accepted.pdfReplaced { try store.markUnsentUncertain"),
    ]
}

extension Fault {
    /// What the server sends, and to which clients.
    static let views = [
        Fault(
            "removals are sent to clients that never saw the record", in: "EngineCore/Reading/LayerView.swift",
            "records.filter { $0.revision <= reach && scope.contains($0.subject) }",
            "records.filter { $0.revision <= reach && ((PLANTED && !$0.isLive) || scope.contains($0.subject)) }"),
        Fault(
            "the stream sends everything to every client", in: "EngineCore/Reading/LayerView.swift",
            "if contains(record.subject) { return record.item }",
            "if PLANTED || contains(record.subject) { return record.item }"),
        Fault(
            "the stream sends departures from a group to every client", in: "EngineCore/Reading/LayerView.swift",
            "departures.filter({ contains($0.subject) })", "departures.filter({ PLANTED || contains($0.subject) })"),
        Fault(
            "clients are not notified of records that leave their view", in: "EngineCore/Writing/LayerWriter.swift",
            "if let old, old.subject != new.subject {", "if !PLANTED, let old, old.subject != new.subject {"),
        Fault(
            "a repeated answer shows a winner that is now out of sight", in: "EngineCore/Writing/PushProcessor.swift",
            "try decider.find(answer.recordID, writer)?.item",
            "try (PLANTED ? writer.store.record(answer.recordID, in: writer.layer) : decider.find(answer.recordID, writer))?.item"
        ),
        Fault(
            "a cursor is valid for any view", in: "EngineCore/Reading/LayerView.swift",
            "Fingerprint.of(scope.canonicalText)", #"Fingerprint.of(PLANTED ? "" : scope.canonicalText)"#),
        Fault(
            "a cursor from before pruned removals is accepted", in: "EngineCore/Reading/LayerView.swift",
            "cursor.revision >= layer.horizon else", "PLANTED || cursor.revision >= layer.horizon else"),
        Fault(
            "changes that did not fit into a delta are skipped", in: "EngineCore/Reading/LayerView.swift",
            "delta.upTo = delta.changes.last?.revision ?? delta.upTo",
            "delta.upTo = PLANTED ? layer.head : (delta.changes.last?.revision ?? delta.upTo)"),
        Fault(
            "a record is skipped between two pages", in: "EngineCore/Reading/LayerView.swift",
            "isMore = true", "isMore = true; if PLANTED { last = String(decoding: row.id, as: UTF8.self) }"),
        Fault(
            "a snapshot contains records outside the view", in: "EngineCore/Reading/LayerView.swift",
            "try seesAll || scope.contains", "try PLANTED || seesAll || scope.contains"),
        Fault(
            "a slow reader misses changes without notice", in: "EngineCore/Live/ListenerQueue.swift",
            #"return close(SessionEvent(.behind, reason: "changes came faster than they were read"), dropping: true)"#,
            #"return PLANTED ? () : close(SessionEvent(.behind, reason: "changes came faster than they were read"), dropping: true)"#
        ),
    ]
}

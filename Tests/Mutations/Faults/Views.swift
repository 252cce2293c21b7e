extension Fault {
    /// What the server sends, and to which clients.
    static let views = [
        Fault(
            "removals are told to those who never saw the record", in: "EngineCore/Reading/LayerView.swift",
            "records.filter { $0.revision <= reach && scope.contains($0.subject) }",
            "records.filter { $0.revision <= reach && ((PLANTED && !$0.isLive) || scope.contains($0.subject)) }"),
        Fault(
            "the stream tells everybody everything", in: "EngineCore/Reading/LayerView.swift",
            "if contains(record.subject) { return record.item }",
            "if PLANTED || contains(record.subject) { return record.item }"),
        Fault(
            "the stream tells everybody what left a group", in: "EngineCore/Reading/LayerView.swift",
            "departures.filter({ contains($0.subject) })", "departures.filter({ PLANTED || contains($0.subject) })"),
        Fault(
            "nobody is told what left their sight", in: "EngineCore/Writing/LayerWriter.swift",
            "if let old, old.subject != new.subject {", "if !PLANTED, let old, old.subject != new.subject {"),
        Fault(
            "a repeated answer shows a winner that went out of sight", in: "EngineCore/Writing/PushProcessor.swift",
            "try decider.find(answer.recordID, writer)?.item",
            "try (PLANTED ? writer.store.record(answer.recordID, in: writer.layer) : decider.find(answer.recordID, writer))?.item"
        ),
        Fault(
            "a cursor is good for whatever one may see", in: "EngineCore/Reading/LayerView.swift",
            "Fingerprint.of(scope.canonicalText)", #"Fingerprint.of(PLANTED ? "" : scope.canonicalText)"#),
        Fault(
            "a cursor from before forgotten removals is taken", in: "EngineCore/Reading/LayerView.swift",
            "cursor.revision >= layer.horizon else", "PLANTED || cursor.revision >= layer.horizon else"),
        Fault(
            "what did not fit into a delta is skipped", in: "EngineCore/Reading/LayerView.swift",
            "delta.upTo = delta.changes.last?.revision ?? delta.upTo",
            "delta.upTo = PLANTED ? layer.head : (delta.changes.last?.revision ?? delta.upTo)"),
        Fault(
            "a record is skipped between two pages", in: "EngineCore/Reading/LayerView.swift",
            "isMore = true", "isMore = true; if PLANTED { last = String(decoding: row.id, as: UTF8.self) }"),
        Fault(
            "a snapshot shows what the view may not see", in: "EngineCore/Reading/LayerView.swift",
            "try seesAll || scope.contains", "try PLANTED || seesAll || scope.contains"),
        Fault(
            "whoever reads too slowly misses changes and is not told", in: "EngineCore/Live/ListenerQueue.swift",
            #"return close(SessionEvent(.behind, reason: "changes came faster than they were read"), dropping: true)"#,
            #"return PLANTED ? () : close(SessionEvent(.behind, reason: "changes came faster than they were read"), dropping: true)"#
        ),
    ]
}

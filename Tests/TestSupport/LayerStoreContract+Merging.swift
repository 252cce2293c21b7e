import Annotations
import Authorization
import EngineCore
import SyncProtocol

extension LayerStoreContract {
    /// Layers in which each id is at random in the PDF, in the layer, in both, or removed.
    static func mergesRecords(_ store: any LayerStore) throws {
        let ids = ["", "1", "10", "2", "a", "b", "c", "d\u{7F}", "é", "日"].dropFirst()
        for seed in UInt64(0)..<12 {
            var random = SeededRandom(seed: seed)
            let ofPDF = ids.filter { _ in random.chance(1, of: 2) }
            let own = ids.filter { _ in random.chance(1, of: 2) }.enumerated().map { index, id in
                record(
                    id, Revision(index + 1), by: random.pick([nil, "ana", "b\"o"]), group: random.pick([nil, "", "g"]),
                    root: random.pick([nil, "1"]), removal: random.chance(1, of: 3) ? removal() : nil)
            }
            let beneath = ofPDF.filter { id in !own.contains { $0.id == id } }.map { ServerRecord(base: base($0)) }
            let all = (own.filter(\.isLive) + beneath).sorted { ByteOrdered($0.id) < ByteOrdered($1.id) }
            let layer = try store.write { store in
                let base = try store.addBase(ofPDF.map(base))
                try store.put(document("doc\(seed)", base: base))
                let layer = try store.addLayer(LayerKey(document: "doc\(seed)", name: ""), generation: "g")
                for record in own { try store.put(record, in: layer) }
                return layer
            }
            try store.read { store in
                for after in [nil] + ids.map(Optional.some) {
                    let rest = all.filter { record in after.map { ByteOrdered($0) < ByteOrdered(record.id) } ?? true }
                    for limit in 0...(rest.count + 1) {
                        let wanted = Array(rest.prefix(limit))
                        let place = "\(limit) after \(after ?? "nothing") of \(seed)"
                        try equal(try store.live(in: layer, after: after, limit: limit), wanted, place)
                        let marks = wanted.map { RecordMark(id: $0.id, revision: $0.revision, subject: $0.subject) }
                        try equal(
                            try store.marks(in: layer, after: after, limit: limit, where: nil), marks, "marks, " + place
                        )
                        if limit > 0 { try visits(wanted, of: limit, after: after, in: layer, store) }
                        try selects(Array(rest), limit, after: after, in: layer, store)
                    }
                }
            }
        }
    }

    /// A view that sees a part gets that part.
    private static func selects(
        _ rest: [ServerRecord], _ limit: Int, after: Record.ID?, in layer: ServerLayer, _ store: any StoreReading
    ) throws {
        let isVisible: (Subject) -> Bool = { $0.createdBy == "ana" || $0.group == "g" }
        let wanted = rest.filter { isVisible($0.subject) }.map(\.id)
        let marks = try store.marks(in: layer, after: after, limit: limit, where: isVisible)
        try equal(marks.map(\.id), Array(wanted.prefix(limit)), "visible marks")
        var visited: [Record.ID] = []
        try store.visitLive(in: layer, after: after, where: isVisible) { row in
            visited.append(String(decoding: row.id, as: UTF8.self))
            return true
        }
        try equal(visited, wanted, "visible records")
    }

    private static func visits(
        _ wanted: [ServerRecord], of limit: Int, after: Record.ID?, in layer: ServerLayer, _ store: any StoreReading
    ) throws {
        var rows: [ServerRecord] = []
        try store.visitLive(in: layer, after: after, where: nil) { row in
            guard rows.count < limit else { throw Broken(description: "a visit after the visitor stopped") }
            func text(_ text: LiveRow.Text) -> String { String(decoding: text, as: UTF8.self) }
            let next = wanted[rows.count]
            try equal(try row.subject(), next.subject, "the subject of permissions")
            // Members that the visitor does not receive are not compared.
            var seen = next
            seen.record = Record(
                id: text(row.id), content: Content(checked: text(row.content)), createdBy: row.createdBy.map(text),
                updatedBy: row.updatedBy.map(text), group: row.group.map(text))
            seen.revision = row.revision
            rows.append(seen)
            return rows.count < limit
        }
        try equal(rows, wanted, "visited")
        do {
            try store.visitLive(in: layer, after: after, where: nil) { _ in throw Stop() }
            try equal(wanted.isEmpty, true, "an error of the visitor")
        } catch is Stop {}
    }
}

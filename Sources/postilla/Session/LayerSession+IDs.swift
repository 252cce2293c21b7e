import Annotations
import InstantCore

extension LayerSession {
    /// The shortest beginning of an id that names a record.
    static let shortestPrefix = 4

    /// Returns the record that a person names: by its id, or by the beginning of it, which a table may have cut off
    /// with an ellipsis. The id counts first. Decimal ids, those of the PDF's own annotations, are never completed:
    /// 12 must not become 123 when 12 is gone.
    ///
    /// - Returns: The word as it is if nothing begins with it; the command then says that there is no such record.
    /// - Throws: ``CommandFailure`` if several records fit.
    func id(of word: String) throws -> Record.ID {
        if try descriptor.layer.record(word) != nil { return word }
        var prefix = word
        for ellipsis in ["…", "..."] { prefix = prefix.dropping(suffix: ellipsis).map(String.init) ?? prefix }
        guard prefix.utf8.count >= Self.shortestPrefix else { return word }
        let found = try candidates(prefix)
        if found.count == 1, let only = found.first { return only.text }
        guard found.isEmpty else {
            let named = found.prefix(3).map(\.text).joined(separator: ", ")
            throw CommandFailure(
                "\(word) is the beginning of \(found.count > 3 ? "more than three" : "\(found.count)") ids: \(named)",
                .usage)
        }
        return word
    }

    /// Returns up to four ids of existing records that begin with a text.
    private func candidates(_ prefix: String) throws -> [ByteOrdered] {
        var ids: [ByteOrdered] = []
        try descriptor.layer.store.read { store in
            var last = prefix
            search: while case let rows = try store.records(after: last, limit: 16), !rows.isEmpty {
                for row in rows {
                    guard row.id.utf8.starts(with: prefix.utf8) else { break search }
                    ids.append(ByteOrdered(row.id))
                    if ids.count == 64 { break search }
                }
                last = rows.last?.id ?? last
            }
            // Records that the server has not yet.
            for entry in try store.entries(in: [.waiting, .sealed, .parked], limit: .max)
            where entry.id.utf8.starts(with: prefix.utf8) { ids.append(ByteOrdered(entry.id)) }
        }
        var found: Set<ByteOrdered> = []
        for id in ids where found.count < 4 && !id.text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            if try descriptor.layer.record(id.text) != nil { found.insert(id) }
        }
        return found.sorted()
    }
}

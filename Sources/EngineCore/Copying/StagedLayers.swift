import Annotations
import SyncProtocol

/// Copies of layers of one document, each under a hidden name. They follow the change logs of their sources piece by
/// piece until they have caught up.
package struct StagedLayers: Sendable {
    /// Changed records of some of the sources, in revision order.
    package struct Piece: Sendable {
        struct Part: Sendable {
            var source: ServerLayer
            var rows: [ServerRecord]
        }

        var parts: [Part]
        /// Whether this piece brings the copies up to date with their sources.
        var isLast: Bool
    }

    private struct Copy: Sendable {
        var source: ServerLayer
        /// The hidden key of the copy.
        var place: LayerKey
        var id: Int64
        /// The revision up to which the copy is complete.
        var cursor: Revision = 0
    }

    private let document: String
    private let begun: Timestamp
    private let limit: Int
    /// Keyed by source id.
    private var copies: [Int64: Copy] = [:]

    /// - Parameter limit: records per piece; starting a layer counts as one.
    init(of document: String, begun: Timestamp, limit: Int) {
        (self.document, self.begun, self.limit) = (document, begun, limit)
    }

    /// - Parameter sources: the current state of the layers to copy.
    func next(of sources: [ServerLayer], in store: any StoreReading) throws -> Piece {
        var piece = Piece(parts: [], isLast: false)
        var left = limit
        for source in sources {
            let copy = copies[source.id]
            guard copy.map({ $0.source.generation == source.generation }) ?? true else { throw Self.replaced }
            if copy?.cursor == source.head { continue }
            if copy == nil { left -= 1 }
            guard left >= 0 else { return piece }
            // Read one row more than fits, to detect whether more follow.
            var rows = try store.changed(in: source, after: copy?.cursor ?? 0, limit: left + 1)
            // Where an own row is damaged, the copy would show the record of the PDF that it replaced.
            guard !store.hasKnownDamage(in: source) else { throw DamagedRow("layer") }
            let isCut = rows.count > left
            if isCut { rows.removeLast() }
            left -= rows.count
            if copy == nil || !rows.isEmpty { piece.parts.append(Piece.Part(source: source, rows: rows)) }
            if isCut { return piece }
        }
        piece.isLast = true
        return piece
    }

    mutating func write(
        _ piece: Piece, in store: any StoreWriting, using random: inout some RandomNumberGenerator
    ) throws {
        for part in piece.parts {
            let place = try place(of: part.source, in: store, using: &random)
            var writer = LayerWriter(place, in: store, now: begun)
            for row in part.rows {
                let old = try store.intactRecord(row.id, in: writer.layer)
                if row.isLive {
                    try writer.write(
                        row.record, contentType: row.contentType, rootID: row.rootID,
                        isCommentThreadRoot: row.isCommentThreadRoot, over: old, client: nil)
                } else if let old, old.isLive {
                    _ = try writer.remove([old], by: row.removal?.by, client: nil)
                }
            }
            if let last = part.rows.last { copies[part.source.id]?.cursor = last.revision }
        }
    }

    private mutating func place(
        of source: ServerLayer, in store: any StoreWriting, using random: inout some RandomNumberGenerator
    ) throws -> ServerLayer {
        if let copy = copies[source.id] { return try place(of: copy, in: store) }
        let key = LayerKey.copy(of: document, begun: begun, using: &random)
        let place = try store.addLayer(key, generation: Fingerprint.hex(random.next()))
        copies[source.id] = Copy(source: source, place: key, id: place.id)
        return place
    }

    private func place(of copy: Copy, in store: any StoreWriting) throws -> ServerLayer {
        if let place = try store.hiddenLayer(copy.place), place.id == copy.id { return place }
        throw try store.document(document) == nil ? Self.deleted : Self.swept
    }

    /// Gives the copies of these sources their keys, and abandons the copies whose source was deleted.
    func move(_ sources: [ServerLayer], in store: any StoreWriting, to key: (ServerLayer) -> LayerKey) throws {
        for source in sources {
            guard let copy = copies[source.id] else { throw Self.swept }
            try store.move(try place(of: copy, in: store), to: key(source))
        }
        var others = self
        for source in sources { others.copies[source.id] = nil }
        _ = try others.abandon(in: store)
    }

    /// - Returns: the ids of the layers whose rows remain.
    func abandon(in store: any StoreWriting) throws -> [Int64] {
        for copy in copies.values.sorted(by: { $0.id < $1.id }) {
            guard let place = try store.hiddenLayer(copy.place), place.id == copy.id else { continue }
            try store.removeLayer(place, at: begun)
        }
        return copies.values.map(\.id)
    }

    static let deleted = APIError(.documentNotFound, "the document was deleted during the copy")
    static let replaced = APIError(.unavailable, "the document was replaced during the copy; try again")
    static let swept = APIError(.unavailable, "the copy took longer than a day and was cancelled; try again")
}

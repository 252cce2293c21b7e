package import Annotations
import SyncProtocol

/// A copy of a layer or of a document that is built out of sight, in several transactions, so that other writes get their
/// turn between them.
///
/// Read ``next(in:)`` and write it with ``write(_:in:using:)`` until it is nil, then ``finish(in:using:)``: only this last
/// transaction makes the copy visible. The sources may be written to meanwhile; the copy is what they are at the end.
package struct StagedCopy: Sendable {
    private enum Order: Sendable {
        /// A new layer of the same document.
        case layer(ServerLayer, to: LayerKey)
        /// A document of the same PDF, with the same annotations of its own and a copy of every layer.
        case document(ServerDocument, to: String)
    }

    private let order: Order
    private let begun: Timestamp
    private let limit: Int
    private var base: StagedBase
    /// Base records up to this id are copied; nil: none.
    private var lastBaseRecord: Record.ID?
    private var layers: StagedLayers
    /// How many records there were to copy when it was begun, at most.
    package let size: Int

    /// - Parameters:
    ///   - name: of the source.
    ///   - key: of the copy.
    ///   - limit: records of one transaction.
    /// - Throws: ``APIError`` when the source does not exist or the key cannot be used.
    package init(
        ofLayer name: String, to key: LayerKey, in store: any StoreReading, now: Timestamp, limit: Int = Pieces.records
    ) throws {
        try Layers.check(key)
        guard try store.layer(key) == nil else { throw Self.layerTaken }
        guard let source = try store.layer(LayerKey(document: key.document, name: name)) else {
            throw APIError(.notFound, "the source layer does not exist")
        }
        self.init(.layer(source, to: key), in: key.document, Int(clamping: source.head), begun: now, limit)
    }

    /// - Parameters:
    ///   - id: of the copy.
    ///   - limit: records of one transaction.
    /// - Throws: ``APIError`` when the id cannot be used or a document has it.
    package init(
        of source: ServerDocument, to id: String, in store: any StoreReading, now: Timestamp,
        limit: Int = Pieces.records
    ) throws {
        guard ServerDocument.isValidID(id) else {
            throw APIError(.badRequest, "a document's id has 1 to 1,024 bytes and no control characters")
        }
        guard try store.document(id) == nil else { throw Self.documentTaken }
        let size = try store.layers(of: source.id).reduce(0) { $0 + Int(clamping: $1.head) + 1 }
        self.init(.document(source, to: id), in: source.id, size, begun: now, limit)
    }

    private init(_ order: Order, in document: String, _ size: Int, begun: Timestamp, _ limit: Int) {
        (self.order, self.size, self.begun, self.limit) = (order, size, begun, limit)
        base = StagedBase(begun: begun)
        layers = StagedLayers(of: document, begun: begun, limit: limit)
    }

    package enum Piece: Sendable {
        case base([Record])
        case layers(StagedLayers.Piece)
    }

    /// What to write next; nil: so little is left that the last transaction can write it.
    ///
    /// - Throws: ``APIError`` when a source is not what it was.
    package func next(in store: any StoreReading) throws -> Piece? {
        if case .document(let source, _) = order {
            let untouched = try Self.untouchedLayer(of: current(source, in: store))
            let records = try store.live(in: untouched, after: lastBaseRecord, limit: limit).map(\.record)
            if !records.isEmpty { return .base(records) }
        }
        let piece = try layers.next(of: sources(in: store), in: store)
        return piece.isLast ? nil : .layers(piece)
    }

    package mutating func write(
        _ piece: Piece, in store: any StoreWriting, using random: inout some RandomNumberGenerator
    ) throws {
        switch piece {
        case .base(let records):
            try base.add(records, in: store)
            lastBaseRecord = records.last?.id
        case .layers(let piece): try layers.write(piece, in: store, using: &random)
        }
    }

    /// Writes what is left and makes the copy visible.
    ///
    /// - Returns: false when more was written to the sources than one transaction takes: nothing was done.
    /// - Throws: ``APIError`` when a source is not what it was, or the name of the copy is taken.
    package func finish(in store: any StoreWriting, using random: inout some RandomNumberGenerator) throws -> Bool {
        try lock(in: store)
        let sources = try sources(in: store)
        var (layers, base) = (layers, base)
        let piece = try layers.next(of: sources, in: store)
        guard piece.isLast else { return false }
        try layers.write(piece, in: store, using: &random)
        switch order {
        case .layer(_, let key): try layers.move(sources, in: store) { _ in key }
        case .document(let source, let id):
            var copy = try current(source, in: store)
            copy.id = id
            copy.createdAt = begun
            copy.base = try base.take(in: store)
            try store.put(copy)
            for attachment in try store.attachments(of: source.id) {
                try store.put(StoredAttachment(attachment.id, document: id, bytes: attachment.bytes, at: begun))
            }
            try layers.move(sources, in: store) { LayerKey(document: id, name: $0.key.name) }
        }
        return true
    }

    /// Waits for what the last transaction names, and makes sure that the name of the copy is free.
    private func lock(in store: any StoreWriting) throws {
        switch order {
        case .layer(_, let key):
            // Two layers are named by it: a copy in the other direction waits before it has either.
            try store.lock(.document(key.document))
            guard try store.layer(key) == nil else { throw Self.layerTaken }
        case .document(let source, let id):
            // Always in one order: two copies in opposite directions must not wait for each other.
            for held in source.id.utf8.lexicographicallyPrecedes(id.utf8) ? [source.id, id] : [id, source.id] {
                try store.lock(.document(held))
            }
            guard try store.document(id) == nil else { throw Self.documentTaken }
            for attachment in try store.attachments(of: source.id) { try store.lock(.blob(attachment.id.hex)) }
        }
    }

    /// Gives the copy up: one short transaction.
    ///
    /// - Returns: what is left to remove.
    package func abandon(in store: any StoreWriting) throws -> PendingRemovals {
        PendingRemovals(layers: try layers.abandon(in: store), bases: try base.abandon(in: store).bases)
    }

    // MARK: Sources

    /// The layers to copy, as they are now.
    private func sources(in store: any StoreReading) throws -> [ServerLayer] {
        switch order {
        case .layer(let source, _): [try current(source, in: store)]
        case .document(let source, _): try store.layers(of: current(source, in: store).id)
        }
    }

    /// The source as it is now, if it still is the one that the copy was begun of.
    private func current(_ source: ServerLayer, in store: any StoreReading) throws -> ServerLayer {
        guard let now = try store.layer(source.key), now.id == source.id else {
            throw APIError(.notFound, "the source was deleted while it was copied")
        }
        guard (now.generation, now.base) == (source.generation, source.base) else { throw StagedLayers.replaced }
        return now
    }

    /// The source as it is now, if it still has the PDF that the copy was begun of.
    private func current(_ source: ServerDocument, in store: any StoreReading) throws -> ServerDocument {
        guard let now = try store.document(source.id) else { throw StagedLayers.deleted }
        guard now.base == source.base else { throw StagedLayers.replaced }
        return now
    }

    /// A layer of the source without changes of its own.
    private static func untouchedLayer(of source: ServerDocument) -> ServerLayer {
        ServerLayer(
            id: 0, key: LayerKey(document: source.id, name: ""), generation: "", base: source.base,
            pageCount: source.pages.count)
    }

    private static let layerTaken = APIError(.alreadyExists, "there is a layer with this name already")
    private static let documentTaken = APIError(.alreadyExists, "there is a document with this id already")
}

package enum Pieces {
    /// Records that one transaction reads or writes, at most, where there may be more.
    package static let records = 500
}

package import Annotations
import SyncProtocol

/// A hidden copy of a layer or of a document, built in several transactions so that other writes run between them.
///
/// Call ``next(in:)`` and ``write(_:in:using:)`` until `next` returns nil, then ``finish(in:using:)``; only this last
/// transaction makes the copy visible. The sources stay writable; the copy equals their state at the end.
package struct StagedCopy: Sendable {
    private enum Order: Sendable {
        /// A new layer of the same document.
        case layer(ServerLayer, to: LayerKey)
        /// A document with the same PDF, the same base records and a copy of every layer.
        case document(ServerDocument, to: String)
    }

    private let order: Order
    private let begun: Timestamp
    private let limit: Int
    private var base: StagedBase
    /// Base records up to this id have been copied; nil: none.
    private var lastBaseRecord: Record.ID?
    private var layers: StagedLayers
    /// An upper bound, computed at the start, on the number of layer records to copy, without base records.
    package let size: Int

    /// - Parameters:
    ///   - name: the name of the source.
    ///   - key: the key of the copy.
    ///   - limit: records per transaction.
    /// - Throws: ``APIError`` if the source does not exist or the key cannot be used.
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
    ///   - id: the id of the copy.
    ///   - limit: records per transaction.
    /// - Throws: ``APIError`` if the id is invalid or already in use.
    package init(
        of source: ServerDocument, to id: String, in store: any StoreReading, now: Timestamp,
        limit: Int = Pieces.records
    ) throws {
        guard ServerDocument.isValidID(id) else {
            throw APIError(.badRequest, ServerDocument.idRule)
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

    /// Returns the piece to write next; nil when the rest fits into the last transaction.
    ///
    /// - Throws: ``APIError`` if a source was deleted or replaced.
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

    /// Writes the rest and makes the copy visible.
    ///
    /// - Returns: false, without having done anything, if the sources gained more changes than one transaction writes.
    /// - Throws: ``APIError`` if a source was deleted or replaced, or the copy's name is in use.
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

    /// Locks everything that the last transaction names, and checks that the copy's name is free.
    private func lock(in store: any StoreWriting) throws {
        switch order {
        case .layer(_, let key):
            // The transaction names two layers: a copy in the other direction must wait before it locks either.
            try store.lock(.document(key.document))
            guard try store.layer(key) == nil else { throw Self.layerTaken }
        case .document(let source, let id):
            // In a fixed order, so that two copies in opposite directions cannot deadlock.
            for held in source.id.utf8.lexicographicallyPrecedes(id.utf8) ? [source.id, id] : [id, source.id] {
                try store.lock(.document(held))
            }
            guard try store.document(id) == nil else { throw Self.documentTaken }
            for attachment in try store.attachments(of: source.id) { try store.lock(.blob(attachment.id.hex)) }
        }
    }

    /// Abandons the copy in one short transaction.
    ///
    /// - Returns: the rows left to remove.
    package func abandon(in store: any StoreWriting) throws -> PendingRemovals {
        PendingRemovals(layers: try layers.abandon(in: store), bases: try base.abandon(in: store).bases)
    }

    // MARK: Sources

    /// Returns the current state of the layers to copy.
    private func sources(in store: any StoreReading) throws -> [ServerLayer] {
        switch order {
        case .layer(let source, _): [try current(source, in: store)]
        case .document(let source, _): try store.layers(of: current(source, in: store).id)
        }
    }

    /// Returns the source's current state, if it is still the layer the copy started from.
    private func current(_ source: ServerLayer, in store: any StoreReading) throws -> ServerLayer {
        guard let now = try store.layer(source.key), now.id == source.id else {
            throw APIError(.notFound, "the source was deleted during the copy")
        }
        guard (now.generation, now.base) == (source.generation, source.base) else { throw StagedLayers.replaced }
        return now
    }

    /// Returns the source's current state, if it still has the PDF the copy started from.
    private func current(_ source: ServerDocument, in store: any StoreReading) throws -> ServerDocument {
        guard let now = try store.document(source.id) else { throw StagedLayers.deleted }
        guard now.base == source.base else { throw StagedLayers.replaced }
        return now
    }

    /// Returns a stand-in for an unchanged layer of the source, which shows its base records.
    private static func untouchedLayer(of source: ServerDocument) -> ServerLayer {
        ServerLayer(
            id: 0, key: LayerKey(document: source.id, name: ""), generation: "", base: source.base,
            pageCount: source.pages.count)
    }

    private static let layerTaken = APIError(.alreadyExists, "a layer with this name already exists")
    private static let documentTaken = APIError(.alreadyExists, "a document with this id already exists")
}

package enum Pieces {
    /// The maximum number of records that one transaction reads or writes where there may be more.
    package static let records = 500
}

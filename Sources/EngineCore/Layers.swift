package import Annotations
package import Authorization
package import SyncProtocol

/// Finds and creates layers.
package enum Layers {
    /// Returns the layer a token names; nil if it must be created first, which needs a write transaction.
    ///
    /// - Throws: ``APIError`` if the document does not exist, or the layer was deleted for this token.
    package static func find(
        _ grant: Grant, issuedAt: Timestamp?, in store: any StoreReading
    ) throws -> ServerLayer? {
        let key = LayerKey(document: grant.documentID, name: grant.layer)
        let layer = try store.layer(key)
        // A layer exists only together with its document.
        guard try layer != nil || store.document(key.document) != nil else {
            throw APIError(.documentNotFound, "the token's document does not exist")
        }
        // Checked even if the layer exists: it may be another one of the same name.
        try checkDeletions(of: key, issuedAt: issuedAt, in: store)
        return layer
    }

    /// - Throws: ``APIError`` if the layer or its document was deleted, and the token may be older than that.
    package static func checkDeletions(of key: LayerKey, issuedAt: Timestamp?, in store: any StoreReading) throws {
        let deletions = try store.deletions(of: key)
        try check(issuedAt, after: deletions.document, of: "document")
        try check(issuedAt, after: deletions.layer, of: "layer")
    }

    /// - Throws: ``APIError`` if the token may be older than the deletion.
    private static func check(_ issuedAt: Timestamp?, after deletion: Timestamp?, of what: String) throws {
        guard let deletion else { return }
        guard let issuedAt else {
            throw APIError(
                .layerDeleted,
                "the token's \(what) was deleted once, and the token does not say when it was issued; issue a token with iat"
            )
        }
        guard issuedAt > deletion else {
            throw APIError(
                .layerDeleted,
                "the token's \(what) was deleted after the token was issued; issue a token with iat after that")
        }
    }

    /// Returns how long it takes, in milliseconds, until a token that is issued for the layer, or for the document, is
    /// later than the deletion of an earlier one of the same name: `iat` is in whole seconds.
    ///
    /// - Parameter now: this server's time.
    package static func timeUntilTokens(for key: LayerKey, in store: any StoreReading, now: Timestamp) throws -> Int64 {
        let deletions = try store.deletions(of: key)
        guard let last = [deletions.document, deletions.layer].compactMap(\.self).max() else { return 0 }
        let next = (last.milliseconds / 1000 + 1) * 1000
        return max(0, min(next - (try store.time(now)).milliseconds, 1000))
    }

    /// Returns the layer a token names and creates it if needed: a layer exists as soon as a signed token names it.
    package static func open(
        _ grant: Grant, issuedAt: Timestamp?, in store: any StoreWriting, using random: inout some RandomNumberGenerator
    ) throws -> ServerLayer {
        if let layer = try find(grant, issuedAt: issuedAt, in: store) { return layer }
        return try make(LayerKey(document: grant.documentID, name: grant.layer), in: store, using: &random)
    }

    /// Creates a layer under a new generation.
    package static func make(
        _ key: LayerKey, in store: any StoreWriting, using random: inout some RandomNumberGenerator
    ) throws -> ServerLayer {
        try check(key)
        return try store.addLayer(key, generation: Fingerprint.hex(random.next()))
    }

    /// - Throws: ``APIError`` if no layer can be created under this name.
    package static func check(_ key: LayerKey) throws {
        guard LayerKey.isValidName(key.name) else {
            throw APIError(
                .badRequest, "a layer name must have at most 256 characters and no *, control or format characters")
        }
    }

    /// Returns the layer's earlier generations, the oldest first.
    package static func lineage(of layer: ServerLayer, in store: any StoreReading) throws -> [LineageEntry] {
        let deletions = try store.deletions(of: layer.key)
        let deletion = [deletions.layer, deletions.document].compactMap(\.self).max()
        let recreated = deletion.map { LineageEntry(generation: nil, head: 0, at: $0, ending: .recreated) }
        return (recreated.map { [$0] } ?? []) + (try store.restoredGenerations(of: layer))
    }

    /// Gives every layer a new generation after the store was restored from a backup, so that no client mistakes the
    /// restored revisions for those it knows.
    ///
    /// - Parameter moment: this server's time.
    package static func renew(
        in store: any StoreWriting, at moment: Timestamp, using random: inout some RandomNumberGenerator
    ) throws {
        for key in try store.layers() {
            // A damaged layer is of no use to clients of any generation.
            do {
                guard let layer = try store.layer(key) else { continue }
                try store.renew(layer, generation: Fingerprint.hex(random.next()), at: moment)
            } catch is DamagedRow {}
        }
    }
}

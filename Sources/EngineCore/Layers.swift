package import Annotations
package import Authorization
import SyncProtocol

/// Finds and creates layers.
package enum Layers {
    /// Returns the layer a token names; nil if it must be created first, which needs a write transaction.
    ///
    /// - Throws: ``APIError`` if the document does not exist, or the layer was deleted for this token.
    package static func find(
        _ grant: Grant, issuedAt: Timestamp?, in store: any StoreReading
    ) throws -> ServerLayer? {
        let key = LayerKey(document: grant.documentID, name: grant.layer)
        // A layer exists only together with its document.
        if let layer = try store.layer(key) { return layer }
        guard try store.document(key.document) != nil else {
            throw APIError(.documentNotFound, "the token's document does not exist")
        }
        // A token without an issue time may be older than the deletion.
        if let deleted = try store.deletion(of: key), issuedAt.map({ $0 <= deleted }) ?? true {
            throw APIError(.layerDeleted, "the token's layer was deleted after the token was issued")
        }
        return nil
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

    /// Gives every layer a new generation after the store was restored from a backup, so that no client mistakes the
    /// restored revisions for those it knows.
    package static func renew(in store: any StoreWriting, using random: inout some RandomNumberGenerator) throws {
        for key in try store.layers() {
            // A damaged layer is of no use to clients of any generation.
            do {
                guard let layer = try store.layer(key) else { continue }
                try store.renew(layer, generation: Fingerprint.hex(random.next()))
            } catch is DamagedRow {}
        }
    }
}

package import Annotations
package import Authorization
import SyncProtocol

/// Finding and making layers.
package enum Layers {
    /// The layer a token names; nil when it has to be made first, which needs a writing transaction.
    ///
    /// - Throws: ``APIError`` when the document is not there, or the layer is gone for this token.
    package static func find(
        _ grant: Grant, issuedAt: Timestamp?, in store: any StoreReading
    ) throws -> ServerLayer? {
        let key = LayerKey(document: grant.documentID, name: grant.layer)
        // There is none without its document.
        if let layer = try store.layer(key) { return layer }
        guard try store.document(key.document) != nil else {
            throw APIError(.documentNotFound, "there is no document with the id that the token names")
        }
        // A token that does not say when it was issued may be older than the deletion.
        if let deleted = try store.deletion(of: key), issuedAt.map({ $0 <= deleted }) ?? true {
            throw APIError(.layerDeleted, "the layer that the token names was deleted after the token was issued")
        }
        return nil
    }

    /// The layer a token names, made if need be: a layer exists as soon as a signed token names it.
    package static func open(
        _ grant: Grant, issuedAt: Timestamp?, in store: any StoreWriting, using random: inout some RandomNumberGenerator
    ) throws -> ServerLayer {
        if let layer = try find(grant, issuedAt: issuedAt, in: store) { return layer }
        return try make(LayerKey(document: grant.documentID, name: grant.layer), in: store, using: &random)
    }

    /// Makes a layer under a new generation.
    package static func make(
        _ key: LayerKey, in store: any StoreWriting, using random: inout some RandomNumberGenerator
    ) throws -> ServerLayer {
        try check(key)
        return try store.addLayer(key, generation: Fingerprint.hex(random.next()))
    }

    static func check(_ key: LayerKey) throws {
        guard LayerKey.isValidName(key.name) else {
            throw APIError(.badRequest, "a layer's name has at most 256 characters, no * and no control characters")
        }
    }

    /// The store was restored from a backup: every layer goes on under a new generation, so that no client takes its
    /// revisions for those it knows.
    package static func renew(in store: any StoreWriting, using random: inout some RandomNumberGenerator) throws {
        for key in try store.layers() {
            guard let layer = try store.layer(key) else { continue }
            try store.renew(layer, generation: Fingerprint.hex(random.next()))
        }
    }
}

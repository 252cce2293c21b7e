package import Annotations

/// A layer that neither a token nor a backend can name: a copy in progress, or the rows that a deleted layer left
/// behind.
package struct HiddenLayer: Hashable, Sendable {
    package var id: Int64
    package var key: LayerKey

    package init(id: Int64, key: LayerKey) {
        (self.id, self.key) = (id, key)
    }

    /// Whether the layer was deleted and its rows await removal.
    package var isRemoved: Bool { key.document.isEmpty }
}

/// The name of a hidden layer starts with `*`, which no other layer name contains.
extension LayerKey {
    private static let copyPrefix = "*copy-"

    /// Returns the key that notes the deletion of a whole document. No layer has it.
    package static func whole(_ document: String) -> LayerKey { LayerKey(document: document, name: "*") }

    package var isHidden: Bool { name.utf8.first == UInt8(ascii: "*") }

    /// Returns the key under which a copy of a layer of the document is built.
    package static func copy(
        of document: String, begun moment: Timestamp, using random: inout some RandomNumberGenerator
    ) -> LayerKey {
        LayerKey(document: document, name: copyPrefix + ULID.make(at: moment, using: &random))
    }

    /// Returns the key of a deleted layer whose rows await removal. No document has an empty id.
    package static func removed(_ layer: Int64) -> LayerKey { LayerKey(document: "", name: "*gone-\(layer)") }

    /// Returns whether the key is that of a copy begun before `moment`.
    package func isCopy(begunBefore moment: Timestamp) -> Bool {
        guard let made = name.dropping(prefix: Self.copyPrefix) else { return false }
        return ULID.moment(of: String(made)).map { $0 < moment } ?? true
    }
}

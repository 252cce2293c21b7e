package import Annotations

/// A layer that no token and no backend can name: a copy that is being built, or what a deleted layer left behind.
package struct HiddenLayer: Hashable, Sendable {
    package var id: Int64
    package var key: LayerKey

    package init(id: Int64, key: LayerKey) {
        (self.id, self.key) = (id, key)
    }

    /// It was deleted, and its rows wait to be removed.
    package var isRemoved: Bool { key.document.isEmpty }
}

/// The name of a hidden layer begins with `*`, which the name of no other layer contains.
extension LayerKey {
    private static let copyPrefix = "*copy-"

    package var isHidden: Bool { name.utf8.first == UInt8(ascii: "*") }

    /// Where a copy of a layer of the document is built.
    package static func copy(
        of document: String, begun moment: Timestamp, using random: inout some RandomNumberGenerator
    ) -> LayerKey {
        LayerKey(document: document, name: copyPrefix + ULID.make(at: moment, using: &random))
    }

    /// Where a deleted layer waits for the removal of its rows. No document has an empty id.
    package static func removed(_ layer: Int64) -> LayerKey { LayerKey(document: "", name: "*gone-\(layer)") }

    /// Whether it is a copy that was begun before the moment.
    package func isCopy(begunBefore moment: Timestamp) -> Bool {
        guard name.hasPrefix(Self.copyPrefix) else { return false }
        return ULID.moment(of: String(name.dropFirst(Self.copyPrefix.count))).map { $0 < moment } ?? true
    }
}

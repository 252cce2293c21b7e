import Annotations
package import SyncProtocol

/// The key of a layer: its document and its name, empty for the default layer.
package struct LayerKey: Hashable, Sendable {
    package var document: String
    package var name: String

    package init(document: String, name: String) {
        self.document = document
        self.name = name
    }

    /// Compares bytes, as the stores do: names that merely look alike denote different layers.
    package static func == (one: LayerKey, other: LayerKey) -> Bool {
        one.document.isExactly(other.document) && one.name.isExactly(other.name)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ByteOrdered(document))
        hasher.combine(ByteOrdered(name))
    }

    /// Returns whether a layer can be created under this name: at most 256 characters and 1,024 bytes, no invisible
    /// characters and no `*` (guide: authentication).
    package static func isValidName(_ name: String) -> Bool {
        name.count <= 256 && name.utf8.count <= 1024 && name.isVisible && !name.contains(scalar: "*")
    }
}

/// A layer as stored.
package struct ServerLayer: Hashable, Sendable {
    /// The store's number for the layer, never reused, even after deletion.
    package var id: Int64
    package var key: LayerKey
    /// A random value, new for each layer created or renewed.
    package var generation: String
    /// The revision of the newest change; 0: none.
    package var head: Revision
    /// Removals up to this revision may have been deleted; an older cursor must start over.
    package var horizon: Revision
    /// The document's current base records.
    package var base: Int64
    /// The document's current number of pages.
    package var pageCount: Int

    package init(
        id: Int64, key: LayerKey, generation: String, head: Revision = 0, horizon: Revision = 0, base: Int64,
        pageCount: Int
    ) {
        self.id = id
        self.key = key
        self.generation = generation
        self.head = head
        self.horizon = horizon
        self.base = base
        self.pageCount = pageCount
    }
}

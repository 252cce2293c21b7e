import Annotations
package import SyncProtocol

/// Names a layer: the document and the layer's own name, empty for the default layer.
package struct LayerKey: Hashable, Sendable {
    package var document: String
    package var name: String

    package init(document: String, name: String) {
        self.document = document
        self.name = name
    }

    /// By bytes, as stores compare: names that only look alike name two layers.
    package static func == (one: LayerKey, other: LayerKey) -> Bool {
        one.document.isExactly(other.document) && one.name.isExactly(other.name)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ByteOrdered(document))
        hasher.combine(ByteOrdered(name))
    }

    /// At most 256 characters and no `*` (guide: authentication).
    package static func isValidName(_ name: String) -> Bool {
        name.count <= 256 && name.utf8.count <= 1024 && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && !name.contains("*")
    }
}

/// A layer as it stands in a store.
package struct ServerLayer: Hashable, Sendable {
    /// The store's own number for it; never used again, also after the layer is deleted.
    package var id: Int64
    package var key: LayerKey
    /// Random, drawn when the layer is made.
    package var generation: String
    /// The revision of the newest change; 0 when there was none.
    package var head: Revision
    /// Removals up to here may be forgotten: an older cursor has to start over.
    package var horizon: Revision
    /// The base records of the document as it is now.
    package var base: Int64
    /// Pages of the document as it is now.
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

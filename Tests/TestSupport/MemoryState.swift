import Annotations
import EngineCore
import SyncProtocol

/// The contents of a memory store. It is a value: a transaction works on a copy, which a commit makes current.
struct MemoryState: Sendable {
    struct Layer: Sendable {
        var layer: ServerLayer
        var records: [ByteOrdered: ServerRecord] = [:]
        var departures: [Departure] = []
        var clients: [String: StoredClient] = [:]
        var answers: [String: [Int64: StoredAnswer]] = [:]
        /// The uploaders of each attachment; the anonymous user is empty.
        var uploads: [AttachmentID: Set<ByteOrdered>] = [:]
        var lineage: [LineageEntry] = []
    }

    struct Key: Hashable, Sendable {
        var document: ByteOrdered
        var name: ByteOrdered

        init(_ key: LayerKey) {
            document = ByteOrdered(key.document)
            name = ByteOrdered(key.name)
        }
    }

    var documents: [ByteOrdered: ServerDocument] = [:]
    var bases: [Int64: [Record]] = [:]
    /// The creation time of each base that no document uses.
    var unusedBases: [Int64: Timestamp] = [:]
    var layers: [Int64: Layer] = [:]
    var layerIDs: [Key: Int64] = [:]
    var deletions: [Key: Timestamp] = [:]
    var attachments: [ByteOrdered: [AttachmentID: StoredAttachment]] = [:]
    var revoked: [ByteOrdered: Timestamp] = [:]
    var lastLayer: Int64 = 0
    var lastBase: Int64 = 0
}

enum MemoryStoreError: Error, Hashable {
    case noSuchLayer(Int64)
    case noSuchDocument
    case layerExists
}

import GRDB
import InstantCore
import Synchronization

/// The metadata of a layer as last read or written. Every sync step needs it, and parsing its JSON takes longer than
/// the rest of a small transaction, so it is parsed only if the text has changed.
final class LayerMetadataCache: Sendable {
    private struct Known {
        var text: [UInt8]
        var metadata: LayerMetadata
    }

    /// The cached metadata differs from the stored text. Thrown only if that is checked.
    struct Difference: Error, CustomStringConvertible {
        var known: LayerMetadata
        var stored: LayerMetadata

        var description: String { "cached metadata is \(known.json), stored metadata is \(stored.json)" }
    }

    private let known = Mutex<Known?>(nil)
    /// Whether each hit is compared with the text; for tests.
    private let isChecked: Bool

    init(isChecked: Bool = false) { self.isChecked = isChecked }

    var pdfSHA256: String? { known.withLock { $0?.metadata.pdfSHA256 } }

    /// - Parameter text: The text in the database; nil if the value is not text.
    func read(_ text: UnsafeBufferPointer<UInt8>?) throws -> LayerMetadata {
        guard let text else { throw Self.corrupt("it contains no metadata") }
        if let known = known.withLock({ $0 }), text.elementsEqual(known.text) {
            if isChecked {
                let stored = try LayerMetadata(json: String(decoding: text, as: UTF8.self))
                guard stored == known.metadata else { throw Difference(known: known.metadata, stored: stored) }
            }
            return known.metadata
        }
        do {
            let metadata = try LayerMetadata(json: String(decoding: text, as: UTF8.self))
            known.withLock { $0 = Known(text: Array(text), metadata: metadata) }
            return metadata
        } catch { throw Self.corrupt("\(error)") }
    }

    /// Caches written metadata, even if the write is rolled back: the cache only maps a text to its meaning.
    func note(_ metadata: LayerMetadata, text: String) {
        known.withLock { $0 = Known(text: Array(text.utf8), metadata: metadata) }
    }

    private static func corrupt(_ why: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: why)
    }
}

/// A store that reads through the writing connection, for the synchronizer. Its reads do not occupy a reader
/// connection, so that the screen does not have to open another one during a key press. Other threads must not use it:
/// they would wait for every commit.
struct WriterConnectionStore: LocalStore {
    let store: LocalSQLiteStore

    var damage: [StoredDamage] { store.damage }

    func noteGaps() { store.noteGaps() }

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try store.readByWriter(body) }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        try store.write(durability, body)
    }
}

import GRDB
import InstantCore
import Synchronization

/// The facts of a layer as they were last read or written. Every step of a sync asks for them, and taking them out of
/// their JSON takes longer than the rest of a small transaction: it is done when the text is not the known one.
final class LayerMetadataCache: Sendable {
    private struct Known {
        var text: [UInt8]
        var facts: LayerMetadata
    }

    /// The known facts are not what the text says. Thrown only where that is checked.
    struct Difference: Error, CustomStringConvertible {
        var known: LayerMetadata
        var stored: LayerMetadata

        var description: String { "the known facts are \(known.json), and the store says \(stored.json)" }
    }

    private let known = Mutex<Known?>(nil)
    /// Each hit is compared with what the text says: for tests.
    private let isChecked: Bool

    init(isChecked: Bool = false) { self.isChecked = isChecked }

    /// - Parameter text: as it stands in the database now; nil: it is not text.
    func read(_ text: UnsafeBufferPointer<UInt8>?) throws -> LayerMetadata {
        guard let text else { throw Self.corrupt("it holds no facts") }
        if let known = known.withLock({ $0 }), text.elementsEqual(known.text) {
            if isChecked {
                let stored = try LayerMetadata(json: String(decoding: text, as: UTF8.self))
                guard stored == known.facts else { throw Difference(known: known.facts, stored: stored) }
            }
            return known.facts
        }
        do {
            let facts = try LayerMetadata(json: String(decoding: text, as: UTF8.self))
            known.withLock { $0 = Known(text: Array(text), facts: facts) }
            return facts
        } catch { throw Self.corrupt("\(error)") }
    }

    /// These were written, perhaps to be taken back: nothing is concluded from it but what the text means.
    func note(_ facts: LayerMetadata, text: String) {
        known.withLock { $0 = Known(text: Array(text.utf8), facts: facts) }
    }

    private static func corrupt(_ why: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: why)
    }
}

/// A store that is read by the connection that writes it, for the one who writes: the synchronizer. Its reads take no
/// reader's connection from the screen, which would have to open another one in the middle of a key. Readers of other
/// threads must not use this: they would wait for every commit.
struct WriterConnectionStore: LocalStore {
    let store: LocalSQLiteStore

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try store.readByWriter(body) }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        try store.write(durability, body)
    }
}

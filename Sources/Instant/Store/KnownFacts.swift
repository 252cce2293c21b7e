import GRDB
import InstantCore

/// The facts of a layer as a connection last read them. Every step of a sync asks for them and few change them, and
/// taking them out of their JSON takes longer than the rest of a small transaction: it is done when the text differs.
struct KnownFacts {
    private var text: [UInt8] = []
    private var facts: LayerFacts?

    /// - Parameter text: as it stands in the database now; nil: it is not text.
    mutating func read(_ text: UnsafeBufferPointer<UInt8>?) throws -> LayerFacts {
        if let facts, let text, text.elementsEqual(self.text) { return facts }
        do {
            let read = try LayerFacts(json: text.map { String(decoding: $0, as: UTF8.self) } ?? "")
            (self.text, facts) = (text.map(Array.init) ?? [], read)
            return read
        } catch { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(error)") }
    }
}

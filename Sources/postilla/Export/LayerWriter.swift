import Annotations
import Interchange

/// Writes a layer as one text, record by record: annotations page by page, then comments.
protocol LayerWriter {
    mutating func begin() -> String
    /// - Parameter root: of a comment, the annotation it stands under; nil where it cannot be seen.
    mutating func add(_ record: Record, under root: Record?) async throws -> String
    mutating func end() -> String
}

extension InstantJSONWriter: LayerWriter {
    mutating func add(_ record: Record, under root: Record?) -> String { add(record) }
}

extension XFDFWriter: LayerWriter {}

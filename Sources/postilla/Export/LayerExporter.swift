import Annotations
import Interchange
import Screen

/// Writes a layer as one text, record by record: annotations page by page, then comments.
protocol LayerExporter {
    mutating func begin() -> PrintableText
    /// - Parameter root: The annotation that a comment belongs to; nil when it is not visible.
    mutating func add(_ record: Record, under root: Record?) async throws -> PrintableText
    mutating func end() -> PrintableText
}

extension InstantJSONWriter: LayerExporter {
    func begin() -> PrintableText { PrintableText(json: begin()) }

    mutating func add(_ record: Record, under root: Record?) -> PrintableText { PrintableText(json: add(record)) }

    func end() -> PrintableText { PrintableText(json: end()) }
}

extension XFDFWriter: LayerExporter {
    func begin() -> PrintableText { PrintableText(xml: begin()) }

    func add(_ record: Record, under root: Record?) -> PrintableText { PrintableText(xml: add(record, under: root)) }

    func end() -> PrintableText { PrintableText(xml: end()) }
}

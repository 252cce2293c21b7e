import Annotations
import PDFPages

extension Unwritten {
    private static let mostTold = 20

    static func sentence(_ id: Record.ID, _ why: String, in path: String) -> String {
        "\(path.onOneLine): annotation \(id.escapingInvisible) not written: \(why)"
    }

    /// Names the records that a written PDF does not hold as they are.
    ///
    /// - Throws: ``CommandFailure`` if there are any. Everything else is in the PDF.
    static func fail(_ unwritten: [Unwritten], in path: String) throws {
        guard !unwritten.isEmpty else { return }
        for item in unwritten.prefix(mostTold) { Output.message(sentence(item.id, item.why, in: path)) }
        let count = unwritten.count
        throw CommandFailure(
            "\(path.onOneLine): \(count) annotation\(count == 1 ? " is" : "s are") not in it as in the layer")
    }
}

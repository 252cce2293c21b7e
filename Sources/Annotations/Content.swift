/// Instant JSON of one record: a JSON object, kept as the text it arrived in.
///
/// The text is checked once and never rewritten unless a member is changed, so unknown keys and the source of
/// every number survive (`1.50` stays `1.50`). Only the white space between members goes: a line of NDJSON and a
/// `data:` line of an event hold a record each. Two contents are equal when their texts are, scalar for scalar.
public struct Content: Hashable, Sendable {
    /// One JSON object on one line, valid UTF-8, at most `JSONReader.defaultDepth` levels deep by itself: a
    /// record that was taken can be sent on in any message.
    public let text: String

    /// - Throws: ``JSONError`` when the text is not one JSON object.
    public init(_ text: String) throws(JSONError) {
        var reader = JSONReader(text)
        self = try Content(from: &reader)
        try reader.end()
    }

    /// Takes the next value of a message as content.
    package init(from reader: inout JSONReader) throws(JSONError) {
        guard case .object = try reader.peek() else { throw reader.error(.wrongType("an object")) }
        text = try reader.compactSource()
    }

    public init(_ object: JSONObject) { text = JSON.object(object).text }

    /// For text this program wrote itself and has checked before (a store).
    package init(checked text: String) { self.text = text }

    /// The members as a value. Parses at each call; keep it when you ask more than once.
    public var object: JSONObject {
        // The text was checked when the content was made; what a broken store returns instead is empty.
        (try? JSON(parsing: text))?.object ?? JSONObject()
    }

    public subscript(key: String) -> JSON? { object[key] }

    public static func == (one: Content, other: Content) -> Bool { one.text.isExactly(other.text) }

    /// The content with members changed; the others keep their text and order.
    public func changing(_ change: (inout JSONObject) -> Void) -> Content {
        var object = object
        change(&object)
        return Content(object)
    }
}

/// The Instant JSON of one record: a JSON object, stored as the text in which it arrived.
///
/// The text is checked once and rewritten only if a member changes, so unknown keys and the source of every number
/// survive (`1.50` stays `1.50`). Only the white space between members is removed, so that a record fits on one line of
/// NDJSON and on one `data:` line of an event. Two contents are equal if their texts are, scalar for scalar.
public struct Content: Hashable, Sendable {
    /// One JSON object on one line, valid UTF-8, at most `JSONReader.defaultDepth` levels deep by itself, so that an
    /// accepted record can be forwarded in any message.
    public let text: String

    /// - Throws: ``JSONError`` if the text is not one JSON object.
    package init(_ text: String) throws(JSONError) { try self.init(parsing: text) }

    /// - Throws: ``JSONError`` if the text is not one JSON object.
    package init(parsing text: String) throws(JSONError) {
        var reader = JSONReader(text)
        self = try Content(from: &reader)
        try reader.end()
    }

    /// Reads the next value of a message as content.
    package init(from reader: inout JSONReader) throws(JSONError) {
        guard case .object = try reader.peek() else { throw reader.error(.wrongType("an object")) }
        text = try reader.compactSource()
    }

    public init(_ object: JSONObject) { text = JSON.object(object).text }

    /// Creates content from text that this program wrote and checked before (a store).
    package init(checked text: String) { self.text = text }

    /// The members as a value. Parsed on each call; store it for repeated use.
    public var object: JSONObject {
        // The text was checked on creation; invalid text from a broken store yields an empty object.
        (try? JSON(parsing: text))?.object ?? JSONObject()
    }

    public subscript(key: String) -> JSON? { object[key] }

    public static func == (one: Content, other: Content) -> Bool { one.text.isExactly(other.text) }

    /// Returns the content with members changed; the others keep their text and order.
    public func changing(_ change: (inout JSONObject) -> Void) -> Content {
        var object = object
        change(&object)
        return Content(object)
    }
}

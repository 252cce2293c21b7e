public import Annotations

// Not preferred over the overloads of this package, which throw errors of their own.
extension Content {
    /// Reads Instant JSON.
    ///
    /// - Parameter text: One JSON object. Unknown members and the source text of numbers are kept.
    /// - Throws: `invalidRequest` with the place of the mistake.
    @_disfavoredOverload
    public init(_ text: String) throws(InstantError) {
        do { self = try Content(parsing: text) } catch { throw InstantError(error) }
    }

    /// Returns the content with another text. Everything else stays, including mentions and the formatting around the
    /// change; ``changingText(to:)`` replaces formatted text by plain text instead.
    ///
    /// - Throws: `invalidRequest` if the change crosses formatting that plain text cannot express.
    @_disfavoredOverload
    public func replacingText(with words: String) throws(InstantError) -> Content {
        do { return try rewording(to: words) } catch { throw InstantError(error) }
    }
}

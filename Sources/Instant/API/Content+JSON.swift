public import Annotations

extension Content {
    /// Reads Instant JSON.
    ///
    /// - Parameter json: One JSON object. Unknown members and the source text of numbers are kept.
    /// - Throws: `invalidRequest` with the place of the mistake.
    public init(json: String) throws(InstantError) {
        do { self = try Content(json) } catch { throw InstantError(error) }
    }

    /// Returns the content with another text. Everything else stays, including mentions and the formatting around the
    /// change; ``changingText(to:)`` replaces formatted text by plain text instead.
    ///
    /// - Throws: `invalidRequest` if the change crosses formatting that plain text cannot express.
    public func replacingText(_ words: String) throws(InstantError) -> Content {
        do { return try replacingText(with: words) } catch { throw InstantError(error) }
    }
}

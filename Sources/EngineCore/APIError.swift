package import SyncProtocol

/// The reason a whole request is refused. Nothing was written and no change was consumed.
package struct APIError: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: ErrorAnswer.Reason
    /// One sentence for a person; never contains a token or the text of a record.
    package var description: String
    /// The earliest useful time to retry; nil if unknown.
    package var retryAfter: Duration?
    /// Whether it refuses a token whose signature is valid: whoever sent it guessed nothing.
    package var isAboutSignedToken = false

    package init(_ reason: ErrorAnswer.Reason, _ description: String, retryAfter: Duration? = nil) {
        self.reason = reason
        self.description = description
        self.retryAfter = retryAfter
    }
}

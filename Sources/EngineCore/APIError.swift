package import SyncProtocol

/// Why a whole request is not done. Nothing was written, no change was consumed.
package struct APIError: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: ErrorAnswer.Reason
    /// One sentence for a person; never holds a token or the text of a record.
    package var description: String
    /// When it is worth asking again; nil: nobody knows better than at once.
    package var retryAfter: Duration?

    package init(_ reason: ErrorAnswer.Reason, _ description: String, retryAfter: Duration? = nil) {
        self.reason = reason
        self.description = description
        self.retryAfter = retryAfter
    }
}

package import Annotations

/// One request to the server as it is remembered: no header, no body and nothing behind the `?`, so that neither a token
/// nor anything of a record is in it.
package struct SentRequest: Hashable, Sendable {
    /// By the local clock.
    package var at: Timestamp
    /// `GET`
    package var method: String
    /// Below `instant/v1/`.
    package var path: String
    /// The status of the answer, or why there is none; nil: it is awaited.
    package var outcome: String?
    /// Until the head of the answer came, or it was given up.
    package var milliseconds: Int64?

    package init(
        at: Timestamp, method: String, path: String, outcome: String? = nil, milliseconds: Int64? = nil
    ) {
        self.at = at
        self.method = method
        self.path = path
        self.outcome = outcome
        self.milliseconds = milliseconds
    }
}

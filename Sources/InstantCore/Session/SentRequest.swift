package import Annotations

/// A logged request to the server, without headers, body and query: it contains neither a token nor record data.
package struct SentRequest: Hashable, Sendable {
    /// When the request was sent, by the local clock.
    package var at: Timestamp
    /// The HTTP method, such as `GET`.
    package var method: String
    /// The path below `instant/v1/`.
    package var path: String
    /// The status of the response, or why there is none; nil while pending.
    package var outcome: String?
    /// The time until the head of the response arrived or the request failed.
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

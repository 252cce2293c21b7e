import InstantCore

/// The last requests of the open layer, the newest first.
struct RequestLog: Equatable, Sendable {
    /// nil: not shown.
    var requests: [SentRequest]?
    var top = 0
    /// They have to be asked for.
    var isStale = true

    var isOpen: Bool { requests != nil }
}

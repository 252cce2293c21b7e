public import InstantCore

extension InstantDocumentDescriptor {
    /// Compares what is here with what the server holds for the present token, in a cycle of its own or in the one that
    /// is under way. What differs is loaded anew, and `didCheckIntegrity` tells of that second comparison too.
    ///
    /// - Throws: ``InstantError`` when the server cannot be asked, or the layer changes faster than it can be compared;
    ///   `CancellationError`.
    public func checkIntegrity() async throws -> IntegrityReport {
        let performer = try performer()
        guard performer.snapshot.connection != .idle else {
            throw InstantError(.requestFailed, "the layer is offline: connect it first")
        }
        let ends = ends
        performer.post(.checkRequested)
        for await event in ends {
            switch event {
            case .didCheckIntegrity(let report?): return report
            case .didCheckIntegrity(nil):
                throw InstantError(.requestFailed, "the layer changes faster than it can be compared: try again")
            case .didFailSync(let error): throw error
            case .didFailAuthentication(let need): throw InstantError(.authenticationFailed, need.description)
            case .didLoseAccess(let why): throw InstantError(.accessDenied, why)
            default: break
            }
        }
        try Task.checkCancellation()
        throw InstantError(.invalidDocument, "the layer was closed")
    }
}

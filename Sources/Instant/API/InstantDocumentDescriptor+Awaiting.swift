public import InstantCore

/// The calls that answer by event, awaited: each starts what its namesake starts and follows the events to the end.
///
/// All of them throw what the event tells, `authenticationFailed` when a token is needed first, `requestFailed` while
/// the server cannot be reached (what waits is sent later all the same), and `CancellationError` when their task is
/// cancelled.
extension InstantDocumentDescriptor {
    /// Until PDF and records are on this machine; when they are, the token is all that is needed. Cancelling stops the
    /// download, and what has arrived is kept for the next one. When the token ends meanwhile, this throws and the
    /// download goes on by itself with the next token.
    public func downloadAndWait(usingJWT jwt: String) async throws {
        let ends = ends
        do throws(InstantError) { try download(usingJWT: jwt) } catch {
            // Also thrown if a running download finishes just now.
            guard error.kind == .alreadyDownloaded else { throw error }
            return try await reauthenticateAndWait(withJWT: jwt)
        }
        let performer = try performer()
        try await withTaskCancellationHandler {
            try await downloadEnd(ends)
        } onCancel: {
            performer.cancelDownload()
        }
    }

    private func downloadEnd(_ ends: AsyncStream<InstantEvent>) async throws {
        try await follow(ends) { event in
            switch event {
            case .didFinishDownload: return true
            case .didFailDownload(let error), .didFailReauthentication(let error): throw error
            // That there is none yet was said before this one was tried.
            case .didFailAuthentication(let need) where need != .noneYet:
                throw InstantError(.authenticationFailed, need.description)
            case .didCancelDownload: throw CancellationError()
            default: return false
            }
        }
    }

    /// Until the server has accepted the token, or refused it.
    public func reauthenticateAndWait(withJWT jwt: String) async throws {
        let ends = ends
        reauthenticate(withJWT: jwt)
        try await follow(ends) { event in
            switch event {
            case .didFinishReauthentication(let token): return token.jwt == jwt
            case .didFailReauthentication(let error): throw error
            default: return false
            }
        }
    }

    /// One cycle, both ways, to its end, by this process or by another one on this machine that syncs the layer.
    /// Cancellation ends the wait, not the cycle: others may be waiting for it.
    public func syncAndWait() async throws {
        let ends = ends
        sync()
        try await follow(ends) { event in
            switch event {
            case .didFinishSync: return true
            case .didFailSync(let error), .didFailReauthentication(let error): throw error
            case .didFailAuthentication(let need): throw InstantError(.authenticationFailed, need.description)
            case .didChangeConnection:
                if case .offline = status.connection {
                    throw InstantError(.requestFailed, status.problem ?? "the server cannot be reached")
                }
                return false
            default: return false
            }
        }
    }

    /// Reads events until one is the end. The loss of the layer or of the client ends everything.
    private func follow(
        _ ends: AsyncStream<InstantEvent>, until isEnd: (InstantEvent) throws -> Bool
    ) async throws {
        for await event in ends {
            switch event {
            case .didLoseAccess(let why): throw InstantError(.accessDenied, why)
            case .didClose(let error): throw error
            default: if try isEnd(event) { return }
            }
        }
        throw CancellationError()
    }

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
        guard performer.snapshot.connection != .elsewhere else {
            throw InstantError(
                .requestFailed, "another program on this machine syncs this layer: close it there, then try again")
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

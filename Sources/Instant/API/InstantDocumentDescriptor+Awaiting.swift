public import InstantCore

/// Awaitable variants of the calls that report by event. Each starts the same operation and follows its events to the
/// end.
///
/// All throw the error of the event, `authenticationFailed` if a token is needed first, `requestFailed` while the
/// server is unreachable (edits are still sent later), and `CancellationError` if their task is cancelled.
extension InstantDocumentDescriptor {
    /// Waits until the PDF and the records are on this machine; if they already are, only authenticates. Cancelling
    /// stops the download and keeps the received part for the next one. If the token becomes invalid during the
    /// download, this throws, and the download continues with the next token.
    public func downloadAndWait(usingJWT jwt: String) async throws {
        let ends = ends
        do throws(InstantError) { try download(usingJWT: jwt) } catch {
            // A running download that has just finished throws this too.
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
            // `noneYet` was announced before this token was tried.
            case .didFailAuthentication(let need) where need != .noneYet:
                throw InstantError(.authenticationFailed, need.description)
            case .didCancelDownload: throw CancellationError()
            default: return false
            }
        }
    }

    /// Waits until the server accepts or refuses the token.
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

    /// Runs one cycle in both directions to its end, in this process or in another one on this machine that syncs the
    /// layer. Cancellation ends the wait, not the cycle: other calls may wait for it.
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

    /// Reads events until one ends the call. Loss of the layer or of the client ends every call.
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

    /// Compares the local records with the server's for the current token, in a new cycle or in the running one. If
    /// they differ, the layer is loaded and compared again; `didCheckIntegrity` reports that result too.
    ///
    /// - Throws: ``InstantError`` if the server is unreachable, or the layer changes faster than it can be compared;
    ///   `CancellationError`.
    public func checkIntegrity() async throws -> IntegrityReport {
        let performer = try performer()
        guard performer.snapshot.connection != .idle else {
            throw InstantError(.requestFailed, "the layer is offline; connect it first")
        }
        guard performer.snapshot.connection != .elsewhere else {
            throw InstantError(
                .requestFailed, "another process on this machine syncs this layer; close it there, then try again")
        }
        let ends = ends
        performer.post(.checkRequested)
        for await event in ends {
            switch event {
            case .didCheckIntegrity(let report?): return report
            case .didCheckIntegrity(nil):
                throw InstantError(.requestFailed, "the layer changes too fast to be compared; try again")
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

public import InstantCore

/// Awaitable variants of the calls that report by event. Each starts the same operation and follows its events to the
/// end.
///
/// All throw the error of the event, `authenticationFailed` if a token is needed first, `requestFailed` while the
/// server is unreachable (edits are still sent later), `accessDenied` if access is lost, `invalidDocument` if the client
/// ends, and `cancelled` if their task is cancelled. None waits for ever: where another program on this machine syncs
/// the layer, they throw `requestFailed` if it gets no answer within ten seconds.
extension InstantDocumentDescriptor {
    /// Waits until the PDF and the records are on this machine; if they already are, only authenticates. Cancelling
    /// stops the download and keeps the received part for the next one. If the token becomes invalid during the
    /// download, or the server unreachable, this throws, and the download continues when it can.
    public func downloadAndWait(usingJWT jwt: String) async throws(InstantError) {
        let performer = try await online()
        let ends = ends
        do throws(InstantError) { try download(usingJWT: jwt) } catch {
            // A running download that has just finished throws this too.
            guard error.kind == .alreadyDownloaded else { throw error }
            return try await reauthenticateAndWait(withJWT: jwt)
        }
        let end = await withTaskCancellationHandler {
            await downloadEnd(ends)
        } onCancel: {
            performer.cancelDownload()
        }
        if let end { throw end }
    }

    /// - Returns: Why the download is not complete; nil if it is.
    private func downloadEnd(_ ends: AsyncStream<InstantEvent>) async -> InstantError? {
        do throws(InstantError) { try await follow(ends, until: isDownloadEnd) } catch { return error }
        return nil
    }

    private func isDownloadEnd(_ event: InstantEvent) throws(InstantError) -> Bool {
        switch event {
        case .didFinishDownload: return true
        case .didFailDownload(let error), .didFailReauthentication(let error): throw error
        // `noneYet` was announced before this token was tried.
        case .didFailAuthentication(let need) where need != .noneYet:
            throw InstantError(.authenticationFailed, need.description)
        case .didCancelDownload: throw .cancelled
        case .didFailSync(let error) where goesOn(after: error): return false
        case .didFailSync(let error):
            // The records arrive in a cycle. If another program took over this one's, follow its cycle.
            guard case .elsewhere = status.connection else { throw error }
            sync()
            return false
        case .didMissEvents: return isDownloaded
        default: return false
        }
    }

    /// Waits until the server accepts or refuses the token.
    public func reauthenticateAndWait(withJWT jwt: String) async throws(InstantError) {
        try await online()
        let ends = ends
        reauthenticate(withJWT: jwt)
        try await follow(ends) { event throws(InstantError) in
            switch event {
            case .didFinishReauthentication(let token): return token.jwt == jwt
            case .didFailReauthentication(let error): throw error
            case .didMissEvents:
                reauthenticate(withJWT: jwt)
                return false
            default: return false
            }
        }
    }

    /// Runs one cycle in both directions to its end, in this process or in another one on this machine that syncs the
    /// layer. Cancellation ends the wait, not the cycle: other calls may wait for it.
    ///
    /// When this returns, the server has every edit that the token allows sending; other edits stay parked
    /// (``SyncStatus/parked``). With a token provider, waits for its token if one is needed.
    ///
    /// - Throws: In addition to the errors of all such calls: `rejectedEdits` if edits are in conflict or were refused,
    ///   now or earlier, until they are resolved. Changes by others were received all the same.
    public func syncAndWait() async throws(InstantError) {
        let performer = try await online()
        let ends = ends
        sync()
        await performer.settled()
        // The server asked for no requests before a certain time.
        if case .offline = performer.snapshot.connection { throw unreachable }
        try await follow(ends) { event throws(InstantError) in
            switch event {
            case .didFinishSync: return true
            case .didFailSync(let error) where goesOn(after: error): return false
            case .didFailSync(let error), .didFailReauthentication(let error): throw error
            case .didFailAuthentication(let need): throw InstantError(.authenticationFailed, need.description)
            case .didChangeConnection:
                if case .offline = status.connection { throw unreachable }
                return false
            case .didMissEvents:
                sync()
                return false
            default: return false
            }
        }
        let rejected = try conflicts()
        if !rejected.isEmpty { throw .rejected(rejected) }
    }

    /// Whether another cycle follows, because the token provider is asked for the missing token.
    private func goesOn(after error: InstantError) -> Bool {
        error.kind == .authenticationFailed && tokenProvider != nil
    }

    private var unreachable: InstantError {
        InstantError(.requestFailed, status.problem ?? "the server cannot be reached")
    }

    /// - Returns: The open layer.
    /// - Throws: `requestFailed` if the layer is deliberately offline.
    @discardableResult
    private func online() async throws(InstantError) -> LayerPerformer {
        let performer = try performer()
        // A change of `isOnline` may be under way.
        await performer.settled()
        if Task.isCancelled { throw .cancelled }
        guard performer.snapshot.connection != .idle else { throw Self.offline }
        return performer
    }

    private static let offline = InstantError(
        .requestFailed, "the layer is offline", recoverySuggestion: "Connect the layer first.")

    /// Reads events until one ends the call. Loss of the layer or of the client ends every call.
    private func follow(
        _ ends: AsyncStream<InstantEvent>, until isEnd: (InstantEvent) throws(InstantError) -> Bool
    ) async throws(InstantError) {
        for await event in ends {
            switch event {
            case .didLoseAccess(let why): throw InstantError(.accessDenied, why)
            case .didClose(let error): throw error
            case .didChangeConnection where status.connection == .idle: throw Self.offline
            default: if try isEnd(event) { return }
            }
        }
        if Task.isCancelled { throw .cancelled }
        throw end ?? InstantError(.invalidDocument, "the layer was closed")
    }

    /// Compares the local records with the server's for the current token, in a new cycle or in the running one. If
    /// they differ, the layer is loaded and compared again; `didCheckIntegrity` reports that result too.
    ///
    /// - Throws: `requestFailed` also if another program on this machine syncs the layer, or the layer changes faster
    ///   than it can be compared.
    public func checkIntegrity() async throws(InstantError) -> IntegrityReport {
        let performer = try await online()
        guard performer.snapshot.connection != .elsewhere else {
            throw InstantError(
                .requestFailed, "another process on this machine syncs this layer; close it there, then try again")
        }
        let ends = ends
        performer.post(.checkRequested)
        var report: IntegrityReport?
        try await follow(ends) { event throws(InstantError) in
            switch event {
            case .didCheckIntegrity(let found?):
                report = found
                return true
            case .didCheckIntegrity(nil):
                throw InstantError(.requestFailed, "the layer changes too fast to be compared; try again")
            case .didFailSync(let error) where goesOn(after: error): return false
            case .didFailSync(let error): throw error
            case .didFailAuthentication(let need): throw InstantError(.authenticationFailed, need.description)
            case .didMissEvents:
                performer.post(.checkRequested)
                return false
            default: return false
            }
        }
        guard let report else { throw InstantError(.invalidServerData, "the server did not answer the comparison") }
        return report
    }
}

extension InstantError {
    /// The error of a sync after which edits are not on the server.
    static func rejected(_ conflicts: [Conflict]) -> InstantError {
        let named = conflicts.prefix(5).map { "\($0.kind.rawValue) of \($0.recordID): \($0.reason)" }
        let more = conflicts.count > 5 ? "; and \(conflicts.count - 5) more" : ""
        let noun = conflicts.count == 1 ? "edit" : "edits"
        return InstantError(
            .rejectedEdits,
            "the server did not accept \(conflicts.count) \(noun) (\(named.joined(separator: "; "))\(more))")
    }
}

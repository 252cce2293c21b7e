import Annotations
import InstantCore
import SyncProtocol

extension LayerPerformer {
    /// - Returns: The events to send.
    func perform(_ effect: Synchronizer.Effect, _ state: inout Confined) -> [InstantEvent] {
        switch effect {
        case .send(let request):
            send(request)
            quicken(state)
        case .cancel(let id): withShared { $0.requests.removeValue(forKey: id) }?.cancel()
        case .openStream(let request): open(request)
        case .closeStream(let id): withShared { $0.streams.removeValue(forKey: id) }?.cancel()
        case .wake(let moment): if let timer = state.alarm.set(for: moment) { startTimer(timer) }
        case .announce(let notice):
            switch notice {
            case .pdfReplaced: state.download.forgetPDF()
            case .pdfChanged(let old):
                state.download.forgetPDF()
                remove(pdf: old)
            case .beganSync where state.hasBegun:
                state.hasBegun = false
                return []
            case .failedSync, .finishedSync: state.hasBegun = false
            case .failedAuthentication(let need) where need != .noneYet:
                if state.restriction?.mayWrite == true { state.restriction = nil }
            default: break
            }
            if case .presence(let presence) = notice { published.withLock { $0.presence = presence } }
            return [event(notice)].compactMap(\.self) + rejections(after: notice, &state)
        case .lead(let leads):
            state.wantsLock = leads
            if !leads { dropLock() }
        case .claim(let claims): claim(claims)
        case .useAlone: break  // answered by the caller
        }
        return []
    }

    /// Returns the event of edits that the server has rejected since the last one, whichever process sent them.
    private func rejections(after notice: Synchronizer.Notification, _ state: inout Confined) -> [InstantEvent] {
        // A change without ids was made by another process.
        guard case .changed(let changes) = notice, changes.hasRejections || changes.ids.isEmpty,
            let conflicts = try? layer.conflicts()
        else { return [] }
        let new = conflicts.filter { !state.rejected.contains($0.id) }
        state.rejected = Set(conflicts.map(\.id))
        return new.isEmpty ? [] : [.didRejectEdits(new)]
    }

    private func send(_ request: SyncRequest) {
        withShared { shared in
            guard !shared.isClosed else { return }
            let token = shared.tokens[request.ticket]
            shared.requests[request.id] = Task {
                let input: Synchronizer.Input
                do throws(SyncFailure) {
                    guard let token else { throw .token(.noneYet) }
                    input = .answered(request.id, try await self.answer(to: request.kind, token: token))
                } catch { input = .failed(request.id, error) }
                self.withShared { $0.requests[request.id] = nil }
                await self.take(input)
            }
        }
    }

    private func answer(to kind: SyncRequest.Kind, token: String) async throws(SyncFailure) -> SyncAnswer {
        guard case .upload(let id) = kind else { return try await pages.send(kind, token: token) }
        do {
            return try await withTaskExecutorPreference(DiskExecutor.shared) {
                try await upload(id, token: token)
            }
        } catch let failure as SyncFailure { throw failure } catch { throw .attachment("\(error)") }
    }

    private func open(_ request: StreamRequest) {
        withShared { shared in
            guard !shared.isClosed else { return }
            let token = shared.tokens[request.ticket]
            shared.streams[request.id] = Task {
                var end: SyncFailure?
                do throws(SyncFailure) {
                    guard let token else { throw .token(.noneYet) }
                    try await self.transport.listen(
                        request.channel, from: request.cursor, session: request.session, client: request.client,
                        token: token
                    ) {
                        await self.take(.heard(request.id, $0))
                    }
                } catch { end = error }
                await self.take(.streamEnded(request.id, end))
            }
        }
    }

    /// Returns once the input has been handled, so that a stream that is faster than the store has to wait.
    private func take(_ input: Synchronizer.Input) async {
        await withCheckedContinuation { continuation in
            onQueue {
                self.handle { $0.synchronizer.handle(input, now: $1, random: &$0.random) }
                continuation.resume()
            }
        }
    }

    private func startTimer(_ timer: CoalescingTimer.Timer) {
        let delay = Int(clamping: max(0, timer.moment - environment.now()))
        onQueue(afterMilliseconds: min(delay, 86_400_000)) { [weak self] in
            guard let self else { return }
            handle { state, now in
                switch state.alarm.fired(timer, at: now) {
                case nil: break
                case .early(let next): self.startTimer(next)
                case .due: return state.synchronizer.handle(.woke, now: now, random: &state.random)
                }
                return []
            }
        }
    }
}

extension LayerPerformer {
    /// Returns the event of a notification; nil if it has none.
    func event(_ notice: Synchronizer.Notification) -> InstantEvent? {
        switch notice {
        case .changedState(let state): .didChangeSyncState(state)
        case .beganSync: .didBeginSync
        case .finishedSync: .didFinishSync
        case .failedSync(let failure): .didFailSync(InstantError(failure))
        case .authenticated(let ticket):
            withShared { $0.tokens[ticket] }.map { .didFinishReauthentication(AcceptedToken($0)) }
        case .failedAuthentication(let need): .didFailAuthentication(need)
        case .failedReauthentication(_, let failure): .didFailReauthentication(InstantError(failure))
        case .changed(let changes): changes.event
        case .lost(let why): .didLoseAccess(why)
        case .pdfReplaced: .didReplacePDF
        case .pdfChanged: .didChangePDF
        case .tokenExpires(let moment): .willExpireToken(at: moment.date)
        case .checked(let report): .didCheckIntegrity(report)
        case .presence: .didChangePresence
        }
    }
}

extension LayerChanges {
    /// Two ids that are equal as Swift's strings do not fit into one set: then everything has to be read again.
    var event: InstantEvent {
        let known = Set(ids.map(\.text))
        guard !known.isEmpty, known.count == ids.count else { return .didMissEvents }
        return .didChangeRecords(known, byOthers: Set(byOthers.map(\.text)))
    }
}

import InstantCore
import SyncProtocol

extension LayerPerformer {
    /// - Returns: what is to be told, once nothing is locked any more.
    func perform(_ effect: Synchronizer.Effect, _ state: inout State) -> InstantEvent? {
        switch effect {
        case .send(let request): state.requests[request.id] = send(request, token: state.tokens[request.ticket])
        case .cancel(let id): state.requests.removeValue(forKey: id)?.cancel()
        case .openStream(let request): state.streams[request.id] = open(request, token: state.tokens[request.ticket])
        case .closeStream(let id): state.streams.removeValue(forKey: id)?.cancel()
        case .wake(let moment): if let timer = state.alarm.set(for: moment) { startTimer(timer) }
        case .announce(let notice):
            if notice == .pdfReplaced {
                state.download.hasPDF = false
                state.download.progress = nil
            }
            if case .presence(let presence) = notice { published.withLock { $0.presence = presence } }
            return event(notice, state)
        }
        return nil
    }

    private func send(_ request: SyncRequest, token: String?) -> Task<Void, Never> {
        // An edit is on its way before the thread of the network is awake.
        let begun = token.flatMap { pages.begin(request.kind, token: $0) }
        return Task(executorPreference: NetworkLoop.executor) {
            let input: Synchronizer.Input
            do throws(SyncFailure) {
                guard let token else { throw .token(.noneYet) }
                let answer =
                    if let begun {
                        try await self.transport.answer(to: begun)
                    } else if case .upload(let id) = request.kind {
                        try await self.transport.upload(id, from: self.attachments, token: token)
                    } else {
                        try await self.pages.send(request.kind, token: token)
                    }
                input = .answered(request.id, answer)
            } catch { input = .failed(request.id, error) }
            self.withState { $0.requests[request.id] = nil }
            await self.take(input)
        }
    }

    private func open(_ request: StreamRequest, token: String?) -> Task<Void, Never> {
        Task(executorPreference: NetworkLoop.executor) {
            var end: SyncFailure?
            do throws(SyncFailure) {
                guard let token else { throw .token(.noneYet) }
                try await self.transport.listen(
                    request.channel, from: request.cursor, session: request.session, token: token
                ) {
                    await self.take(.heard(request.id, $0))
                }
            } catch { end = error }
            await self.take(.streamEnded(request.id, end))
        }
    }

    /// Returns when it was handled: whoever brings it fast has to wait.
    private func take(_ input: Synchronizer.Input) async {
        await withCheckedContinuation { continuation in
            let step = { @Sendable in
                self.handle { $0.synchronizer.handle(input, now: $1, random: &$0.random) }
                continuation.resume()
            }
            if input.isSmall { doOrAdd(step) } else { onLane(step) }
        }
    }

    private func startTimer(_ timer: Alarm.Timer) {
        let delay = Int(clamping: max(0, timer.moment.milliseconds - environment.now().milliseconds))
        onLane(afterMilliseconds: min(delay, 86_400_000)) { [weak self] in
            guard let self else { return }
            switch self.withState({ $0.alarm.fired(timer, at: self.environment.now()) }) {
            case nil: break
            case .early(let next): self.startTimer(next)
            case .due: self.handle { $0.synchronizer.handle(.woke, now: $1, random: &$0.random) }
            }
        }
    }
}

extension Synchronizer.Input {
    /// Whether the thread of the network can take it in between two reads: a change or two of others, for which no disk
    /// is waited.
    fileprivate var isSmall: Bool {
        if case .heard(_, .change(let event)) = self { event.changes.count <= 4 } else { false }
    }
}

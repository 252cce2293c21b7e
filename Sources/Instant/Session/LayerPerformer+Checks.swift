import Annotations
import InstantCore

// Checks of what other processes do.
extension LayerPerformer {
    /// Begins to check, again and again, what other processes do to the store.
    func beginChecks() {
        let watch = StoreWatch(folder: open.folder, queue: queue) { [weak self] in self?.storeMayBeUsed() }
        confined.withLock { $0.watch = watch }
        planCheck(isQuiet: false)
    }

    private func planCheck(isQuiet: Bool) {
        let (number, isCalm) = confined.withLock { state in
            let number = state.pace.plan(isQuiet: isQuiet)
            return (number, state.pace.isCalm)
        }
        let pause = isCalm ? environment.calmMilliseconds : environment.pollMilliseconds
        onQueue(afterMilliseconds: pause) { [weak self] in
            guard let self, confined.withLock({ $0.pace.isDue(number) }) else { return }
            check()
        }
    }

    /// Called on the queue when the folder reports something, even if this process caused it.
    private func storeMayBeUsed() {
        // Events caused by checks must not trigger more checks: two processes would keep each other busy.
        let isNews = confined.withLock { state in
            guard !isClosed else {
                state.watch = nil
                return false
            }
            return state.watch?.takeEvents() == true && state.pace.isCalm
        }
        guard isNews else { return }
        _ = confined.withLock { $0.pace.plan(isQuiet: false) }
        check()
    }

    /// Checks often again, now that this process has work to do.
    func quicken(_ state: Confined) {
        if state.pace.isCalm { onQueue { if !self.isClosed { self.planCheck(isQuiet: false) } } }
    }

    private func check() {
        guard !isClosed else { return confined.withLock { $0.watch = nil } }
        guard open.store.isCurrent else {
            return handle { $0.synchronizer.handle(.storageRemoved, now: $1, random: &$0.random) }
        }
        handle { state, now in
            guard let input = self.checkLock(&state) else { return [] }
            return state.synchronizer.handle(input, now: now, random: &state.random)
        }
        handle { state, now in
            guard let progress = self.transport.recorder?.lastProgress, state.lastProgress != progress else {
                return []
            }
            state.lastProgress = progress
            return state.synchronizer.handle(.moved, now: now, random: &state.random)
        }
        handle { state, now in self.takeLeftovers(&state, now) }
        let version = open.store.foreignVersion()
        handle { state, now in
            guard state.storeVersion != version else { return [] }
            state.storeVersion = version
            return state.synchronizer.handle(.storeChanged, now: now, random: &state.random)
        }
        planCheck(isQuiet: isQuiet())
    }

    /// Takes the lock once it is free or its holder is silent, or gives way to another process.
    private func checkLock(_ state: inout Confined) -> Synchronizer.Input? {
        if let lock {
            guard lock.isCurrent else {
                dropLock()
                return .deposed
            }
            lock.beat()
            return leadClaim.map { .leadClaimed($0) }
        }
        let holder = lockHolder
        state.syncedBy = holder?.process
        let isSilent = state.leaderWatch.checked(holder?.sign)
        // A process that claims the lead and does not take it is stopped.
        let isIdle = state.idleClaimWatch.checked(holder == nil ? leadClaim : nil)
        guard state.wantsLock, tryToLead(insteadOf: isSilent ? holder?.sign : nil, ignoringClaims: isIdle) else {
            return nil
        }
        state.syncedBy = nil
        return .leading(true)
    }

    /// Whether nothing has to be checked before the folder reports something: this process is alone with the layer, leads
    /// it if it wants to, and sends and receives nothing.
    private func isQuiet() -> Bool {
        // Side stores are in folders that are not watched.
        guard open.isMain, stores.sides.isEmpty, withShared(\.requests.isEmpty) else { return false }
        let isIdle = confined.withLock { state in
            guard let watch = state.watch else { return false }
            // Discards the events of these checks; later ones wake this process.
            _ = watch.takeEvents()
            return holdsLock == state.wantsLock && !state.synchronizer.cycle.isSyncing && !state.download.isRunning
        }
        return isIdle && open.isAlone
    }
}

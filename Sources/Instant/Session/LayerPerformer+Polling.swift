import InstantCore

extension LayerPerformer {
    /// Takes the lock once it is free, or gives way to another process, and notices what other processes wrote.
    func poll() {
        onQueue(afterMilliseconds: environment.pollMilliseconds) { [weak self] in
            guard let self, !isClosed else { return }
            handle { state, now in
                let holdsLock = self.holdsLock
                if holdsLock ? self.isLeadClaimed : state.wantsLock && self.tryToLead() {
                    return state.synchronizer.handle(
                        holdsLock ? .leadClaimed : .leading(true), now: now, random: &state.random)
                }
                return []
            }
            let version = store.foreignVersion()
            handle { state, now in
                guard state.storeVersion != version else { return [] }
                state.storeVersion = version
                return state.synchronizer.handle(.storeChanged, now: now, random: &state.random)
            }
            poll()
        }
    }
}

import InstantCore

extension LayerPerformer {
    /// Takes the lock over from a process that died, and notices what other processes wrote.
    func poll() {
        onLane(afterMilliseconds: environment.pollMilliseconds) { [weak self] in
            guard let self, !self.withState({ $0.isClosed }) else { return }
            if self.withState({ $0.lock == nil }), let lock = FileLock(path: self.lockPath) {
                self.withState { $0.lock = lock }
                self.handle { $0.synchronizer.handle(.leading(true), now: $1, random: &$0.random) }
            }
            let version = self.store.foreignVersion()
            if self.withState({ $0.storeVersion != version }) {
                self.withState { $0.storeVersion = version }
                self.handle { $0.synchronizer.handle(.storeChanged, now: $1, random: &$0.random) }
            }
            self.poll()
        }
    }
}

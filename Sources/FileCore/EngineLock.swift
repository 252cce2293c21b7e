/// Whether an engine may serve a data folder: only one does, of any version.
///
/// The lock in the data folder decides, and is taken before anything there is read. An engine of an earlier version locks
/// only its runtime folder, so its lock is taken as well.
package struct EngineLock: Sendable {
    package enum Input: Hashable, Sendable {
        case asked
        /// Whether the lock in the data folder is held by this engine now.
        case tookLock(Bool)
        /// Whether no engine of an earlier version serves this folder, and none can begin where this one looks for it.
        case tookEarlierLock(Bool)
        /// The lock, or the folder that it is in, is not in its place any more: another engine may begin.
        case lost
    }

    package enum Effect: Hashable, Sendable {
        case takeLock
        case takeEarlierLock
        case releaseLocks
        /// Read what is kept, and begin.
        case serve
        /// Say that another engine serves the folder, and end. Nothing was changed.
        case refuse(isEarlier: Bool)
        /// Store nothing more, and end.
        case end
    }

    package enum State: Hashable, Sendable {
        case idle, taking, takingEarlier, serving, ended
    }

    package private(set) var state = State.idle

    package init() {}

    package mutating func handle(_ input: Input) -> [Effect] {
        switch (state, input) {
        case (.idle, .asked):
            state = .taking
            return [.takeLock]
        case (.taking, .tookLock(true)):
            state = .takingEarlier
            return [.takeEarlierLock]
        case (.taking, .tookLock(false)):
            state = .ended
            return [.refuse(isEarlier: false)]
        case (.takingEarlier, .tookEarlierLock(true)):
            state = .serving
            return [.serve]
        case (.takingEarlier, .tookEarlierLock(false)):
            state = .ended
            return [.releaseLocks, .refuse(isEarlier: true)]
        case (.taking, .lost), (.takingEarlier, .lost), (.serving, .lost):
            state = .ended
            return [.releaseLocks, .end]
        case (.idle, _), (.taking, _), (.takingEarlier, _), (.serving, _), (.ended, _): return []
        }
    }
}

import SyncProtocol
import Synchronization

/// Tells windows what is known of one file, whenever that has changed. A window that is slow gets the latest only.
final class ReportFeed: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<FileReport>.Continuation] = [:]
        var lastReader = 0
        var told: FileReport?
        var isMaking = false
        /// Whether something has changed since the report was begun.
        var isStale = false
    }

    private let state = Mutex(State())
    private let worker: WorkerThreads

    /// - Parameter worker: the thread of the reports. They block briefly.
    init(on worker: WorkerThreads) { self.worker = worker }

    /// Reads what will be known. ``changed(_:)`` has to be called once, so that it begins with what is known now.
    ///
    /// - Returns: also what ends it.
    func read() -> (AsyncStream<FileReport>, end: @Sendable () -> Void) {
        let (reports, reader) = AsyncStream<FileReport>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = reader
            // Everybody gets the next one, also if nothing has changed for them.
            state.told = nil
            return state.lastReader
        }
        return (
            reports,
            { [weak self] in
                self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
                reader.finish()
            }
        )
    }

    /// Ends all readers.
    func close() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return state.readers.values
        }
        for reader in readers { reader.finish() }
    }

    /// Tells what may have changed. Costs nothing without readers.
    ///
    /// - Parameter make: returns what is known. Blocks briefly.
    func changed(_ make: @escaping @Sendable () -> FileReport) {
        let begins = state.withLock { state in
            guard !state.readers.isEmpty else { return false }
            state.isStale = true
            defer { state.isMaking = true }
            return !state.isMaking
        }
        if begins { worker.submit { self.tell(make) } }
    }

    private func tell(_ make: () -> FileReport) {
        while state.withLock({ state in
            defer { state.isStale = false }
            if !state.isStale { state.isMaking = false }
            return state.isStale
        }) {
            let report = make()
            let readers = state.withLock { state in
                var same = report
                if let told = state.told { same.number = told.number }
                guard same != state.told else { return [AsyncStream<FileReport>.Continuation]() }
                state.told = report
                return Array(state.readers.values)
            }
            for reader in readers { reader.yield(report) }
        }
    }
}

import Synchronization

/// The uploads that requests are receiving. The next request of an upload ends the earlier one first: its connection may
/// have died without a word, and what it has received is needed.
final class RunningUploads: Sendable {
    private struct State {
        var last = 0
        /// Keyed by the number of the request; the value closes its connection.
        var running: [UploadKey: [Int: @Sendable () -> Void]] = [:]
        var waiting: [UploadKey: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    /// Runs the body as a request of the upload.
    ///
    /// - Parameter cut: makes the body end soon.
    func run<Result>(
        _ key: UploadKey, cut: @escaping @Sendable () -> Void, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let number = state.withLock { state in
            state.last += 1
            state.running[key, default: [:]][state.last] = cut
            return state.last
        }
        defer { ended(key, number) }
        return try await body()
    }

    /// Returns once no request of the upload is left.
    func end(_ key: UploadKey) async {
        await withCheckedContinuation { continuation in
            let cuts = state.withLock { state -> [@Sendable () -> Void] in
                guard let running = state.running[key] else { return [] }
                state.waiting[key, default: []].append(continuation)
                return Array(running.values)
            }
            if cuts.isEmpty { continuation.resume() }
            for cut in cuts { cut() }
        }
    }

    private func ended(_ key: UploadKey, _ number: Int) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.running[key]?[number] = nil
            guard state.running[key]?.isEmpty == true else { return [] }
            state.running[key] = nil
            return state.waiting.removeValue(forKey: key) ?? []
        }
        for continuation in waiting { continuation.resume() }
    }
}

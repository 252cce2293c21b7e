import EngineCore
import SyncProtocol
import Synchronization

/// Whether a proxy should send requests here: the store answers, and the server is not stopping.
final class Readiness: Sendable {
    private struct State {
        var isStopping = false
        /// What was found last, and when: whoever asks often does not ask the store as often.
        var last: (found: Bool, at: Duration)?
    }

    /// For how long an answer counts.
    static let freshness: Duration = .seconds(1)

    private let engine: Engine
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    init(engine: Engine, uptime: @escaping @Sendable () -> Duration) {
        (self.engine, self.uptime) = (engine, uptime)
    }

    func stop() { state.withLock { $0.isStopping = true } }

    /// - Returns: nil when it is ready; else why it is not.
    func problem() async -> APIError? {
        let now = uptime()
        let (isStopping, known) = state.withLock { state in
            (state.isStopping, state.last.flatMap { now - $0.at < Self.freshness ? $0.found : nil })
        }
        if isStopping { return APIError(.unavailable, "the server is stopping") }
        if let known { return known ? nil : Self.away }
        let found = (try? await engine.read { try $0.isRevoked(tokenID: "") }) != nil
        state.withLock { $0.last = (found, now) }
        return found ? nil : Self.away
    }

    private static let away = APIError(.unavailable, "the server cannot reach its store")
}

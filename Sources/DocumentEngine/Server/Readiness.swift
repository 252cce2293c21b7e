import EngineCore
import SyncProtocol
import Synchronization

/// Whether a proxy should route requests here: the store responds, the disk has space, and the server is not stopping.
final class Readiness: Sendable {
    private struct State {
        var isStopping = false
        /// The last result and its time, cached so that frequent checks do not each query the store.
        var last: (found: Bool, at: Duration)?
    }

    /// How long a result is valid.
    static let freshness: Duration = .seconds(1)

    private let engine: Engine
    private let space: DiskSpace
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    init(engine: Engine, space: DiskSpace, uptime: @escaping @Sendable () -> Duration) {
        (self.engine, self.space, self.uptime) = (engine, space, uptime)
    }

    func stop() { state.withLock { $0.isStopping = true } }

    /// - Returns: nil if the server is ready, otherwise the reason.
    func problem() async -> APIError? {
        let now = uptime()
        let (isStopping, known) = state.withLock { state in
            (state.isStopping, state.last.flatMap { now - $0.at < Self.freshness ? $0.found : nil })
        }
        if isStopping { return APIError(.unavailable, "the server is stopping") }
        if let problem = space.problem { return problem }
        if let known { return known ? nil : Self.away }
        let found = (try? await engine.read { try $0.isRevoked(tokenID: "") }) != nil
        state.withLock { $0.last = (found, now) }
        return found ? nil : Self.away
    }

    private static let away = APIError(.unavailable, "the server cannot reach its store")
}

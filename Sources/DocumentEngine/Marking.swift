import Logging
import ServiceLifecycle

/// Draws the store's mark anew while there are writes, so that any backup is older than what it is compared with.
struct Marking: Service {
    let engine: Engine
    let mark: any RestoreMark
    let logger: Logger

    static let interval: Duration = .seconds(10)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var marked = engine.writes.commits
            while !Task.isCancelled {
                try await Task.sleep(for: Self.interval)
                let commits = engine.writes.commits
                guard commits != marked else { continue }
                do {
                    try await engine.apart { [mark] in try mark.draw() }
                    marked = commits
                } catch { logger.warning("marking failed", metadata: ["error": "\(type(of: error))"]) }
            }
        }
    }
}

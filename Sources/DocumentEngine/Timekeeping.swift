import ServiceLifecycle

/// Tells the engine that time passes, for all streams and people at once: a clock of its own for each of thousands would
/// cost more than the rest of a listener.
struct Timekeeping: Service {
    let engine: Engine
    let every: Duration

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try await Task.sleep(for: every)
                engine.timePassed()
            }
        }
    }
}

import Glibc
import Logging
import ServiceLifecycle

/// Ends the engine some time after its last connection, forgets the files that nobody needs, and reads the open ones anew
/// when another program has changed them.
struct IdleService: Service {
    let gate: OwnerGate
    let files: OwnFiles
    let logger: Logger
    let stop: @Sendable () async -> Void

    static let interval: Duration = .seconds(1)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await files.followFiles() }
                try await tick()
                group.cancelAll()
            }
        }
    }

    private func tick() async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: Self.interval)
            do { try await files.tidy() } catch { note("files could not be forgotten", error) }
            await files.lookAtFiles()
            // Clients cannot find an engine without its socket, and its lock prevents another engine from starting.
            guard access(files.options.socket, F_OK) == 0 else {
                logger.notice("the socket was removed")
                await stop()
                return
            }
            if let idle = gate.idle(), idle >= files.options.idle || files.isRetired { await stop() }
        }
    }

    private func note(_ what: String, _ error: any Error) {
        logger.warning("\(what)", metadata: ["error": "\(type(of: error))"])
    }
}

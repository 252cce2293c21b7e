import Logging
import ServiceLifecycle

/// Ends the engine some time after its last connection, or when its folders are gone; forgets files that are no longer used,
/// and reads the open ones anew when another program has changed them.
struct LocalFilesService: Service {
    let gate: OwnerGate
    let files: LocalFiles
    let logger: Logger
    let stop: @Sendable () async -> Void

    static let interval: Duration = .seconds(1)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await files.followChanges() }
                // Apart: a client that cannot be asked must not keep an engine alive that no client can find.
                group.addTask { try await staysInPlace() }
                try await tick()
                group.cancelAll()
            }
        }
        await files.close()
    }

    /// Ends the engine when its folders, its socket or its lock are gone, as after a logout.
    private func staysInPlace() async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: Self.interval)
            guard files.options.isInPlace() else {
                logger.notice("the folder, socket or lock of the engine was removed")
                files.stop()
                files.options.lostPlace()
                return await stop()
            }
        }
    }

    private func tick() async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: Self.interval)
            await files.tick()
            if let idle = gate.idle(), idle >= files.options.idle || files.isRetired { await stop() }
        }
    }
}

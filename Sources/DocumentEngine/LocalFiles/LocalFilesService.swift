import Logging
import ServiceLifecycle

/// Ends the engine some time after its last connection, or when its folders are gone; forgets files that are no longer used,
/// and reads the open ones anew when another program has changed them.
///
/// Almost everything is told by an event. What events miss is found by a look now and then.
struct LocalFilesService: Service {
    let gate: OwnerGate
    let files: LocalFiles
    let logger: Logger
    let stop: @Sendable () async -> Void

    func run() async throws {
        gate.whenChanged { [files] in files.call() }
        try? await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await files.followChanges() }
                try await followTime()
                group.cancelAll()
            }
        }
        await files.close()
    }

    private func followTime() async throws {
        var (last, alarm) = (ContinuousClock.now, Task<Void, any Error>?.none)
        defer { alarm?.cancel() }
        files.call()
        for await _ in files.calls {
            guard files.options.isInPlace() else {
                logger.notice("the folder, socket or lock of the engine was removed")
                files.stop()
                files.options.lostPlace()
                return await stop()
            }
            if ContinuousClock.now - last >= files.pace(gate) {
                // Apart: a client that cannot be asked must not keep an engine alive that no client can find.
                Task { await files.tick() }
                last = .now
            }
            let idle = gate.idle()
            if let idle, idle >= files.options.idle || files.isRetired { await stop() }
            alarm?.cancel()
            var pause = last + files.pace(gate) - .now
            if let idle { pause = min(pause, files.options.idle - idle) }
            alarm = Task { [pause] in
                try await Task.sleep(for: max(pause, .milliseconds(10)))
                files.call()
            }
        }
    }
}

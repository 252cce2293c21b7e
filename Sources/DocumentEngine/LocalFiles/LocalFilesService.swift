import Logging
import ServiceLifecycle

/// Ends the engine some time after its last connection, or when its folders are gone; forgets files that are no longer used,
/// and reads the open ones anew when another program has changed them.
///
/// Events report almost everything. A look from time to time finds what they miss.
struct LocalFilesService: Service {
    let gate: OwnerGate
    let files: LocalFiles
    let logger: Logger
    let stop: @Sendable () async -> Void

    func run() async throws {
        gate.whenChanged { [files] in files.call() }
        let (ticks, tick) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await files.followChanges() }
                // Apart: a client that cannot be asked must not keep an engine alive that no client can find.
                group.addTask { for await _ in ticks { await files.tick() } }
                await followTime(tick)
                group.cancelAll()
            }
        }
        await files.close()
    }

    /// Returns once the engine ends.
    private func followTime(_ tick: AsyncStream<Void>.Continuation) async {
        var (last, alarm) = (ContinuousClock.now, Task<Void, any Error>?.none)
        defer { alarm?.cancel() }
        var isEnding = false
        // The first call comes when the engine listens: before, its socket is not in place yet.
        for await _ in files.calls where !isEnding {
            let idle = gate.idle()
            if !files.options.isInPlace() {
                logger.notice("the folder, socket or lock of the engine was removed")
                files.stop()
                files.options.lostPlace()
                isEnding = true
            } else if let idle, idle >= files.options.idle || files.isRetired {
                isEnding = true
            }
            if isEnding {
                await stop()
                continue
            }
            if ContinuousClock.now - last >= files.pace(gate) {
                tick.yield()
                last = .now
            }
            var pause = last + files.pace(gate) - .now
            if let idle { pause = min(pause, files.options.idle - idle) }
            alarm?.cancel()
            alarm = Task { [pause] in
                try await Task.sleep(for: max(pause, .milliseconds(10)))
                files.call()
            }
        }
    }
}

import Annotations
import EngineCore
import Logging
import ServiceLifecycle

/// Deletes obsolete data every hour: tombstones older than 30 days, revocations of expired tokens, attachments that no
/// record names, and rows left by deletions and unfinished copies.
struct Housekeeping: Service {
    let engine: Engine
    let attachments: Attachments
    let logger: Logger

    static let interval: Duration = .seconds(3600)
    static let tombstoneLife: Int64 = 30 * 86_400_000
    /// A copy or an upload begun longer ago is no longer in progress on any server.
    static let unfinishedLife: Int64 = 86_400_000

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await tidy()
                } catch { logger.warning("housekeeping failed", metadata: ["error": "\(type(of: error))"]) }
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Uses one transaction per layer.
    func tidy() async throws {
        let now = engine.now()
        var offset = 0
        while true {
            let page = DocumentQuery(offset: offset, limit: 100)
            let (keys, count) = try await engine.read { store in
                let keys = try store.documents(page).flatMap { document in
                    try store.layerNames(of: document.id).map { LayerKey(document: document.id, name: $0) }
                }
                return (keys, try store.documentCount(page))
            }
            for key in keys {
                do {
                    try await engine.writes.perform(on: key) { store in
                        guard let layer = try store.layer(key) else { return }
                        try store.prune(layer, before: now + -Self.tombstoneLife)
                    }
                } catch is DamagedRow {
                    // It is pruned after it was restored.
                } catch let error as APIError where error.reason != .unavailable {
                    // One layer must not keep the others from being tidied.
                    logger.warning("a layer was not tidied", metadata: ["error": "\(error.reason)"])
                }
            }
            offset += page.limit
            guard offset < count else { break }
        }
        try await engine.removeAll(before: now + -Self.unfinishedLife)
        try await attachments.tidy()
        try await engine.writes.perform { try $0.removeRevocations(before: now + -86_400_000) }
    }
}

/// Drives the engine's clock for all streams and participants: a separate timer for each of thousands of listeners
/// would cost more than the rest of the listener.
struct ClockService: Service {
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

/// Reads all stored rows every day, first an hour after the start, to find damage that no request meets.
struct DamageService: Service {
    let engine: Engine
    let check: StoreCheck
    let logger: Logger
    let metrics: ServerMetrics

    static let interval: Duration = .seconds(86_400)
    static let delay: Duration = .seconds(3600)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: Self.delay)
            while !Task.isCancelled {
                do {
                    let damage = try await withTaskCancellationHandler {
                        try await engine.apart { [check] in try check.problems() }
                    } onCancel: {
                        check.interrupt()
                    }
                    metrics.set(.damageFound, Double(damage.count))
                    if !damage.isEmpty {
                        logger.error(
                            "stored data is damaged: stop the server, run serve --check, restore a backup",
                            metadata: ["problems": "\(damage.count)"])
                    }
                } catch { logger.warning("stored data not checked", metadata: ["error": "\(type(of: error))"]) }
                try await Task.sleep(for: Self.interval)
            }
        }
    }
}

/// Measures the free disk space on a separate thread, because a disk that does not respond blocks it and uploads may
/// keep all other threads busy.
struct DiskSpaceService: Service {
    let space: DiskSpace
    let every: Duration
    private let thread = WorkerThreads(width: 1)

    init(space: DiskSpace, every: Duration) { (self.space, self.every) = (space, every) }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try await Task.sleep(for: every)
                try await thread.perform { space.look() }
            }
        }
    }
}

/// Renews the store's restore stamp while writes occur, so that the stamp in any backup is older than the current one.
struct RestoreStampService: Service {
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
                } catch { logger.warning("restore stamp not renewed", metadata: ["error": "\(type(of: error))"]) }
            }
        }
    }
}

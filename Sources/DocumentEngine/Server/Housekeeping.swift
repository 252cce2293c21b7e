import Annotations
import EngineCore
import Logging
import ServiceLifecycle

/// Forgets, now and then, what nobody can need any more: tombstones older than 30 days, revocations of tokens that
/// have ended, attachments that no record names, what deletions left and copies that were never finished.
struct Housekeeping: Service {
    let engine: Engine
    let attachments: Attachments
    let logger: Logger

    static let interval: Duration = .seconds(3600)
    static let tombstoneLife: Int64 = 30 * 86_400_000
    /// A copy or an upload that was begun longer ago is not under way any more, on this server or on another one.
    static let unfinishedLife: Int64 = 86_400_000

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await tidy()
                } catch { logger.warning("tidying failed", metadata: ["error": "\(type(of: error))"]) }
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    /// One layer, one transaction.
    func tidy() async throws {
        let now = engine.now()
        var offset = 0
        while true {
            let page = DocumentQuery(offset: offset, limit: 100)
            let keys = try await engine.read { store in
                try store.documents(page).map { document in
                    try store.layerNames(of: document.id).map { LayerKey(document: document.id, name: $0) }
                }
            }
            for key in keys.joined() {
                try await engine.writes.perform(on: key) { store in
                    guard let layer = try store.layer(key) else { return }
                    try store.prune(layer, before: now + -Self.tombstoneLife)
                }
            }
            guard keys.count == page.limit else { break }
            offset += page.limit
        }
        try await engine.removeAll(before: now + -Self.unfinishedLife)
        try await attachments.tidy()
        try await engine.writes.perform { try $0.removeRevocations(before: now + -86_400_000) }
    }
}

/// Tells the engine that time passes, for all streams and people at once: a clock of its own for each of thousands would
/// cost more than the rest of a listener.
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

/// Draws the store's mark anew while there are writes, so that any backup is older than what it is compared with.
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
                } catch { logger.warning("marking failed", metadata: ["error": "\(type(of: error))"]) }
            }
        }
    }
}

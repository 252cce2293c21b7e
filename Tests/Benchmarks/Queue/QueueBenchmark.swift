import Annotations
import Foundation
import Instant
import InstantCore

/// Edits made offline, then pushed: from the call until the server has applied all of them and the client's queue on
/// disk is empty; compared with SQLite writing the server's rows.
struct QueueBenchmark {
    var backend: Backend
    var folder: URL
    var edits = 10_000
    var runs = 3

    struct Result {
        var edit = Samples()
        var push = Samples()
        /// Processor time of the client alone.
        var processor = Samples()
        var server = Samples()
        var bound = Samples()
    }

    func run(pdf: String) async throws -> Result {
        guard let url = URL(string: backend.server.address) else { throw BenchmarkError("no address") }
        var result = Result()
        for number in 0..<runs {
            let document = "queue-\(number)"
            try backend.upload(pdf, as: document)
            let home = folder.appendingPathComponent(document)
            defer { try? FileManager.default.removeItem(at: home) }
            let client = try await LiveClient(
                server: url, folder: home, token: backend.server.mint.token(document: document, user: "ana"),
                isListening: false)
            client.descriptor.delayForSyncingLocalChanges = nil
            // Waits for the end of the cycle that loaded the records, which would otherwise also send the first edits.
            if client.descriptor.documentState != .clean {
                try await client.wait("the first cycle") { _ in client.descriptor.documentState == .clean }
            }
            for number in 0..<edits {
                let start = ContinuousClock.now
                _ = try client.descriptor.create(EditBenchmark.note(number))
                result.edit.add(ContinuousClock.now - start)
            }
            let server = backend.server.processID
            let (used, served) = (ProcessTime.own, ProcessTime.used(process: server))
            let start = ContinuousClock.now
            client.descriptor.sync()
            let end = try await client.wait("the queue") {
                $0 == .didFinishSync && client.descriptor.status.unsent == 0
            }
            result.push.add(end - start)
            result.processor.add(ProcessTime.own - used)
            if let served, let now = ProcessTime.used(process: server) { result.server.add(now - served) }
            guard try client.descriptor.layer.outbox().isEmpty else {
                throw BenchmarkError("edits are left in the queue")
            }
            let bound = try PushBound(of: backend.server.database, layerWith: edits)
            for _ in 0..<2 { result.bound.add(try bound.run(folder.appendingPathComponent("push-bound.sqlite").path)) }
        }
        return result
    }
}

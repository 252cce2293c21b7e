import Annotations
import Instant
import InstantCore

/// An edit at one client until the other one tells of it, in turns with the same change by the wire alone, and with
/// PostgreSQL: each with a durable store, on loopback, nothing waited for in between.
struct EditBenchmark {
    var edits = 300
    /// First ones that do not count.
    var warmUp = 20

    struct Result {
        /// From before the edit, its own commit included.
        var whole = Samples()
        /// From the outbox's commit.
        var committed = Samples()
        /// Without client stores.
        var wire = Samples()
        var postgres = Samples()
    }

    /// - Parameter postgres: nil where there is none.
    func run(
        _ writer: LiveClient, _ reader: FollowedLayer, wire: WirePair, postgres: NotifyPair?
    ) async throws -> Result {
        var result = Result()
        // One for all: nothing that the measure itself needs is begun between an edit and its news.
        let limit = Watchdog(seconds: 300, what: "an edit")
        defer { limit.stop() }
        for number in 0..<warmUp + edits {
            let note = Self.note(number)
            let told = try postgres?.run(id: "edit-\(number)-", content: note.text)
            let passed = try wire.run(id: "edit-\(number)-", content: note)
            let start = SharedMoment.now
            let receipt = try writer.descriptor.create(note)
            let commit = SharedMoment.now
            let seen = try await reader.wait(for: receipt.id)
            guard number >= warmUp else { continue }
            result.whole.add(seen - start)
            result.committed.add(seen - commit)
            result.wire.add(passed)
            if let told { result.postgres.add(told) }
        }
        return result
    }

    static func note(_ number: Int) -> Content {
        let content: JSON = [
            "v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 72, 24, 24],
            "text": [
                "format": "plain", "value": .string("Compare this with the table of the second section, \(number)"),
            ],
        ]
        return Content(content.object ?? JSONObject())
    }
}

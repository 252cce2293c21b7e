import Annotations
import Instant
import InstantCore

/// An edit at one client until another client reports it, in turns with the same change over the wire alone, with
/// PostgreSQL and with Yjs: each with a durable store, on loopback, without pauses in between.
struct EditBenchmark {
    var edits = 300
    /// The number of initial edits, which are not counted.
    var warmUp = 20
    /// The number of edits in a turn of Yjs; both counts above are multiples of it. The store of Yjs creates and
    /// deletes a journal file for each update, which delays the disk of the next peer.
    var block = 20

    struct Result {
        /// From before the edit, including its own commit.
        var whole = Samples()
        /// From the outbox's commit.
        var committed = Samples()
        /// Without client stores.
        var wire = Samples()
        var postgres = Samples()
        /// Over the wire, like the previous two.
        var yjs = Samples()
        /// The same updates until the Yjs server's store has committed them.
        var yjsStored = Samples()
    }

    /// - Parameters:
    ///   - postgres: nil if it is not installed.
    ///   - yjs: nil if it is not installed; otherwise it has an update for each of ``notes``.
    func run(
        _ writer: LiveClient, _ reader: FollowedLayer, wire: WirePair, postgres: NotifyPair?, yjs: YjsPair?
    ) async throws -> Result {
        var result = Result()
        // One watchdog for all edits, so that the measurement itself starts nothing between an edit and its arrival.
        let limit = Watchdog(seconds: 300, what: "an edit")
        defer { limit.stop() }
        for number in 0..<warmUp + edits {
            if let yjs, number.isMultiple(of: block) { try run(yjs, number..<number + block, &result) }
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

    /// Runs updates of Yjs, one after another.
    private func run(_ yjs: YjsPair, _ numbers: Range<Int>, _ result: inout Result) throws {
        for number in numbers {
            let times = try yjs.run(number)
            guard number >= warmUp else { continue }
            result.yjs.add(times.told)
            result.yjsStored.add(times.stored)
        }
    }

    /// The notes that all peers write.
    var notes: [(id: String, content: Content)] {
        (0..<warmUp + edits).map { ("edit-\($0)-", Self.note($0)) }
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

import Annotations
import Instant
import InstantCore

/// An edit at one client until the other one tells of it: two clients with durable stores, a server with a durable
/// store, one after the other on loopback, nothing waited for in between.
struct EditBenchmark {
    var edits = 300
    /// First ones that do not count.
    var warmUp = 20

    /// - Returns: from before the edit (its own commit included), and from the outbox's commit.
    func run(_ writer: LiveClient, _ reader: LiveClient) async throws -> (whole: Samples, committed: Samples) {
        var whole = Samples()
        var committed = Samples()
        for number in 0..<warmUp + edits {
            let start = ContinuousClock.now
            let receipt = try writer.descriptor.create(Self.note(number))
            let commit = ContinuousClock.now
            let seen = try await reader.wait("edit \(number)") { event in
                if case .didChangeRecords(let ids, byOthers: _) = event { ids.contains(receipt.id) } else { false }
            }
            guard number >= warmUp else { continue }
            whole.add(seen - start)
            committed.add(seen - commit)
        }
        return (whole, committed)
    }

    private static func note(_ number: Int) -> Content {
        let content: JSON = [
            "v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 72, 24, 24],
            "text": [
                "format": "plain", "value": .string("Compare this with the table of the second section, \(number)"),
            ],
        ]
        return Content(content.object ?? JSONObject())
    }
}

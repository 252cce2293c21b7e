import Annotations
import SyncProtocol
import TestSupport

/// Checks a stream of events: each is complete, and no change is missing or duplicated.
struct EventCheck {
    private var unread: [UInt8] = []
    private var last: Revision?

    mutating func take(_ bytes: [UInt8]) throws {
        unread += bytes
        while let end = unread.firstRange(of: [10, 10]) {
            let event = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
            unread.removeSubrange(..<end.upperBound)
            try take(event)
        }
    }

    private mutating func take(_ event: String) throws {
        let lines = event.split(separator: "\n")
        guard lines.contains("event: change") else { return }
        guard let data = lines.first(where: { $0.hasPrefix("data: ") })?.dropFirst(6) else {
            throw Failure("an event without data: \(event)")
        }
        let json = try JSONReader.parse(Array(data.utf8))
        guard let revision = json["revision"]?.integer, let previous = json["previous"]?.integer else {
            throw Failure("an event without its revisions: \(data.prefix(200))")
        }
        if let last, previous > last { throw Failure("revisions between \(last) and \(previous) are missing") }
        if let last, revision < last { throw Failure("revision \(revision) after \(last)") }
        last = revision
    }
}

/// The sizes of the pieces to send.
final class PieceSizes {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func next(upTo most: Int) -> Int { Int.random(in: 1...most, using: &random) }
}

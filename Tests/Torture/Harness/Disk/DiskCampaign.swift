import EngineSupport
package import Foundation

/// Plays the same day again and again; each time another operation on the way to the disk fails, in every way that it
/// can. Nothing acknowledged may be lost, even by a power failure, nothing be applied twice, and each refusal has to
/// name its reason.
package struct DiskCampaign {
    /// Whose disk fails.
    package enum Place: Sendable {
        case server, client
    }

    package struct Outcome {
        /// The operations that led to failures, with the reasons.
        package var failures: [(operation: Int, failure: String)] = []
        package var days = 0
        /// The failed operations.
        package var faults = 0
    }

    package var place = Place.server
    package var postilla: String
    package var folder: URL
    /// The first operation that fails.
    package var from = 1
    /// The number of operations, each of which fails in turn.
    package var count = Int.max
    /// The distance between two of them.
    package var step = 1
    /// The operations that count, as a name and the end of a path: `fdatasync -wal`; nil: all.
    package var only: String?
    package var keepsGoing = false

    package init(postilla: String, folder: URL) { (self.postilla, self.folder) = (postilla, folder) }

    /// - Parameter say: Receives a line about each failure, and a summary.
    package func run(_ say: (String) -> Void) throws -> Outcome {
        let library = try DiskFaults.compile(into: folder)
        let server =
            place == .server
            ? nil : try ServerProcess(postilla: postilla, folder: folder.appendingPathComponent("server"))
        defer { server?.stop() }
        func trial(_ name: String, _ fault: DiskFaults.Fault?) throws -> any DiskTrial {
            let place = folder.appendingPathComponent(name)
            guard let server else {
                return try ServerDay(postilla: postilla, folder: place, library: library, only: only, fault: fault)
            }
            return try ClientDay(
                postilla: postilla, folder: place, library: library, server: server, only: only, fault: fault)
        }
        let ordinary = try trial("ordinary", nil)
        let expected = try ordinary.play()
        let operations = ordinary.operations
        say("an ordinary day has \(operations.count) operations")
        var tally = DiskTally()
        var outcome = Outcome()
        var next = from
        // Threads make the order, and thus the number, of some operations vary.
        campaign: while next <= operations.count + 3, (next - from) / step < count {
            let operation = next <= operations.count ? operations[next - 1] : "write"
            for kind in DiskFaults.Kind.kinds(of: operation, number: next) {
                let fault = DiskFaults.Fault(at: next, kind: kind)
                do {
                    let day = try trial("day-\(next)-\(kind)", fault)
                    for (expected, found) in zip(expected, try day.play()) { try found.check(against: expected) }
                    tally += day.tally
                    try FileManager.default.removeItem(at: folder.appendingPathComponent("day-\(next)-\(kind)"))
                } catch {
                    outcome.failures.append((next, "\(fault): \(error)"))
                    say(outcome.failures[outcome.failures.count - 1].failure)
                    guard keepsGoing else { break campaign }
                }
                outcome.days += 1
            }
            next += step
        }
        outcome.faults = tally.faults
        say("\(outcome.days) days, \(tally); next: --from \(next)")
        return outcome
    }
}

/// One day with at most one fault.
protocol DiskTrial: AnyObject {
    var tally: DiskTally { get }
    /// The operations of a day on which nothing failed: name and path.
    var operations: [String] { get }

    /// - Returns: what is there in the end, which is the same for every day.
    func play() throws -> [DayEnd]
}

/// What is there at one point of a day.
struct DayEnd {
    var when: String
    var lines: [String]

    func check(against expected: DayEnd) throws {
        guard lines != expected.lines else { return }
        let (mine, theirs) = (Set(lines), Set(expected.lines))
        let missing = expected.lines.filter { !mine.contains($0) }.map { "expected: \($0)" }
        let extra = lines.filter { !theirs.contains($0) }.map { "found:    \($0)" }
        throw Failure("other data than expected \(when):\n\((missing + extra).joined(separator: "\n"))")
    }
}

/// What happened on some days.
struct DiskTally: CustomStringConvertible {
    var acknowledged = 0
    /// By reason, or by command.
    var refusals: [String: Int] = [:]
    var failedStarts = 0
    var failedBackups = 0
    var kills = 0
    /// The failed operations.
    var faults = 0

    static func += (one: inout DiskTally, other: DiskTally) {
        one.acknowledged += other.acknowledged
        one.refusals.merge(other.refusals, uniquingKeysWith: +)
        one.failedStarts += other.failedStarts
        one.failedBackups += other.failedBackups
        one.kills += other.kills
        one.faults += other.faults
    }

    var description: String {
        let reasons = refusals.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return "\(faults) failed operations, \(acknowledged) acknowledged edits; refused: \(reasons); "
            + "\(failedStarts) failed starts, \(failedBackups) failed backups, \(kills) kills"
    }
}

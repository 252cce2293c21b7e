import EngineSupport
package import Foundation

/// Plays the same day again and again; each time another operation on the way to the disk fails, in every way that it
/// can. Nothing acknowledged may be lost, even by a power failure, nothing be applied twice, and each refusal has to
/// name its reason.
package struct DiskCampaign {
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
    /// - Returns: The operations that led to failures, with the reasons.
    package func run(_ say: (String) -> Void) throws -> [(operation: Int, failure: String)] {
        let library = try DiskFaults.compile(into: folder)
        let ordinary = try DiskDay(
            postilla: postilla, folder: folder.appendingPathComponent("ordinary"), library: library, only: only,
            fault: nil)
        let expected = try ordinary.play()
        guard expected.running == expected.afterPowerFailure else {
            throw Failure(
                "without a fault, a power failure loses data:\n"
                    + expected.running.differences(from: expected.afterPowerFailure))
        }
        let operations = ordinary.operations
        say("an ordinary day has \(operations.count) operations, from \(operations.first ?? "none")")
        var tally = DiskDay.Tally()
        var failures: [(operation: Int, failure: String)] = []
        var (days, next) = (0, from)
        // Threads make the order, and thus the number, of some operations vary.
        campaign: while next <= operations.count + 3, (next - from) / step < count {
            let operation = next <= operations.count ? operations[next - 1] : "write"
            for kind in DiskFaults.Kind.kinds(of: operation, number: next) {
                let fault = DiskFaults.Fault(at: next, kind: kind)
                let place = folder.appendingPathComponent("day-\(next)-\(kind)")
                do {
                    let day = try DiskDay(
                        postilla: postilla, folder: place, library: library, only: only, fault: fault)
                    let found = try day.play()
                    try Self.compare(expected.running, found.running, "at the end of the day")
                    try Self.compare(expected.running, found.afterPowerFailure, "after a power failure")
                    tally += day.tally
                    try FileManager.default.removeItem(at: place)
                } catch {
                    failures.append((next, "\(fault): \(error)"))
                    say(failures[failures.count - 1].failure)
                    guard keepsGoing else { break campaign }
                }
                days += 1
            }
            next += step
        }
        say(
            """
            \(days) days, \(tally.faults) failed operations, \(tally.acknowledged) acknowledged edits; refusals: \
            \(tally.refusals.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")); \
            \(tally.failedStarts) failed starts, \(tally.failedBackups) failed backups, \(tally.kills) kills; \
            next: --from \(next)
            """)
        return failures
    }

    private static func compare(_ expected: DiskState, _ found: DiskState, _ when: String) throws {
        guard expected == found else {
            throw Failure("other data than expected \(when):\n\(expected.differences(from: found))")
        }
    }
}

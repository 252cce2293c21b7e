import Foundation
import Glibc
import Synchronization
import Testing

/// Watches the tests of this process from a separate thread. When no work has begun or ended for a minute, it prints
/// the work in progress, the process's connections and what its threads wait for, so that the log of a hanging run
/// shows the cause. After a quarter of an hour it ends the process, so that the run fails instead of hanging.
///
/// Anything that starts a server reports it with ``watch(_:_:)``, or with ``began(_:)`` and ``ended(_:)``.
package final class Watchdog: Sendable {
    package static let shared = Watchdog(
        patience: .seconds(60), report: { FileHandle.standardError.write(Data($0.utf8)) },
        giveUp: { fatalError("the tests hang") })

    private struct Work {
        var name: String
        var begin: ContinuousClock.Instant
    }

    private struct State {
        var work: [Int: Work] = [:]
        var next = 0
        var last = ContinuousClock.now
        /// The number of reports since work last began or ended.
        var silences = 0
        var isLooking = false
    }

    private let state = Mutex(State())
    private let patience: Duration
    private let report: @Sendable (String) -> Void
    private let giveUp: @Sendable () -> Void
    private static let mostSilences = 15

    /// - Parameters:
    ///   - patience: The time without a begin or an end after which it reports.
    ///   - report: Receives the report: the work in progress, the connections and the waiting threads.
    ///   - giveUp: Called after the fifteenth report in a row.
    package init(
        patience: Duration, report: @escaping @Sendable (String) -> Void, giveUp: @escaping @Sendable () -> Void
    ) {
        (self.patience, self.report, self.giveUp) = (patience, report, giveUp)
    }

    /// - Parameter what: The work that begins; the running test's name is added.
    /// - Returns: The id to pass to ``ended(_:)``.
    package func began(_ what: String) -> Int {
        let name = "\(Test.current.map { "\($0.id)" } ?? "no test"): \(what)"
        let (id, isFirst) = state.withLock { state in
            state.next += 1
            (state.last, state.silences) = (.now, 0)
            state.work[state.next] = Work(name: name, begin: .now)
            defer { state.isLooking = true }
            return (state.next, !state.isLooking)
        }
        if isFirst { Thread.detachNewThread { [self] in look() } }
        return id
    }

    package func ended(_ id: Int) {
        state.withLock { state in
            (state.last, state.silences) = (.now, 0)
            state.work[id] = nil
        }
    }

    package func watch<Result>(
        _ what: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let id = began(what)
        defer { ended(id) }
        return try await body()
    }

    private func look() {
        while true {
            // A tenth of the patience, so that a report is late by little.
            poll(nil, 0, Int32(max(1, patience.wholeMilliseconds / 10)))
            let now = ContinuousClock.now
            let silence: (names: [String], count: Int)? = state.withLock { state in
                guard !state.work.isEmpty, now - state.last >= patience else { return nil }
                // The next report follows only after another silence of that length.
                state.last = now
                state.silences += 1
                let names = state.work.values.sorted { $0.begin < $1.begin }.map {
                    "  \((now - $0.begin).components.seconds) s: \($0.name)"
                }
                return (names, state.silences)
            }
            guard let silence else { continue }
            report(
                """

                No work has begun or ended for \(patience.components.seconds) s. In progress:
                \(silence.names.joined(separator: "\n"))
                \(ProcessState.text)

                """)
            if silence.count == Self.mostSilences { giveUp() }
        }
    }
}

/// What the kernel reports about this process; empty where there is no `/proc`.
private enum ProcessState {
    static var text: String { "Connections:\n\(connections)\nThreads:\n\(threads)" }

    private static let states = [
        "01": "ESTABLISHED", "02": "SYN-SENT", "03": "SYN-RECEIVED", "04": "FIN-WAIT-1", "05": "FIN-WAIT-2",
        "06": "TIME-WAIT", "07": "CLOSED", "08": "CLOSE-WAIT", "09": "LAST-ACK", "0A": "LISTEN", "0B": "CLOSING",
    ]

    /// The TCP sockets among the open files, with the number of bytes that wait to be sent and read.
    private static var connections: String {
        let files = FileManager.default
        var sockets: [String: String] = [:]
        for name in (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            guard let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
                target.hasPrefix("socket:[")
            else { continue }
            sockets[String(target.dropFirst(8).dropLast())] = name
        }
        var lines: [String] = []
        for table in ["tcp", "tcp6"] {
            // The length of such a file is not known in advance, so it is read to the end.
            let bytes = try? FileHandle(forReadingAtPath: "/proc/self/net/\(table)")?.readToEnd()
            let text = String(decoding: bytes ?? Data(), as: UTF8.self)
            for row in text.split(separator: "\n").dropFirst() {
                let cells = row.split(separator: " ")
                guard cells.count > 9, let file = sockets[String(cells[9])] else { continue }
                let queues = cells[4].split(separator: ":").map { Int($0, radix: 16) ?? 0 }
                lines.append(
                    "  \(states[String(cells[3])] ?? "?") \(port(cells[1])) -> \(port(cells[2])), "
                        + "\(queues.first ?? 0) bytes to send, \(queues.last ?? 0) to read, file \(file)")
            }
        }
        return lines.sorted().joined(separator: "\n")
    }

    private static func port(_ address: Substring) -> String {
        address.split(separator: ":").last.flatMap { Int($0, radix: 16) }.map(String.init) ?? "?"
    }

    /// The number of threads by name and by the kernel function in which they wait.
    private static var threads: String {
        var counts: [String: Int] = [:]
        for id in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
            func read(_ name: String) -> String {
                (try? String(contentsOfFile: "/proc/self/task/\(id)/\(name)", encoding: .utf8))?
                    .split(separator: "\n").first.map(String.init) ?? "?"
            }
            counts["\(read("comm")) in \(read("wchan"))", default: 0] += 1
        }
        return counts.sorted { $0.key < $1.key }.map { "  \($0.value) x \($0.key)" }.joined(separator: "\n")
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        Int(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}

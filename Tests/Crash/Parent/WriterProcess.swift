import EngineSupport
import Foundation
import TestSupport

/// One client of the campaign: a process that dies and restarts on the same data, and the promises made to it.
final class WriterProcess {
    let user: String
    private(set) var child: Child?
    private(set) var rows: [String: String] = [:]
    private(set) var (conflicts, refused) = (0, 0)
    private(set) var hasShown = false
    /// The revision up to which everything is here; nil until nothing is unsent.
    private(set) var settled: Int64?
    private(set) var needsToken = false
    private(set) var tokens = 0

    private let program: String
    private let folder: URL
    private let lies: Bool
    private let disk: DiskFaults?
    private var order: Order?
    private var ledger = Ledger()
    private var launches = 0
    /// The failures of its disk after which it ended.
    private var excused = 0

    /// - Parameter disk: Fails once after each launch, and loses what was not synced when the process is killed; nil: a
    ///   disk without failures.
    init(user: String, program: String, folder: URL, lies: Bool, disk: DiskFaults?) {
        (self.user, self.program, self.folder, self.lies, self.disk) = (user, program, folder, lies, disk)
    }

    private var data: URL { folder.appendingPathComponent(user) }
    /// The failures of its disk.
    var faults: Int { (try? disk?.failures) ?? 0 }

    /// The number of acknowledged edits.
    var acknowledged: Int { ledger.count }

    func launch(_ server: String, random: inout SeededRandom) throws {
        launches += 1
        needsToken = false
        var environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        if let disk {
            // Half of the failures are those of a sync, the others any.
            let isSync = random.chance(1, of: 2)
            environment = disk.environment(
                watching: data.path, hasDisk: true, only: isSync ? "fdatasync -wal" : nil)
            let next = Int.random(in: 1...(isSync ? 15 : 150), using: &random)
            try disk.arm(
                DiskFaults.Fault(
                    at: try disk.operations + next,
                    kind: random.pick([DiskFaults.Kind.ioOnce, .ioOnce, .fullOnce, .short])))
        }
        child = try Child(
            [
                program, "writer", server, "--user", user, "--data", data.path,
                "--launch", "\(launches)", "--seed", "\(random.next())",
            ] + (lies ? ["--lies"] : []) + (disk == nil ? [] : ["--bears-failures"]),
            environment: environment,
            log: folder.appendingPathComponent(user + ".log"))
    }

    /// Kills it; its earlier reports remain valid.
    func kill() throws {
        guard let child else { return }
        child.kill()
        for line in child.lines().lines { try take(line) }
        self.child = nil
        try disk?.failPower(in: data)
    }

    /// Repeats the last order to a new process.
    func repeatOrder() {
        if let order { say(order) }
    }

    func say(_ order: Order) {
        if case .token = order {} else { self.order = order }
        switch order {
        case .token:
            needsToken = false
            tokens += 1
        case .settle: settled = nil
        case .show:
            hasShown = false
            rows = [:]
        case .edit: break
        }
        child?.say(order.line)
    }

    enum Life {
        case running, ended
    }

    /// - Returns: Whether it has to be started again, because its disk failed.
    func listen() throws -> Life {
        guard let (lines, hasEnded) = child?.lines() else { return .running }
        for line in lines { try take(line) }
        guard hasEnded else { return .running }
        let isExcused = faults > excused
        excused = faults
        guard isExcused, child?.endedInOrder == true else { throw CrashProblem("\(user) ended by itself") }
        return .ended
    }

    private func take(_ line: String) throws {
        guard let report = Report(line: line) else { throw CrashProblem("\(user) said: \(line)") }
        ledger.take(report)
        switch report {
        case .needsToken: needsToken = true
        case .settled(let revision): settled = revision
        case .row(let id, let text): rows[id] = text
        case .shown(let conflicts, let refused): (self.conflicts, self.refused, hasShown) = (conflicts, refused, true)
        case .trouble(let why): throw CrashProblem("\(user): \(why)")
        case .tried, .kept, .gone: break
        }
    }

    /// - Returns: The problems.
    func settle(_ records: [String: String]) -> [String] { ledger.settle(records) }
}

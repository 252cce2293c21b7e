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
    private var ledger = Ledger()
    private var launches = 0

    init(user: String, program: String, folder: URL, lies: Bool) {
        (self.user, self.program, self.folder, self.lies) = (user, program, folder, lies)
    }

    /// The number of acknowledged edits.
    var acknowledged: Int { ledger.count }

    func launch(_ server: String, random: inout SeededRandom) throws {
        launches += 1
        needsToken = false
        child = try Child(
            [
                program, "writer", server, "--user", user, "--data", folder.appendingPathComponent(user).path,
                "--launch", "\(launches)", "--seed", "\(random.next())",
            ] + (lies ? ["--lies"] : []),
            environment: ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"],
            log: folder.appendingPathComponent(user + ".log"))
    }

    /// Kills it; its earlier reports remain valid.
    func kill() throws {
        guard let child else { return }
        child.kill()
        for line in child.lines().lines { try take(line) }
        self.child = nil
    }

    func say(_ order: Order) {
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

    func listen() throws {
        guard let (lines, hasEnded) = child?.lines() else { return }
        for line in lines { try take(line) }
        if hasEnded { throw CrashProblem("\(user) ended by itself") }
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

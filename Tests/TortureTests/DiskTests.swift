import Foundation
import TestSupport
import TestThreads
import Testing
import TortureHarness

/// A short slice of `make torture ARGS="--campaign disk"`.
@Suite(.serialized, .onProgramThreads, .timeLimit(.minutes(10))) struct DiskTests {
    private func failures(_ set: (inout DiskCampaign) -> Void) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var campaign = DiskCampaign(postilla: Repository.program("postilla"), folder: folder)
        set(&campaign)
        return try campaign.run { _ in }.map(\.failure)
    }

    @Test func aFailingDiskLosesNothingAndIsNamed() throws {
        let failures = try failures { ($0.from, $0.step, $0.count) = (7, 250, 3) }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    /// After every third refusal the server is killed, so the next one finds a log with bytes that no sync will write.
    @Test func whatFollowsAFailedSyncIsOnDisk() throws {
        let failures = try failures { ($0.only, $0.from, $0.step, $0.count) = ("fdatasync -wal", 9, 12, 2) }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }
}

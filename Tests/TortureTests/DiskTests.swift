import Foundation
import TestSupport
import TestThreads
import Testing
import TortureHarness

/// A short slice of `make torture ARGS="--campaign disk"`.
@Suite(.serialized, .onProgramThreads, .timeLimit(.minutes(10))) struct DiskTests {
    private func run(_ set: (inout DiskCampaign) -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var campaign = DiskCampaign(postilla: Repository.program("postilla"), folder: folder)
        set(&campaign)
        let outcome = try campaign.run { _ in }
        #expect(outcome.failures.isEmpty, "\(outcome.failures.map(\.failure).joined(separator: "\n"))")
        #expect(outcome.faults > 0)
    }

    @Test func aFailingDiskLosesNothingAndIsNamed() throws {
        try run { ($0.from, $0.step, $0.count) = (7, 390, 2) }
    }

    /// After the refusal the server is killed, so the next one finds a log with bytes that no later sync writes.
    @Test func whatFollowsAFailedSyncIsOnDisk() throws {
        try run { ($0.only, $0.from, $0.count) = ("fdatasync -wal", 36, 1) }
    }

    @Test func aFailingDiskOfAClientLosesNothingAndIsNamed() throws {
        try run { ($0.place, $0.from, $0.step, $0.count) = (.client, 100, 300, 2) }
    }

    /// The kernel forgets the bytes whose sync failed, so a PDF must be downloaded again instead of synced again.
    @Test func aDownloadWhoseSyncFailedBeginsAnew() throws {
        try run { ($0.place, $0.only, $0.from, $0.count) = (.client, "fsync .part", 1, 1) }
    }
}

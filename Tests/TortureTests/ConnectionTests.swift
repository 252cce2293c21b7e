import Foundation
import TestSupport
import TestThreads
import Testing
import TortureHarness

/// A short slice of `make torture CAMPAIGN=connections`.
@Suite(.serialized, .onProgramThreads, .timeLimit(.minutes(5))) struct ConnectionTests {
    @Test func everyConnectionIsAnsweredInOrderAndEnds() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var campaign = ConnectionCampaign(
            postilla: Repository.program("postilla"), folder: folder, seed: 1, seconds: 20)
        campaign.episodes = 2
        // All other tests run in parallel.
        campaign.patience = .seconds(120)
        campaign.bound = .seconds(60)
        let failures = try campaign.run { _ in }
        #expect(failures.isEmpty, "\(failures.map(\.failure).joined(separator: "\n"))")
    }
}

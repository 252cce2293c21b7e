import Foundation
import TestSupport
import TestThreads
import Testing
import TortureHarness

/// A short slice of `make torture`.
@Suite(.serialized, .onProgramThreads, .timeLimit(.minutes(5))) struct TortureTests {
    @Test(arguments: StoreKind.allCases) func theServerBearsWhateverIsDoneToIt(store: StoreKind) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var campaign = Campaign(
            postilla: Repository.program("postilla"), folder: folder, seed: 1, seconds: 8)
        campaign.store = store
        campaign.largeLayer = 2_000
        // All other tests run in parallel.
        campaign.slack = .seconds(60)
        campaign.patience = .seconds(120)
        let failures = try campaign.run { _ in }
        #expect(failures.isEmpty, "\(failures.map(\.failure).joined(separator: "\n"))")
    }
}

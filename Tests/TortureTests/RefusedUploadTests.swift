import EngineSupport
import Foundation
import TestSupport
import TestThreads
import Testing
import TortureHarness

/// A refused client that nevertheless sends 10 GB costs the server less than a megabyte.
@Suite(.serialized, .onProgramThreads, .timeLimit(.minutes(10))) struct RefusedUploadTests {
    @Test func lessThanAMegabyteIsRead() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("refused-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ServerProcess(postilla: Repository.program("postilla"), folder: folder)
        defer { server.stop() }
        let (outcomes, read) = try RefusedUpload.run(against: server)
        for outcome in outcomes {
            #expect(outcome.status == outcome.upload.status && outcome.closes, "\(outcome)")
        }
        #expect(outcomes.count == 18)
        #expect(read <= outcomes.count * 1_000_000, "\(outcomes)")
    }

    /// A thousand slow clients do not keep others from being served. `make torture` measures how fast.
    @Test func slowClientsDoNotDelayOthers() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("slow-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var crowd = SlowCrowd(postilla: Repository.program("postilla"), folder: folder, seconds: 5)
        crowd.clients = 300
        // All other tests run in parallel.
        crowd.bound = .seconds(60)
        // The server closes what is too slow, and the clients come again.
        crowd.limits = ["head-seconds=1"]
        let outcome = try crowd.run()
        #expect(outcome.problem == nil && outcome.closed > 0, "\(outcome): \(outcome.problem ?? "")")
    }
}

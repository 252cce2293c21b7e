import Foundation
import Glibc
import Testing

@testable import DocumentEngine

/// A restore that ends before it is done: killed, or by an error. A server finds the old data or the new, or does not
/// start, and the next restore works.
@Suite("Interrupted restores", .timeLimit(.minutes(15))) struct InterruptedRestoreTests {
    struct Situation: Sendable, CustomStringConvertible {
        var hasOldData = false
        var hasFolder = false
        var elsewhere = false

        var description: String {
            (hasOldData ? "old data" : hasFolder ? "empty folder" : "nothing")
                + (elsewhere ? ", database elsewhere" : "")
        }

        func scene() async throws -> RestoreScene {
            let scene = try await RestoreScene()
            if hasOldData { try await scene.addOldData(elsewhere: elsewhere) }
            if hasFolder { try PrivateFiles.make(folder: scene.data) }
            return scene
        }

        func restore(_ scene: RestoreScene) -> Restore { scene.restore(replacing: hasOldData, elsewhere: elsewhere) }

        static let all = [
            Situation(), Situation(hasFolder: true), Situation(hasOldData: true), Situation(elsewhere: true),
            Situation(hasOldData: true, elsewhere: true),
        ]
    }

    private struct Stopped: Error {}

    /// The state of the disk after each step is what `kill -9` would leave then.
    @Test(arguments: Situation.all) func killedAfterAnyStep(_ it: Situation) async throws {
        let scene = try await it.scene()
        var snapshots: [RestoreScene] = []
        var restore = it.restore(scene)
        restore.didStep = { snapshots.append(try scene.snapshot()) }
        _ = try restore.make()
        #expect(snapshots.count > 9)
        let old = it.hasOldData ? ["old"] : []
        var served: [[String]?] = []
        for snapshot in snapshots {
            let now = try await snapshot.snapshot().served(elsewhere: it.elsewhere)
            served.append(now)
            let found = try snapshot.found()
            #expect(now == nil || now == old || now == ["kept"], "\(found)")
            do {
                _ = try it.restore(snapshot).make()
            } catch BackupError.occupied {
                // It was as good as done.
                _ = try snapshot.restore(replacing: true, elsewhere: it.elsewhere).make()
            }
            #expect(try await snapshot.served(elsewhere: it.elsewhere) == ["kept"])
            #expect(try snapshot.documents() == Set(old + ["kept"]), "nothing is deleted")
            #expect(try !snapshot.found().contains { $0.hasSuffix(".restoring") })
        }
        #expect(served.last == ["kept"])
        // Old data is served until the new is in place.
        if it.hasOldData { #expect(served.first == ["old"] && served.count { $0 == nil } <= (it.elsewhere ? 5 : 1)) }
    }

    /// An error before the folder is in place changes nothing; after it, no server starts until the restore is done.
    @Test(arguments: Situation.all) func anErrorAtAnyStep(_ it: Situation) async throws {
        let scene = try await it.scene()
        let before = try scene.found()
        var count = 0
        var rest = [RestoreScene]()
        while rest.isEmpty {
            let copy = try scene.snapshot()
            var (restore, steps) = (it.restore(copy), 0)
            restore.didStep = {
                steps += 1
                if steps > count { throw Stopped() }
            }
            do {
                _ = try restore.make()
                rest.append(copy)
            } catch is Stopped {
                let isUnmarked = !UnfinishedRestore.isMarked(copy.data)
                if isUnmarked, try copy.documents().contains("kept") {
                    // Only the old folder's name was left to change.
                    #expect(try await copy.served(elsewhere: it.elsewhere) == ["kept"])
                } else if isUnmarked {
                    #expect(try copy.found() == before, "step \(count)")
                } else {
                    #expect(try await copy.served(elsewhere: it.elsewhere) == nil, "step \(count)")
                }
            }
            count += 1
        }
        #expect(count > 9)
        #expect(try await rest[0].served(elsewhere: it.elsewhere) == ["kept"])
    }

    @Test func noServerStartsOnAnUnfinishedRestoreAndNoBackupIsMadeOfIt() async throws {
        let scene = try await RestoreScene()
        _ = try scene.restore().make()
        try UnfinishedRestore.mark(scene.data)
        let why = StoreError.folder(scene.data, "a restore into it was interrupted; run postilla restore again")
        await #expect(throws: why) { try await scene.run { _ in } }
        #expect(throws: why) { try Backup(of: scene.data, to: scene.folder.path + "/other").make() }
        #expect {
            try Restore(of: scene.data, to: scene.folder.path + "/other", now: TestClock.start).make()
        } throws: { "\($0)".contains("it is an unfinished restore") }
        // It contains only copies, so --replace is not needed.
        #expect(try scene.restore().make().movedAside == [])
        #expect(try await scene.served() == ["kept"])
    }

    /// Whatever is where the new folder is built is kept, unless an earlier restore built it.
    @Test func whatRestoreDidNotBuildIsKept() async throws {
        let scene = try await RestoreScene()
        try PrivateFiles.make(folder: scene.data + ".restoring/mine")
        let aside = scene.data + ".replaced-20270115T080000Z"
        #expect(try scene.restore().make().movedAside == [aside])
        #expect(FileStatus(aside + "/mine")?.isFolder == true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: scene.data + ".restoring"))
        #expect(throws: StoreError.folder(scene.data + ".restoring", "restore needs this place; remove it")) {
            try scene.restore(replacing: true).make()
        }
        #expect(try await scene.served() == ["kept"])
    }

    // MARK: File systems that cannot exchange folders

    @Test func withoutAnExchangeOldDataStays() async throws {
        let scene = try await RestoreScene()
        try await scene.addOldData()
        let before = try scene.found()
        for (code, why) in [
            (EINVAL, "move it elsewhere, then restore again"), (EBUSY, "it is a mount point"), (EIO, "Input/output"),
        ] {
            var restore = scene.restore(replacing: true)
            restore.exchange = { _, _ in
                errno = code
                return false
            }
            #expect { try restore.make() } throws: { "\($0)".contains(why) }
            #expect(try scene.found() == before)
        }
        #expect(try await scene.served() == ["old"])
    }

    @Test func withoutAnExchangeAFolderWithoutDataIsReplaced() async throws {
        for it in [Situation(), Situation(hasFolder: true)] {
            let scene = try await it.scene()
            var restore = scene.restore()
            restore.exchange = { _, _ in
                errno = EINVAL
                return false
            }
            _ = try restore.make()
            #expect(try await scene.served() == ["kept"])
        }
    }
}

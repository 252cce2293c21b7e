import Annotations
import Crypto
import Foundation
import InstantCore
import TestSupport
import Testing

@testable import Instant

/// The server's database is restored from a backup while clients keep running: no text disappears silently.
@Suite(.timeLimit(.minutes(15))) struct RestoredBackupTests {
    @Test func whatTheServerLostIsAConflictAndCanBeSentAgain() async throws {
        let folder = try TemporaryFolder()
        let key = P256.Signing.PrivateKey()
        let database = folder.path + "/server/postilla.sqlite"
        var server = try await LiveServer(folder: folder, key: key)
        let port = server.port
        try await server.upload(SmallPDF(annotations: []).bytes)
        let ana = try await Person(server, try server.token("ana"))
        let bo = try await Person(server, try server.token("bo"))
        let old = try ana.descriptor.create(note("old words")).id
        try await bo.see { try bo.texts() == ["old words"] }
        try await server.stop()
        try FileManager.default.copyItem(atPath: database, toPath: folder.path + "/backup")

        server = try await LiveServer(folder: folder, key: key, port: port)
        ana.descriptor.retryNow()
        bo.descriptor.retryNow()
        _ = try ana.descriptor.update(old, content: note("new words"))
        let lost = try ana.descriptor.create(note("written after the backup")).id
        try await bo.see { try bo.texts() == ["new words", "written after the backup"] }
        try await ana.see { ana.descriptor.documentState == .clean && ana.descriptor.status.unsent == 0 }
        try await server.stop()
        _ = try ana.descriptor.create(note("never sent"))
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.moveItem(atPath: folder.path + "/backup", toPath: database)

        server = try await LiveServer(folder: folder, key: key, port: port)
        ana.descriptor.retryNow()
        bo.descriptor.retryNow()
        try await ana.see { ana.descriptor.status.conflicts == 2 && ana.descriptor.status.unsent == 0 }
        #expect(
            Set(try ana.descriptor.conflicts().compactMap { $0.mine?["text"]?.string })
                == ["new words", "written after the backup"])
        // The queued edit was sent. Lost edits show the old text, or their own where no old text exists.
        #expect(try ana.texts() == ["never sent", "old words", "written after the backup"])
        try await bo.see { try bo.texts() == ["never sent", "old words"] }
        #expect(bo.descriptor.status.conflicts == 0)

        for conflict in try ana.descriptor.conflicts() { try ana.descriptor.resolve(conflict.id, .mine) }
        try await bo.see { try bo.texts() == ["never sent", "new words", "written after the backup"] }
        try await ana.see { ana.descriptor.documentState == .clean && ana.descriptor.status.conflicts == 0 }
        #expect(try ana.texts() == ["never sent", "new words", "written after the backup"])
        #expect(lost != old)
        try await server.stop()
    }
}

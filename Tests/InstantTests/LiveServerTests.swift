import Annotations
import Authorization
import Crypto
import Foundation
import InstantCore
import PDFPages
import SyncProtocol
import Synchronization
import TestSupport
import Testing

@testable import Instant

/// The library against a real document engine on loopback.
@Suite(.timeLimit(.minutes(15))) struct LiveServerTests {
    private static let pdf = SmallPDF(annotations: [
        "<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(from the PDF)/T(Author)>>"
    ]).bytes

    private func server() async throws -> (LiveServer, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let server = try await LiveServer(folder: folder)
        try await server.upload(Self.pdf)
        return (server, folder)
    }

    @Test func aLayerIsDownloadedWithThePDFsOwnAnnotations() async throws {
        let (server, folder) = try await server()
        let ana = try await Person(server, try server.token())
        #expect(try ana.texts() == ["from the PDF"])
        #expect(ana.descriptor.title == "A paper")
        #expect(FileManager.default.contents(atPath: try #require(ana.descriptor.pdfPath)) == Data(Self.pdf))
        #expect(ana.descriptor.status.grant?.userID == "ana")
        try await server.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func whatOnePersonDoesTheOtherSees() async throws {
        let (server, folder) = try await server()
        let ana = try await Person(server, try server.token("ana"))
        let bo = try await Person(server, try server.token("bo"))
        let id = try ana.descriptor.create(note("hello from ana")).id
        try await bo.see { try bo.texts().contains("hello from ana") }
        #expect(try bo.descriptor.layer.row(id)?.isUnread == true)
        #expect(try bo.descriptor.layer.row(id)?.author == "ana")
        try await ana.see { ana.descriptor.documentState == .clean }
        #expect(try ana.descriptor.layer.row(id)?.isUnread == false)
        _ = try bo.descriptor.update(id, content: note("changed by bo"))
        try await ana.see { try ana.texts().contains("changed by bo") }
        let receipt = try ana.descriptor.delete(id)
        try await bo.see { try bo.descriptor.layer.row(id) == nil }
        // Deletions that were already sent can be undone: the server stores the record.
        _ = try ana.descriptor.undo(receipt)
        try await bo.see { try bo.texts().contains("changed by bo") }
        try await server.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aRevokedTokenKeepsTheEditAndANewOneSendsIt() async throws {
        let (server, folder) = try await server()
        let jwt = try server.token("ana")
        let ana = try await Person(server, jwt)
        let bo = try await Person(server, try server.token("bo"))
        try await server.revoke(jwt)
        try await ana.see { ana.descriptor.status.connection == .needsToken(.revoked) }
        _ = try ana.descriptor.create(note("made without a token"))
        #expect(ana.descriptor.status.unsent == 1)
        // The revoked token is refused again, and nothing is lost.
        let events = ana.descriptor.events
        ana.descriptor.reauthenticate(withJWT: jwt)
        try await wait(in: events) { if case .didFailReauthentication = $0 { () } else { nil } }
        #expect(ana.descriptor.status.unsent == 1)
        ana.descriptor.reauthenticate(withJWT: try server.token("ana"))
        try await bo.see { try bo.texts().contains("made without a token") }
        try await server.stop()
        withExtendedLifetime(folder) {}
    }

    /// When the view shrinks, the client gets the file without annotations and deletes the one with them; when the view
    /// grows, it downloads that file again.
    @Test func aTokenThatMaySeeLessGetsAnotherPDF() async throws {
        let (server, folder) = try await server()
        let ana = try await Person(server, try server.token("ana"))
        let original = try #require(ana.descriptor.pdfPath)
        _ = try ana.descriptor.create(note("mine"))
        try await ana.see { ana.descriptor.documentState == .clean }
        let restricted = try server.token("ana", more: #","collaboration_permissions":["annotations:view:self"]"#)
        let events = ana.descriptor.events
        ana.descriptor.reauthenticate(withJWT: restricted)
        try await wait(in: events) {
            #expect($0 != .didReplacePDF)
            return $0 == .didChangePDF ? () : nil
        }
        try await ana.see { !FileManager.default.fileExists(atPath: original) }
        try ana.descriptor.download(usingJWT: restricted)
        try await ana.see { ana.descriptor.isDownloaded }
        let stripped = try #require(ana.descriptor.pdfPath)
        #expect(stripped != original)
        #expect(try await PDFTools().annotations(of: stripped).records.isEmpty)
        #expect(try ana.texts() == ["mine"])
        #expect(try ana.descriptor.layer.conflicts().isEmpty)

        let all = try server.token("ana")
        ana.descriptor.reauthenticate(withJWT: all)
        try await ana.see { ana.descriptor.pdfPath == nil }
        try ana.descriptor.download(usingJWT: all)
        try await ana.see { ana.descriptor.isDownloaded }
        #expect(ana.descriptor.pdfPath == original)
        // It is removed in the background.
        try await ana.see { !FileManager.default.fileExists(atPath: stripped) }
        try await server.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aTokenWithoutWriteParksWhatWaits() async throws {
        let (server, folder) = try await server()
        let ana = try await Person(server, try server.token("ana"))
        ana.descriptor.setOnline(false)
        let id = try ana.descriptor.create(note("waits")).id
        ana.descriptor.reauthenticate(
            withJWT: try server.token("ana", permissions: #"["read-document","download"]"#))
        ana.descriptor.setOnline(true)
        try await ana.see { try ana.descriptor.layer.row(id)?.delivery == .parked }
        #expect(throws: EditError.denied(.lacks(.write))) { try ana.descriptor.delete(id) }
        #expect(ana.descriptor.status.parked == 1)
        // Changes from others still arrive.
        let bo = try await Person(server, try server.token("bo"))
        _ = try bo.descriptor.create(note("from bo"))
        try await ana.see { try ana.texts().contains("from bo") }
        ana.descriptor.reauthenticate(withJWT: try server.token("ana"))
        try await bo.see { try bo.texts().contains("waits") }
        try await server.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func theSecondOfTwoEditsIsKeptAsAConflict() async throws {
        let (server, folder) = try await server()
        let ana = try await Person(server, try server.token("ana"))
        let bo = try await Person(server, try server.token("bo"))
        let id = try ana.descriptor.create(note("shared")).id
        try await bo.see { try bo.texts().contains("shared") }
        // A cycle that is not over would send her edit before she is offline.
        try await ana.see { ana.descriptor.status.unsent == 0 && ana.descriptor.documentState == .clean }
        ana.descriptor.setOnline(false)
        _ = try ana.descriptor.update(id, content: note("ana's words"))
        _ = try bo.descriptor.update(id, content: note("bo's words"))
        try await bo.see { bo.descriptor.status.unsent == 0 && bo.descriptor.documentState == .clean }
        ana.descriptor.setOnline(true)
        try await ana.see { ana.descriptor.status.conflicts == 1 }
        let conflict = try #require(try ana.descriptor.conflicts().first)
        #expect(conflict.base?.content["text"]?.string == "shared")
        #expect(conflict.mine?["text"]?.string == "ana's words")
        #expect(conflict.theirs?.content["text"]?.string == "bo's words")
        try ana.descriptor.resolve(conflict.id, .mine)
        try await bo.see { try bo.texts().contains("ana's words") }
        try await server.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aServerThatGoesAwayAndComesBackIsFoundAgain() async throws {
        let folder = try TemporaryFolder()
        let key = P256.Signing.PrivateKey()
        let first = try await LiveServer(folder: folder, key: key)
        try await first.upload(Self.pdf)
        let ana = try await Person(first, try first.token("ana"))
        try await first.stop()
        try await ana.see { if case .offline = ana.descriptor.status.connection { true } else { false } }
        _ = try ana.descriptor.create(note("made while it was away"))
        let second = try await LiveServer(folder: folder, key: key, port: first.port)
        ana.descriptor.retryNow()
        let bo = try await Person(second, try second.token("bo"))
        try await bo.see { try bo.texts().contains("made while it was away") }
        try await second.stop()
    }

    /// With a wrong or jumping local clock, tokens expire by the server's clock and no wait depends on the local one.
    @Test(arguments: [86_400_000, -86_400_000] as [Int64])
    func aClockThatIsADayOffEndsNoToken(by offset: Int64) async throws {
        let (server, folder) = try await server()
        let wrong = Mutex(offset)
        let environment = Environment(now: { Environment.system.now() + wrong.withLock { $0 } })
        let ana = try await Person(server, try server.token("ana"), environment: environment)
        #expect(abs(ana.descriptor.status.clockOffset + offset) < 60_000)
        let bo = try await Person(server, try server.token("bo"))
        _ = try ana.descriptor.create(note("from another day"))
        try await bo.see { try bo.texts().contains("from another day") }
        wrong.withLock { $0 = -$0 }
        _ = try ana.descriptor.create(note("and back"))
        try await bo.see { try bo.texts().contains("and back") }
        // A clock that jumps makes a stream look silent, so it is reopened.
        try await ana.see { ana.descriptor.status.connection == .live }
        try await server.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aProcessThatDiesLosesNothing() async throws {
        let (server, folder) = try await server()
        let mine = try TemporaryFolder()
        do {
            let ana = try await Person(server, try server.token("ana"), folder: mine)
            ana.descriptor.setOnline(false)
            _ = try ana.descriptor.create(note("survives"))
        }
        let ana = try await Person(server, try server.token("ana"), folder: mine)
        #expect(try ana.texts() == ["from the PDF", "survives"])
        let bo = try await Person(server, try server.token("bo"))
        try await bo.see { try bo.texts().contains("survives") }
        try await server.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aNarrowerViewTakesRowsAwayAndEditsOfThemStay() async throws {
        let (server, folder) = try await server()
        let ana = try await Person(server, try server.token("ana"))
        let own = try ana.descriptor.create(note("own")).id
        try await ana.see { ana.descriptor.status.unsent == 0 && ana.descriptor.documentState == .clean }
        ana.descriptor.reauthenticate(
            withJWT: try server.token(
                "ana",
                more: #","collaboration_permissions":["annotations:view:self","annotations:edit:self"]"#))
        try await ana.see { try ana.texts() == ["own"] }
        #expect(throws: EditError.self) { try ana.descriptor.delete(own) }
        try await server.stop()
        withExtendedLifetime(folder) {}
    }
}

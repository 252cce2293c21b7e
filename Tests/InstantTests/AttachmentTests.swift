import Annotations
import FaultProxy
import Foundation
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@testable import Instant

/// Attachments between real clients and a real server: uploaded before their record, downloaded on request.
@Suite(.timeLimit(.minutes(15))) struct AttachmentTests {
    private static let picture = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) })
    private let folder: TemporaryFolder
    private let server: LiveServer

    init() async throws {
        folder = try TemporaryFolder()
        server = try await LiveServer(folder: folder)
        try await server.upload(SmallPDF(annotations: []).bytes)
    }

    private func image(_ id: AttachmentID, _ text: String = "a picture") -> Content {
        note(text).changing {
            $0["type"] = "pspdfkit/image"
            $0["imageAttachmentId"] = .string(id.hex)
            $0["contentType"] = "image/png"
        }
    }

    @Test func aPictureArrivesWithItsRecordAndIsLoadedWhenAskedFor() async throws {
        let ana = try await Person(server, try server.token("ana"))
        let bo = try await Person(server, try server.token("bo"))
        let document = ana.descriptor.editableDocument
        let name = try document.addAttachment(Self.picture)
        #expect(try document.addAttachment(Self.picture) == name, "the same bytes have the same name")
        #expect(try document.attachment(name) == Self.picture)
        let id = try document.add(image(name))
        try await bo.see { try bo.descriptor.layer.row(id) != nil }

        let other = bo.descriptor.readOnlyDocument()
        #expect(try other.record(id)?.record.content.attachmentID == name)
        #expect(!other.isAttachmentLoaded(name))
        refuses(.attachmentNotLoaded) { _ = try other.attachment(name) }
        #expect(try await other.loadAttachment(name) == Self.picture)
        #expect(other.isAttachmentLoaded(name))
        try await server.stop()
        #expect(try await other.loadAttachment(name) == Self.picture, "once loaded, no server is needed")
    }

    @Test func whatIsAddedOfflineWaitsWithItsRecord() async throws {
        let proxy = try await FaultProxy(to: server.port)
        let ana = try await Person(server, try server.token("ana"), through: URL(string: proxy.url))
        proxy.follow { _ in .refuse }
        proxy.cut()
        try await ana.see { ana.descriptor.status.connection != .live }
        let document = ana.descriptor.editableDocument
        let name = try document.addAttachment(Self.picture)
        let id = try document.add(image(name))
        let entry = try #require(try ana.client.listCacheEntries().first)
        #expect(entry.layerBytes > Int64(Self.picture.count))
        try ana.client.removeUnreferencedCacheEntries()
        #expect(document.isAttachmentLoaded(name), "nothing that an edit needs is deleted to save space")

        // The first upload breaks in the middle of the file.
        proxy.follow { $0 == 0 ? .reset(after: 40_000, .up) : .none }
        let events = ana.descriptor.events
        ana.descriptor.retryNow()
        for await _ in events {
            if try document.record(id)?.delivery == .delivered { break }
            if case .offline = ana.descriptor.status.connection { ana.descriptor.retryNow() }
        }
        let bo = try await Person(server, try server.token("bo"))
        #expect(try await bo.descriptor.editableDocument.loadAttachment(name) == Self.picture)
        try await server.stop()
    }

    @Test func aFileThatIsGoneKeepsItsRecordAsRefusedAndHoldsNothingElseUp() async throws {
        let ana = try await Person(server, try server.token("ana"))
        let document = ana.descriptor.editableDocument
        ana.descriptor.delayForSyncingLocalChanges = .seconds(3600)
        let name = try document.addAttachment(Self.picture)
        let files = try ana.descriptor.performer().attachments
        try FileManager.default.removeItem(atPath: files.path(name))
        _ = try document.add(image(name))
        let other = try document.add(note("without a picture"))
        ana.descriptor.sync()
        try await ana.see { try document.record(other)?.delivery == .delivered }
        try await ana.see {
            try ana.descriptor.unsentEdits().contains { "\($0.state)".contains("no longer on this machine") }
        }
        try await server.stop()
    }

    @Test func whoMayNotSeeTheRecordIsNotGivenTheFile() async throws {
        let ana = try await Person(server, try server.token("ana"))
        let document = ana.descriptor.editableDocument
        let name = try document.addAttachment(Self.picture)
        let id = try document.add(image(name))
        try await ana.see { try document.record(id)?.delivery == .delivered }
        let bo = try await Person(
            server, try server.token("bo", more: #","collaboration_permissions":["annotations:view:self"]"#))
        let view = bo.descriptor.editableDocument
        await refuses(.noSuchAttachment) { _ = try await view.loadAttachment(name) }
        #expect(!view.isAttachmentLoaded(name))
        await refuses(.noSuchAttachment) {
            _ = try await document.loadAttachment(#require(AttachmentID(String(repeating: "a", count: 64))))
        }
        try await server.stop()
    }

    @Test func bytesThatAreNotWhatTheyAreCalledAreNotKept() async throws {
        let name = try #require(AttachmentID(String(repeating: "b", count: 64)))
        let fake = try plainServer { request in
            request.path.hasPrefix("/instant/v1/attachments/")
                ? FakeServer.Answer(body: Array("something else".utf8)) : nil
        }
        let client = try InstantClient(
            serverURL: #require(URL(string: "http://127.0.0.1:\(fake.port)")), dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        let document = descriptor.editableDocument
        await refuses(.invalidServerData) { _ = try await document.loadAttachment(name) }
        #expect(!document.isAttachmentLoaded(name))
        try await server.stop()
    }

    @Test func whatCannotBeAFileIsRefusedAtOnce() async throws {
        let ana = try await Person(server, try server.token("ana"))
        let document = ana.descriptor.editableDocument
        refuses(.couldNotCreateAttachment) { _ = try document.addAttachment(Data()) }
        refuses(.couldNotCreateAttachment) {
            _ = try document.addAttachment(contentsOf: folder.url.appending(path: "nothing here"))
        }
        refuses(.accessDenied) {
            _ = try ana.descriptor.readOnlyDocument().addAttachment(Self.picture)
        }
        try await server.stop()
    }

    private func refuses(_ kind: InstantError.Kind, _ body: () throws -> Void) {
        let error = #expect(throws: InstantError.self) { try body() }
        #expect(error?.kind == kind, "\(error.map(String.init(describing:)) ?? "")")
    }

    private func refuses(_ kind: InstantError.Kind, _ body: () async throws -> Void) async {
        let error = await #expect(throws: InstantError.self) { try await body() }
        #expect(error?.kind == kind, "\(error.map(String.init(describing:)) ?? "")")
    }
}

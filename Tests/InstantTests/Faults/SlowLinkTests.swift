import Annotations
import FaultProxy
import Foundation
import InstantCore
import TestSupport
import TestThreads
import Testing

@testable import Instant

/// Over a slow link everything takes long, and arrives: only a transfer that stands still is given up.
@Suite(.serialized, .timeLimit(.minutes(15))) struct SlowLinkTests {
    private let folder: TemporaryFolder
    private let server: LiveServer
    private let proxy: FaultProxy

    init() async throws {
        folder = try TemporaryFolder()
        server = try await LiveServer.withDocument(in: folder)
        proxy = try await FaultProxy(to: server.port)
    }

    /// Over a link on which the transfers of these tests take several times as long as one may stand still.
    private func joinSlowly(_ user: String, bytesPerSecond rate: Int) async throws -> Person {
        proxy.follow { _ in .slow(bytesPerSecond: rate) }
        var environment = Environment.system
        environment.patience = .seconds(5)
        return try await Person(
            server, try server.token(user), through: URL(string: proxy.url), environment: environment)
    }

    private func image(_ id: AttachmentID) -> Content {
        note("a picture").changing {
            $0["type"] = "pspdfkit/image"
            $0["imageAttachmentId"] = .string(id.hex)
            $0["contentType"] = "image/png"
        }
    }

    private func attempts(_ person: Person, _ method: String) -> Int {
        person.descriptor.recentRequests.count { $0.method == method }
    }

    @Test func aFileArrivesOverASlowLinkAndHoldsNothingUp() async throws {
        let ana = try await joinSlowly("ana", bytesPerSecond: 100_000)
        let bo = try await Person(server, try server.token("bo"))
        let file = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let id = try ana.descriptor.editableDocument.addAttachment(file)
        _ = try ana.descriptor.create(image(id))
        try await waitUntil("the upload has begun") { attempts(ana, "PUT") == 1 }
        // It is under way for thirty seconds, which is enough even beside all other tests.
        _ = try ana.descriptor.create(note("written meanwhile"))
        _ = try bo.descriptor.create(note("from bo"))
        try await bo.see { try bo.texts() == ["from bo", "written meanwhile"] }
        try await ana.see { try ana.texts() == ["a picture", "from bo", "written meanwhile"] }
        try await ana.see { ana.descriptor.status.unsent == 1 }
        #expect(try bo.texts().count == 2, "the picture is still on its way")
        try await bo.see { try bo.texts() == ["a picture", "from bo", "written meanwhile"] }
        try await server.stop()
    }

    @Test func manyEditsArriveOverASlowLink() async throws {
        let ana = try await joinSlowly("ana", bytesPerSecond: 100_000)
        ana.descriptor.setOnline(false)
        let text = String(repeating: "x", count: 4000)
        for number in 0..<120 { _ = try ana.descriptor.create(note("\(number) \(text)")) }
        ana.descriptor.setOnline(true)
        try await ana.see { ana.descriptor.status.unsent == 0 && ana.descriptor.documentState == .clean }
        let bo = try await Person(server, try server.token("bo"))
        #expect(try bo.descriptor.layer.count(ListQuery()) == 120)
        try await server.stop()
    }

    @Test func aLayerIsLoadedOverASlowLink() async throws {
        let bo = try await Person(server, try server.token("bo"))
        let text = String(repeating: "x", count: 4000)
        for number in 0..<120 { _ = try bo.descriptor.create(note("\(number) \(text)")) }
        try await bo.see { bo.descriptor.status.unsent == 0 && bo.descriptor.documentState == .clean }
        let ana = try await joinSlowly("ana", bytesPerSecond: 100_000)
        #expect(try ana.descriptor.layer.count(ListQuery()) == 120)
        try await server.stop()
    }
}

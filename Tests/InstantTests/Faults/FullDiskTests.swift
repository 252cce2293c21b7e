import Foundation
import InstantCore
import TestSupport
import Testing

@testable import Instant

@Suite(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"), .timeLimit(.minutes(15)))
struct FullDiskTests {
    private func client(_ server: FakeServer, _ disk: TinyDisk) throws -> InstantClient {
        try InstantClient(
            serverURL: server.url, dataDirectory: URL(fileURLWithPath: disk.path + "/data"),
            environment: Environment(now: Environment.system.now, downloadPause: { _ in 1 }))
    }

    /// An edit that does not fit fails at once; all earlier ones stay, and with free space the next one succeeds.
    @Test(arguments: [300, 400, 700]) func anEditThatDoesNotFitIsNotMade(_ kilobytes: Int) async throws {
        let disk = try TinyDisk(kilobytes: kilobytes)
        let server = try plainServer(FakePDF(count: 10))
        let client = try client(server, disk)
        let descriptor = try client.documentDescriptor(forJWT: token())
        descriptor.delayForSyncingLocalChanges = nil
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        var made: Set<String> = []
        var refusal: (any Error)?
        while refusal == nil {
            do {
                made.insert(try descriptor.create(note(String(repeating: "words ", count: 200))).id)
            } catch { refusal = error }
        }
        #expect("\(try #require(refusal))".contains("full"))
        #expect(try Self.ids(descriptor) == made)
        try disk.grow(toKilobytes: kilobytes * 4)
        made.insert(try descriptor.create(note("fits")).id)
        #expect(try Self.ids(descriptor) == made)
        withExtendedLifetime(server) {}
    }

    /// The records of the layer. Some were sent meanwhile: the sync that begins with the download may still run.
    private static func ids(_ descriptor: InstantDocumentDescriptor) throws -> Set<String> {
        Set(try descriptor.layer.rows(ListQuery(), offset: 0, limit: .max).map(\.id))
    }

    /// A full disk at any write is reported; the download keeps its bytes and resumes once space is free.
    @Test(arguments: [400, 900, 1500]) func aPDFThatDoesNotFitGoesOnLater(_ kilobytes: Int) async throws {
        let disk = try TinyDisk(kilobytes: kilobytes)
        let pdf = FakePDF(count: 2 << 20)
        let server = try plainServer(pdf)
        let client = try client(server, disk)
        let descriptor = try client.documentDescriptor(forJWT: token())
        var events = descriptor.events
        try descriptor.download(usingJWT: token())
        let error = try await wait(in: events) { event -> InstantError? in
            if case .didFailDownload(let error) = event { error } else { nil }
        }
        #expect(error.kind == .couldNotWriteToDisk)
        #expect(error.message.contains("No space left"))
        #expect(descriptor.pdfPath == nil)
        try disk.grow(toKilobytes: 16 << 10)
        events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        #expect(FileManager.default.contents(atPath: try #require(descriptor.pdfPath)) == Data(pdf.bytes))
        #expect(server.requests.last { $0.path.hasSuffix("/document") }?.headers["range"] != nil)
    }

    /// - Parameter hasLog: Whether the last writer crashed; because of its log SQLite opens the read-only file.
    @Test(arguments: [true, false]) func aReadOnlyFileSystemIsToldOf(hasLog: Bool) throws {
        let disk = try TinyDisk(kilobytes: 900)
        let server = try plainServer()
        let client = try client(server, disk)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let folder = client.folders.layer(descriptor.identity)
        try Folders.make(folder)
        let files = ["-wal", "-shm"].map { URL(fileURLWithPath: Folders.database(in: folder) + $0) }
        let store = try LocalSQLiteStore(path: Folders.database(in: folder))
        try store.found(descriptor.identity, now: Environment.system.now())
        let left = try files.map { try Data(contentsOf: $0) }
        store.close()
        if hasLog { for (file, data) in zip(files, left) { try data.write(to: file) } }
        try disk.makeReadOnly()
        #expect(throws: InstantError.self) { _ = try descriptor.performer() }
        #expect(descriptor.documentState == .invalid)
        let elsewhere = URL(fileURLWithPath: disk.path + "/another")
        do throws(InstantError) {
            _ = try InstantClient(serverURL: server.url, dataDirectory: elsewhere)
            Issue.record("it was opened")
        } catch { #expect(error.kind == .couldNotWriteToDisk) }
    }
}

import Annotations
import Foundation
import InstantCore
import Synchronization
import TestThreads
import Testing

@testable import Instant

/// The documented API: a delegate and a document, no internals.
@Suite(.timeLimit(.minutes(15))) struct DelegateTests {
    @Test func theDelegateHearsEverythingInOrder() async throws {
        let folder = try TemporaryFolder()
        let server = try plainServer()
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let listener = Listener()
        client.delegate = listener
        let descriptor = try client.documentDescriptor(forJWT: token())
        try descriptor.download(usingJWT: token())
        var heard: [String] = []
        for await line in listener.lines {
            heard.append(line)
            if heard.contains("downloaded"), heard.contains("finished sync") { break }
        }
        #expect(heard.first == "token accepted true")
        #expect(
            Array(heard.filter { $0 != "downloaded" }.prefix(4)) == [
                "token accepted true", "began sync", "changed state", "changed state",
            ])
    }

    @Test func aDocumentIsLiveAndAReadOnlyOneRefuses() async throws {
        let folder = try TemporaryFolder()
        let server = try plainServer()
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let document = descriptor.editableDocument
        // No edit is possible before the server has accepted a token.
        #expect(throws: InstantError.self) { try document.add(note("too early")) }
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: token())
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        let reader = descriptor.readOnlyDocument()
        let id = try document.add(note("hello"), author: "Ana")
        #expect(try reader.annotations(onPage: 0).map(\.text) == ["hello"])
        try document.update(id, content: note("changed"))
        #expect(try reader.record(id)?.content["text"]?.string == "changed")
        do throws(InstantError) {
            try reader.remove(id)
            Issue.record("it was removed")
        } catch { #expect(error.kind == .accessDenied) }
        try document.remove(id)
        #expect(try reader.record(id) == nil)
        do throws(InstantError) {
            try document.remove(id)
            Issue.record("it was removed twice")
        } catch { #expect(error.kind == .noSuchAnnotation) }
    }

    @Test func aDelegateOfTheMainActorIsCalledThere() async throws {
        let folder = try TemporaryFolder()
        let server = try plainServer()
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let controller = Controller()
        client.delegate = controller
        let descriptor = try client.documentDescriptor(forJWT: token())
        try descriptor.download(usingJWT: token())
        try await waitUntil("the download is shown") { await controller.shown.contains("downloaded") }
        try descriptor.editableDocument.add(note("hello"), author: "Ana")
        try await waitUntil("the change is shown") { await controller.shown.contains("changed") }
        #expect(await controller.progress == 200_000)
    }

    @Test func anAcceptedTokenPrintsAsAPlaceholder() {
        let event = InstantEvent.didFinishReauthentication(AcceptedToken("secret"))
        var dumped = ""
        dump(event, to: &dumped)
        for text in ["\(event)", String(reflecting: event), dumped] { #expect(!text.contains("secret")) }
    }
}

@MainActor private final class Controller: InstantClientDelegate {
    var shown: [String] = []
    var progress: Int64 = 0

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didMakeProgress progress: DownloadProgress
    ) {
        self.progress = progress.received
    }

    func instantClient(_ client: InstantClient, didFinishDownloadFor descriptor: InstantDocumentDescriptor) {
        shown.append("downloaded")
    }

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didChangeRecords: Set<InstantRecord.ID>, byOthers: Set<InstantRecord.ID>
    ) {
        shown.append("changed")
    }
}

private final class Listener: InstantClientDelegate {
    let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (lines, continuation) = AsyncStream.makeStream() }

    func instantClient(_: InstantClient, didFinishDownloadFor _: InstantDocumentDescriptor) {
        continuation.yield("downloaded")
    }

    func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didFinishReauthenticationWithJWT jwt: String
    ) {
        continuation.yield("token accepted \(jwt == token())")
    }

    func instantClient(_: InstantClient, didBeginSyncFor _: InstantDocumentDescriptor) {
        continuation.yield("began sync")
    }

    func instantClient(_: InstantClient, didChangeSyncStateFor _: InstantDocumentDescriptor) {
        continuation.yield("changed state")
    }

    func instantClient(_: InstantClient, didFinishSyncFor _: InstantDocumentDescriptor) {
        continuation.yield("finished sync")
    }
}

import Foundation
import Instant

/// A client of the library with its own local store.
final class LiveClient {
    let client: InstantClient
    let descriptor: InstantDocumentDescriptor
    private var events: AsyncStream<InstantEvent>.Iterator

    /// Downloads the layer and waits until it is complete.
    /// - Parameter patience: How many seconds that may take.
    init(
        server: URL, folder: URL, token: String, isListening: Bool = true, patience: Int = 60
    ) async throws {
        client = try InstantClient(serverURL: server, dataDirectory: folder)
        descriptor = try client.documentDescriptor(forJWT: token)
        events = descriptor.events.makeAsyncIterator()
        descriptor.delayForSyncingLocalChanges = .zero
        if isListening { descriptor.startListeningForServerChanges() }
        try descriptor.download(usingJWT: token)
        try await wait("the download", seconds: patience) { $0 == .didFinishDownload }
    }

    /// Reads events until the awaited one.
    ///
    /// - Returns: When it was received.
    @discardableResult
    func wait(
        _ what: String, seconds: Int = 60, until isIt: (InstantEvent) -> Bool
    ) async throws -> ContinuousClock.Instant {
        let limit = Watchdog(seconds: seconds, what: what)
        defer { limit.stop() }
        while let event = await events.next() {
            let now = ContinuousClock.now
            if isIt(event) { return now }
            switch event {
            case .didFailDownload(let error), .didFailSync(let error), .didFailReauthentication(let error): throw error
            case .didFailAuthentication: throw BenchmarkError("waiting for \(what): the token was refused")
            default: continue
            }
        }
        throw BenchmarkError("waiting for \(what): the client has ended")
    }
}

import AsyncHTTPClient
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

extension HTTPTransport {
    /// Reads the live stream until it ends, giving events in their order.
    ///
    /// - Throws: ``SyncFailure``; returns when the server ended the stream.
    func listen(
        from cursor: Cursor, token: String, heard: @Sendable (LiveEvent) -> Void
    ) async throws(SyncFailure) {
        var request = request(.GET, "events", token: token)
        request.headers.add(name: "accept", value: "text/event-stream")
        request.headers.add(name: "last-event-id", value: cursor.eventID)
        let response = try await execute(request, deadline: .distantFuture)
        try await check(response)
        guard response.headers.first(name: "content-type")?.hasPrefix("text/event-stream") == true else {
            throw notOurs("its live stream is none")
        }
        var parser = ServerSentEventParser()
        do {
            for try await part in response.body {
                for event in try parser.feed(part.readableBytesView) { heard(event) }
            }
        } catch let failure as ServerSentEventParser.Failure {
            throw .invalidServer("\(address.host) sent an event that cannot be read: \(failure)")
        } catch { throw connectionFailure(error) }
    }
}

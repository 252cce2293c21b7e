import AsyncHTTPClient
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

extension HTTPTransport {
    /// Reads a live channel until it ends, giving events in their order. The next one is not read before the last one
    /// was taken: a server that is faster than the store is held back by the connection itself.
    ///
    /// - Parameter session: under which this client says where it is; nil: nowhere.
    /// - Throws: ``SyncFailure``; returns when the server ended the stream.
    func listen(
        _ channel: LiveChannel, from cursor: Cursor, session: String?, token: String,
        heard: @Sendable (LiveEvent) async -> Void
    ) async throws(SyncFailure) {
        switch channel {
        case .events: try await readEvents(from: cursor, session: session, token: token, heard: heard)
        case .polling: try await poll(from: cursor, token: token, heard: heard)
        }
    }

    private func readEvents(
        from cursor: Cursor, session: String?, token: String, heard: @Sendable (LiveEvent) async -> Void
    ) async throws(SyncFailure) {
        var request = request(.GET, "events", session.map { [("session", $0)] } ?? [], token: token)
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
                for event in try parser.feed(part.readableBytesView) { await heard(event) }
            }
        } catch let failure as ServerSentEventParser.Failure {
            throw .invalidServer("\(address.host) sent an event that cannot be read: \(failure)")
        } catch { throw connectionFailure(error) }
    }

    /// How long the server holds an answer back for, in seconds.
    private static let pollSeconds: Int64 = 30

    /// One long poll after the other, each answer as a change event.
    private func poll(
        from cursor: Cursor, token: String, heard: @Sendable (LiveEvent) async -> Void
    ) async throws(SyncFailure) {
        var cursor = cursor
        var wait: Int64 = 0
        // The list of people that is here; the empty name is none.
        var version = ""
        while !Task.isCancelled {
            let answer: PollAnswer = try await ask(
                .GET, "events",
                [
                    ("since", "\(cursor.revision)"), ("epoch", cursor.epoch), ("wait", "\(wait)"),
                    ("presence", version),
                ], token: token,
                timeout: timeout + .seconds(wait))
            let delta = answer.delta
            if let list = answer.presence {
                version = list.version
                await heard(.presence(PresenceEvent(isComplete: true, people: list.people)))
            }
            if delta.upTo > cursor.revision {
                await heard(
                    .change(
                        ChangeEvent(
                            epoch: delta.epoch, revision: delta.upTo, previous: cursor.revision,
                            changes: delta.changes)))
                cursor.revision = delta.upTo
            } else {
                await heard(.heartbeat)
            }
            // The first answer comes at once: it tells that this way is open.
            wait = delta.more ? 0 : Self.pollSeconds
        }
    }
}

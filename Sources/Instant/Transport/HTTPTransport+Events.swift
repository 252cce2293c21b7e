import Annotations
import AsyncHTTPClient
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

extension HTTPTransport {
    /// Reads a live channel until it ends, and delivers events in order. The next event is read only after the last one
    /// has been handled, so that the connection slows down a server that is faster than the store.
    ///
    /// - Parameters:
    ///   - session: The presence session of this client; nil for none.
    ///   - client: The clientID of this client; nil if it is to hear its own changes, too.
    /// - Throws: ``SyncFailure``; returns if the server ended the stream.
    func listen(
        _ channel: LiveChannel, from cursor: Cursor, session: String?, client: String?, token: String,
        heard: @escaping @Sendable (LiveEvent) async -> Void
    ) async throws(SyncFailure) {
        switch channel {
        case .events: try await readEvents(from: cursor, session: session, client: client, token: token, heard: heard)
        case .polling: try await poll(from: cursor, token: token, heard: heard)
        }
    }

    private func readEvents(
        from cursor: Cursor, session: String?, client: String?, token: String,
        heard: @escaping @Sendable (LiveEvent) async -> Void
    ) async throws(SyncFailure) {
        var request = try request(.GET, "events", [("session", session)], token: token)
        if let client { request.headers.add(name: ProtocolVersion.clientHeader, value: client) }
        request.headers.add(name: "accept", value: "text/event-stream")
        request.headers.add(name: "last-event-id", value: cursor.eventID)
        try await movingOrFailing(within: Self.streamSilence) { [request] motion in
            let response = try await execute(request)
            motion.moved()
            try await check(response)
            guard response.headers.first(name: "content-type")?.begins(with: "text/event-stream") == true else {
                throw notOurs("it did not return an event stream")
            }
            var parser = ServerSentEventParser()
            do {
                for try await part in response.body {
                    // The disk may be slow.
                    motion.rest()
                    for event in try parser.feed(part.readableBytesView) { await heard(event) }
                    motion.moved()
                }
            } catch let failure as ServerSentEventParser.Failure {
                throw SyncFailure.invalidServer("\(address.host) sent an invalid event: \(failure)")
            }
        }
    }

    /// A stream is silent for at most 15 s.
    private static let streamSilence = TimeAmount.seconds(45)

    /// How long the server may hold a response, in seconds.
    private static let pollSeconds: Int64 = 30

    /// Sends one long poll after another and delivers each response as a change event.
    private func poll(
        from cursor: Cursor, token: String, heard: @Sendable (LiveEvent) async -> Void
    ) async throws(SyncFailure) {
        var cursor = cursor
        var wait: Int64 = 0
        // The version of the local participant list; empty for none.
        var version = ""
        while !Task.isCancelled {
            let answer: PollAnswer = try await ask(
                .GET, "events",
                [
                    ("since", "\(cursor.revision)"), ("epoch", cursor.epoch), ("wait", "\(wait)"),
                    ("presence", version),
                ], token: token, mayHold: .seconds(wait))
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
            // The first response comes at once and shows that polling works.
            wait = delta.more ? 0 : Self.pollSeconds
        }
    }
}

import Annotations
import Authorization
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

extension SyncAPI {
    func events(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        let (token, channel) = (bearer.token, request.channel)
        guard token.grant.mayRead else {
            throw APIError(.insufficientScope, Denial.lacks(.readDocument).description)
        }
        let cursor = try cursor(request)
        let seat = try admission.seat(for: bearer.client)
        defer { withExtendedLifetime(seat) {} }
        if let seconds = try request.number("wait") {
            return try await longPoll(token, since: cursor, seconds: min(seconds, 60), request)
        }
        // Checked now, so that a refusal is a response with a status instead of an event.
        let layer = try await engine.view(token) { $0.layer }
        let session = try request.query["session"].map { name throws(APIError) in
            try Presence.Session(name, at: layer.id, of: token.grant)
        }
        let client = request.header(Self.client)
        guard client.map(PushRequest.isValidClientID) ?? true else {
            throw APIError(.badRequest, "\(ProtocolVersion.clientHeader): \(PushRequest.clientIDRule)")
        }
        let body = ResponseBody { writer in
            defer { withExtendedLifetime(seat) {} }
            let stream = EventStream(engine, token, channel, to: writer)
            if try await stream.begin(on: layer, after: cursor, by: session, client: client) {
                if let streams {
                    throw try await streams.take(channel) { line in
                        defer { withExtendedLifetime(seat) {} }
                        stream.goOn(to: line)
                        try await stream.pass()
                    }
                }
                try await stream.pass()
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                // Input is only watched for the client's disconnect: no further request is read on this connection.
                .connection: "close",
                // Disables buffering in proxies, which would delay events.
                HTTPField.Name("X-Accel-Buffering")!: "no",
            ], body: body)
    }

    private static let client = HTTPField.Name(ProtocolVersion.clientHeader)!

    /// Returns the listener's cursor: `Last-Event-ID`, otherwise `since` and `epoch`.
    private func cursor(_ request: ServerRequest) throws -> Cursor? {
        if let id = request.header(HTTPField.Name("Last-Event-ID")!) {
            guard let cursor = Cursor(eventID: id) else {
                throw APIError(.badRequest, "Last-Event-ID must be the id of an event: epoch.revision")
            }
            return cursor
        }
        guard let since = try request.number("since"), let epoch = request.query["epoch"] else { return nil }
        return Cursor(epoch: epoch, revision: since)
    }

    /// Returns as soon as something follows the cursor, or an empty answer on timeout. Ends early if the client
    /// disconnects.
    private func longPoll(
        _ token: VerifiedToken, since cursor: Cursor?, seconds: Int64, _ request: ServerRequest
    ) async throws -> Response {
        guard let cursor else {
            throw APIError(.badRequest, #"a long poll needs a cursor: Last-Event-ID, or "since" and "epoch""#)
        }
        let layer = try await engine.view(token) { $0.layer }
        let listener = engine.listen(layer, token, by: .poll)
        // A request for presence states the version of the list it has; empty: none.
        let known = request.query["presence"]
        let pull = {
            let delta = try await engine.view(token) { try $0.delta(since: cursor, limit: PushProcessor.deltaLimit) }
            try await engine.loadPresenceRecords(at: layer)
            let people = known.map { _ in engine.people(at: layer, token) }
            return PollAnswer(delta, presence: people?.version == known ? nil : people)
        }
        let answer = try await pull()
        guard answer.delta.upTo == cursor.revision, answer.presence == nil, seconds > 0 else {
            return .message(answer)
        }
        // A token may expire during the wait.
        let wait = min(seconds * 1000, token.grant.expiresAt - engine.now())
        try await request.channel.whenInputEnds { [wake = listener.wake] in wake.finish() }
        let timer = Task {
            try await Task.sleep(for: .milliseconds(max(0, wait)))
            listener.signal(.time)
        }
        defer { timer.cancel() }
        for await _ in listener.wakeUps {
            let (mail, signals) = listener.take()
            let isNews = !mail.frames.isEmpty || mail.end != nil || (known != nil && !mail.presence.isEmpty)
            if signals.contains(.time) || isNews { break }
        }
        try Task.checkCancellation()
        guard engine.now() < token.grant.expiresAt else { throw APIError(.tokenExpired, "the token has expired") }
        return .message(try await pull())
    }
}

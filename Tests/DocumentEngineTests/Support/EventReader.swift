import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import SyncProtocol

/// Reads one event stream in order.
struct EventReader {
    private var buffers: HTTPClientResponse.Body.AsyncIterator
    private var parser = ServerSentEventParser()
    private var waiting: [LiveEvent] = []
    let status: Int
    /// The received bytes, for checks of the exact format.
    private(set) var text = ""

    /// - Parameter session: The presence session of the reader.
    init(
        _ server: RunningServer, _ token: String, from cursor: Cursor? = nil, session: String? = nil
    ) async throws {
        let query = session.map { "?session=\($0)" } ?? ""
        var request = HTTPClientRequest(url: server.url + "/instant/v1/events" + query)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        if let cursor { request.headers.add(name: "Last-Event-ID", value: cursor.eventID) }
        let response = try await HTTPClient.tests.execute(request, timeout: .seconds(60))
        status = Int(response.status.code)
        buffers = response.body.makeAsyncIterator()
    }

    /// - Returns: nil when the stream has ended.
    mutating func next() async throws -> LiveEvent? {
        while waiting.isEmpty {
            guard let buffer = try await buffers.next() else { return nil }
            text += String(decoding: buffer.readableBytesView, as: UTF8.self)
            waiting = try parser.feed(buffer.readableBytesView)
        }
        return waiting.removeFirst()
    }

    mutating func change() async throws -> ChangeEvent? {
        while let event = try await next() { if case .change(let change) = event { return change } }
        return nil
    }

    mutating func presence() async throws -> PresenceEvent? {
        while let event = try await next() { if case .presence(let event) = event { return event } }
        return nil
    }

    mutating func session() async throws -> SessionEvent? {
        while let event = try await next() { if case .session(let event) = event { return event } }
        return nil
    }
}

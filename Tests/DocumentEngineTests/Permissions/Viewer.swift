import Annotations
import AsyncHTTPClient
import SyncProtocol

/// How a client learns of changes.
enum Listening: String, CaseIterable, Sendable {
    case stream, poll, delta, snapshot
}

/// A client that reads the layer `review` and remembers the last state it received.
struct Viewer {
    private let server: RunningServer
    private let token: String
    private let how: Listening
    private let epoch: String
    private var upTo: Revision
    private var events: EventReader?
    private var known: [Record.ID: Revision] = [:]

    /// - Parameter entries: Permissions of the token, in addition to viewing the markers.
    init(_ server: RunningServer, _ user: String, _ entries: [String], by how: Listening) async throws {
        self.server = server
        self.how = how
        token = try server.mint.token(
            TokenClaims(user: user, collaboration: entries + ["annotations:view:group=markers"]))
        let page: SnapshotPage = try await server.client(token, "GET", "records").message()
        (epoch, upTo) = (page.epoch, page.at)
        for item in page.records { known[item.id] = item.revision }
        if how == .stream {
            var events = try await EventReader(server, token, from: Cursor(epoch: epoch, revision: upTo))
            _ = try await events.session()
            self.events = events
        }
    }

    /// The changes that this view received before a record visible to all: `+id` for a state, `-id` for a removal.
    mutating func told(before marker: Record.ID) async throws -> [String] {
        if how == .snapshot { return try await differences(without: marker) }
        var told: [String] = []
        while let items = try await next() {
            for item in items where item.id != marker {
                if case .record = item { told.append("+\(item.id)") } else { told.append("-\(item.id)") }
            }
            if items.contains(where: { $0.id == marker }) { break }
        }
        return told.sorted()
    }

    /// nil when the stream has ended.
    private mutating func next() async throws -> [SyncItem]? {
        if how == .stream { return try await events?.change()?.changes }
        let path = how == .poll ? "events?wait=30&" : "records?"
        let delta: Delta = try await server.client(
            token, "GET", path + "since=\(upTo)&epoch=\(epoch)"
        ).message()
        upTo = delta.upTo
        return delta.changes
    }

    private mutating func differences(without marker: Record.ID) async throws -> [String] {
        let page: SnapshotPage = try await server.client(token, "GET", "records").message()
        var now: [Record.ID: Revision] = [:]
        for item in page.records { now[item.id] = item.revision }
        let told =
            now.filter { $0.key != marker && known[$0.key] != $0.value }.map { "+\($0.key)" }
            + known.keys.filter { now[$0] == nil }.map { "-\($0)" }
        known = now
        return told.sorted()
    }
}

import Annotations
import AsyncHTTPClient
import SyncProtocol
import Testing

/// Records that enter and leave the scope of several views at once, received in each way of listening.
@Suite("Visibility", .timeLimit(.minutes(15))) struct VisibilityTests {
    /// A change to a record and the events that each view receives. Views that are not listed receive nothing.
    private struct Step: Sendable {
        var change: Change?
        var put: String?
        let told: [String: [String]]
    }

    private static let views: [String: [String]] = [
        "crew": ["annotations:view:group=crew", "comments:view:group=crew"],
        "bo": ["annotations:view:self", "comments:view:self"],
        "eyes": ["annotations:view:all"],
        "ears": ["comments:view:all"],
        "cy": ["annotations:view:createdBy=cy"],
        "stranger": ["annotations:view:group=other", "comments:view:group=other"],
    ]

    private static let steps: [Step] = [
        // ana creates a highlight in crew and a comment on it in crew.
        Step(change: make("h", in: "crew", Attempt.highlight), told: ["crew": ["+h"], "eyes": ["+h"]]),
        Step(change: make("c", in: "crew", Attempt.comment(under: "h")), told: ["crew": ["+c"], "ears": ["+c"]]),
        // Out of the group: removed for crew, a change for views that see all. Comments stay visible to their viewers.
        Step(change: alter("h", to: "secret"), told: ["crew": ["-h"], "eyes": ["+h"]]),
        Step(change: alter("h", to: "secret"), told: ["eyes": ["+h"]]),
        Step(change: make("d", in: "crew", Attempt.comment(under: "h")), told: ["crew": ["+d"], "ears": ["+d"]]),
        // The backend moves a comment; writing it as bo does not make bo its creator.
        Step(put: "c", told: ["crew": ["-c"], "ears": ["+c"]]),
        // Deleting the root deletes its thread: each view receives the removals of what it could see.
        Step(change: delete("h"), told: ["crew": ["-d"], "eyes": ["-h"], "ears": ["-c", "-d"]]),
        Step(change: restore("h"), told: ["crew": ["+d"], "eyes": ["+h"], "ears": ["+c", "+d"]]),
        Step(change: alter("h", to: "crew"), told: ["crew": ["+h"], "eyes": ["+h"]]),
        // Moved into another group and deleted there: crew receives only the first event.
        Step(change: alter("d", to: "other"), told: ["crew": ["-d"], "ears": ["+d"], "stranger": ["+d"]]),
        Step(change: delete("d"), told: ["ears": ["-d"], "stranger": ["-d"]]),
    ]

    @Test(arguments: Listening.allCases)
    func whatComesIntoSightIsAddedAndWhatLeavesItIsRemoved(_ how: Listening) async throws {
        try await RunningServer.run { server in try await play(at: server, watchedAt: server, how) }
    }

    /// Listeners at one server receive the same events for writes at another.
    @Test(arguments: Listening.allCases)
    func anotherServerTellsTheSame(_ how: Listening) async throws {
        try await Pair.run { pair in try await play(at: pair.one, watchedAt: pair.other, how) }
    }

    private func play(at server: RunningServer, watchedAt other: RunningServer, _ how: Listening) async throws {
        try await server.upload()
        let ana = try server.mint.token(TokenClaims())
        // The layer exists before anyone listens.
        _ = try await server.session(ana)
        var viewers: [String: Viewer] = [:]
        for (user, entries) in Self.views { viewers[user] = try await Viewer(other, user, entries, by: how) }
        var n: Int64 = 0
        for (number, step) in Self.steps.enumerated() {
            try await perform(step, server, ana, &n)
            let marker = "marker\(number)"
            n += 1
            _ = try await server.push(ana, [Samples.create(n, marker, group: "markers")])
            for user in Self.views.keys {
                let told = try await viewers[user]?.told(before: marker)
                #expect(told == step.told[user] ?? [], "\(user), step \(number)")
            }
        }
    }

    /// A change uses the record's current revision: this test is not about conflicts.
    private func perform(_ step: Step, _ server: RunningServer, _ ana: String, _ n: inout Int64) async throws {
        if let id = step.put {
            let answer = try await server.backend(
                "PUT", "/api/documents/doc/layers/review/annotations/\(id)",
                json: #"{"user_id":"bo","group":"secret","content":\#(Attempt.comment(under: "h").text)}"#)
            #expect(answer.status == 200, "\(answer.text)")
        }
        guard var change = step.change else { return }
        n += 1
        change.n = n
        if change.kind == .restore { change.baseRevision = try await tombstone(change.id, server, ana) }
        if change.kind == .update || change.kind == .delete {
            let page: SnapshotPage = try await server.client(ana, "GET", "records").message()
            guard case .record(let record, let revision)? = page.records.first(where: { $0.id == change.id })
            else { throw NotThere() }
            change.baseRevision = revision
            // The client has seen the whole thread.
            if change.kind == .delete { change.threadRevision = page.at } else { change.content = record.content }
        }
        let answer: PushAnswer = try await server.push(ana, [change]).message()
        #expect(answer.results.map(\.status) == [.applied], "\(answer.results)")
    }

    private func tombstone(_ id: Record.ID, _ server: RunningServer, _ ana: String) async throws -> Revision {
        let epoch = try await server.session(ana).epoch
        let delta: Delta = try await server.client(ana, "GET", "records?since=0&epoch=\(epoch)").message()
        return try #require(delta.changes.last { $0.id == id }?.revision)
    }

    private struct NotThere: Error {}

    private static func make(_ id: Record.ID, in group: String, _ content: Content) -> Change {
        Change(n: 0, kind: .create, id: id, baseRevision: 0, group: group, content: content)
    }

    private static func alter(_ id: Record.ID, to group: String) -> Change {
        Change(n: 0, kind: .update, id: id, baseRevision: 0, group: group, content: Attempt.highlight)
    }

    private static func delete(_ id: Record.ID) -> Change {
        Change(n: 0, kind: .delete, id: id, baseRevision: 0, group: nil)
    }

    private static func restore(_ id: Record.ID) -> Change {
        Change(n: 0, kind: .restore, id: id, baseRevision: 0, group: nil)
    }
}

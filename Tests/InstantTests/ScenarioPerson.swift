import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

@testable import Instant

/// A person in a scenario with the token of their role, who sees the layer through the library.
struct ScenarioPerson {
    let name: String
    /// The default group of the token.
    let side: String?
    let jwt: String
    private let server: LiveServer
    private let person: Person

    var descriptor: InstantDocumentDescriptor { person.descriptor }
    var document: InstantDocument { person.descriptor.editableDocument }

    init(_ server: LiveServer, _ claims: JSONObject) async throws {
        self.server = server
        name = claims["user_id"]?.string ?? ""
        side = claims["default_group"]?.string
        jwt = try server.token(claims)
        person = try await Person(server, jwt)
    }

    func sees(_ id: Record.ID) throws -> Bool { try document.record(id) != nil }

    func rights(_ id: Record.ID) throws -> RecordOperations {
        try #require(try document.record(id)).instantRecordOperations
    }

    func awaits(_ isSo: @escaping () throws -> Bool) async throws { try await person.see(isSo) }
    func awaits(_ id: Record.ID) async throws { try await person.see { try sees(id) } }
    func misses(_ id: Record.ID) async throws { try await person.see { try !sees(id) } }

    /// Waits until everything is sent and answered.
    func settles() async throws {
        try await person.see { descriptor.status.unsent == 0 && descriptor.documentState == .clean }
    }

    /// Expects the library to refuse the edit with the reason, before it sends anything.
    func isDenied(_ edit: (InstantDocument) throws -> Void, at place: SourceLocation = #_sourceLocation) {
        do {
            try edit(document)
            Issue.record("\(name) was not denied", sourceLocation: place)
        } catch {
            #expect((error as? InstantError)?.kind == .accessDenied, "\(error)", sourceLocation: place)
        }
    }

    /// Moves a record through another client of the same person, since the library cannot.
    func moves(_ id: Record.ID, to group: String) async throws {
        try await settles()
        #expect(try await push(id, to: group) == [.applied])
    }

    /// The server's results for the move.
    func push(_ id: Record.ID, to group: String?) async throws -> [ChangeResult.Status] {
        let (record, revision) = try #require(try await server.record(id, as: jwt))
        let change = Change(
            n: 1, kind: .update, id: id, baseRevision: revision, group: group, content: record.content)
        return try await server.push(jwt, client: "web-\(name)-\(revision)", [change]).map(\.status)
    }
}

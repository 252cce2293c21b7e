import Annotations
import InstantCore
import TestSupport
import Testing

@testable import Instant

@Suite(.timeLimit(.minutes(15))) struct IntegrityTests {
    @Test func aRowThatWentMissingIsFoundAndFetched() async throws {
        let folder = try TemporaryFolder()
        let server = try await LiveServer(folder: folder)
        try await server.upload(SmallPDF(annotations: []).bytes)
        let ana = try await Person(server, try server.token("ana"))
        for text in ["one", "two", "three"] { _ = try ana.descriptor.create(note(text)) }
        try await ana.see { ana.descriptor.documentState == .clean && ana.descriptor.status.unsent == 0 }
        #expect(try await ana.descriptor.checkIntegrity() == IntegrityReport(here: 3, there: 3, isSound: true))

        // Deletes a row behind the library's back.
        let row = try #require(try ana.descriptor.layer.rows(ListQuery(), offset: 0, limit: 1).first)
        try ana.descriptor.layer.store.write { layer in
            try layer.removeRecord(row.id)
            try layer.hide(row.id)
        }
        let events = ana.descriptor.events
        #expect(try await ana.descriptor.checkIntegrity() == IntegrityReport(here: 2, there: 3, isSound: false))
        try await wait(in: events) {
            if case .didCheckIntegrity(let report?) = $0, report.isSound { () } else { nil }
        }
        #expect(try ana.texts() == ["one", "three", "two"])
        try await server.stop()
    }

    @Test func withoutATokenNobodyCanSay() async throws {
        let server = try plainServer()
        let client = try InstantClient(serverURL: server.url, dataDirectory: try TemporaryFolder().url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let error = await #expect(throws: InstantError.self) { try await descriptor.checkIntegrity() }
        #expect(error?.kind == .authenticationFailed)
    }
}

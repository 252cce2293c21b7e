import Foundation
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@testable import Instant

/// Local stores of older programs; `Resources/vectors/layer-v1.sql` is from the first version.
@Suite(.timeLimit(.minutes(15))) struct MigrationTests {
    private let folder: TemporaryFolder
    private let server: FakeServer
    private let stored = [
        "14": "Agreed, and moved.", "01KEAAAAAAAAAAAAAAAAAAAAAA": "Written on the train", "30": "Mine",
    ]

    init() throws {
        folder = try TemporaryFolder()
        server = try plainServer()
    }

    private func client(_ schema: LocalSchema = .current) throws -> InstantClient {
        var environment = Environment(now: Environment.system.now, pollMilliseconds: 20)
        environment.schema = schema
        return try InstantClient(serverURL: server.url, dataDirectory: folder.url, environment: environment)
    }

    /// Puts the old file where the client will look for it.
    ///
    /// - Parameter derivation: The old derivation version of the rows to show, in a current schema.
    private func keepOldStore(for descriptor: InstantDocumentDescriptor, derivation: Int? = nil) throws {
        let place = descriptor.folders.layer(descriptor.identity)
        try Folders.make(place)
        var sql = try Repository.text("Resources/vectors/layer-v1.sql")
            .replacing("http://127.0.0.1:1\"", with: descriptor.identity.server + "\"")
        if let derivation { sql = sql.replacing(#""lastN":1"#, with: #""lastN":1,"derivation":\#(derivation)"#) }
        let later = derivation == nil ? [] : LocalSchema.current.steps.dropFirst()
        let schema = LocalSchema(steps: [.init(sql: sql)] + later)
        try LocalSQLiteStore(path: Folders.database(in: place), schema: schema).close()
    }

    private func states(_ events: AsyncStream<InstantEvent>, until last: DocumentState) async throws -> [DocumentState]
    {
        var states: [DocumentState] = []
        try await wait(in: events) { event in
            if case .didChangeSyncState(let state) = event { states.append(state) }
            return states.last == last ? () : nil
        }
        return states
    }

    @Test func aStoreOfVersion1OpensWithEverythingThatWaits() async throws {
        let client = try client()
        let descriptor = try client.documentDescriptor(forJWT: token())
        try keepOldStore(for: descriptor)
        let edits = try descriptor.unsentEdits()
        #expect(edits.map(\.kind) == [.update, .create, .update, .delete])
        #expect(
            edits.map(\.state) == [
                .sending, .waiting, .conflict("someone else was first"), .refused("needs annotations:delete:self"),
            ])
        for edit in edits { #expect(edit.content?["text"]?.string == stored[edit.recordID]) }
        let document = descriptor.editableDocument
        #expect(try document.annotations(onPage: 0).map(\.id) == ["01KEAAAAAAAAAAAAAAAAAAAAAA", "30", "12", "14"])
        // The sealed edit is sent with its old number, the queued one behind it.
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: token())
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        let pushed = try #require(server.requests.first { $0.path.hasSuffix("/changes") })
        let text = String(decoding: pushed.body, as: UTF8.self)
        #expect(text.contains("Agreed, and moved.") && text.contains("01M7YAP7HP7QJAZ97DBBQM9EZ5"))
        #expect(try descriptor.unsentEdits().map(\.kind) == [.update, .delete])
    }

    private static let wider = LocalSchema(
        steps: LocalSchema.current.steps + [.init(sql: "ALTER TABLE shown ADD COLUMN x TEXT")])
    private static let other = LocalSchema(
        steps: LocalSchema.current.steps + [.init(sql: "CREATE TABLE x(y)", keepsRows: false)])

    @Test func anotherTableIsAStep() throws {
        let client = try client(Self.wider)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try keepOldStore(for: descriptor)
        #expect(try descriptor.editableDocument.annotationCount == 4)
        #expect(try descriptor.unsentEdits().count == 4)
        let path = Folders.database(in: descriptor.folders.layer(descriptor.identity))
        #expect(
            throws: LocalStoreError.newerSchema(path: path, found: Self.wider.version, known: Self.wider.version - 1)
        ) {
            _ = try LocalSQLiteStore(path: path, schema: LocalSchema(steps: Self.wider.steps.dropLast()))
        }
    }

    @Test func rowsLearnWhoChangedTheirRecords() throws {
        let old = try Repository.text("Resources/vectors/layer-v1.sql") + "UPDATE record SET updated_by = 'ben';"
        let path = folder.url.appending(path: "layer.sqlite").path
        try LocalSQLiteStore(path: path, schema: LocalSchema(steps: [.init(sql: old)])).close()
        let store = try LocalSQLiteStore(path: path)
        let rows = try store.read { try $0.rows(onPage: 0) }
        #expect(rows.map { $0.updatedBy ?? "-" }.sorted() == ["-", "ben", "ben", "ben"])
        store.close()
    }

    @Test func theFactsOfAnOlderFileStandUntilTheyMove() throws {
        let path = folder.url.appending(path: "layer.sqlite").path
        let old = try Repository.text("Resources/vectors/layer-v1.sql")
        try LocalSQLiteStore(path: path, schema: LocalSchema(steps: [.init(sql: old)])).close()
        // A read-only store opens it without migration.
        let looking = try LocalSQLiteStore(lookingInto: path)
        let metadata = try looking.read { try $0.metadata() }
        #expect(metadata.lastN == 1)
        #expect(metadata.cursor == Cursor(epoch: "e", revision: 0))
        let store = try LocalSQLiteStore(path: path)
        #expect(try store.read { try $0.metadata() } == metadata)
        try store.write { layer in
            try layer.moveCursor(to: 7)
            try layer.setLastN(3)
        }
        var moved = metadata
        moved.cursor?.revision = 7
        moved.lastN = 3
        #expect(try store.read { try $0.metadata() } == moved)
        #expect(try looking.read { try $0.metadata() } == moved)
        looking.close()
        store.close()
    }

    /// Version 5 had no checksums. What was damaged before is named from then on.
    @Test func rowsGetTheirChecksums() throws {
        let path = folder.url.appending(path: "layer.sqlite").path
        let old = try Repository.text("Resources/vectors/layer-v5.sql")
        let none = Array(repeating: LocalSchema.Step(sql: ""), count: 4)
        try LocalSQLiteStore(path: path, schema: LocalSchema(steps: [.init(sql: old)] + none)).close()
        // A read-only store opens it without migration.
        let looking = try LocalSQLiteStore(lookingInto: path)
        #expect(try looking.read { try $0.metadata() }.lastN == 1)
        #expect(try looking.read { try $0.entries(in: [.waiting, .sealed], limit: 9) }.count == 2)
        #expect(try looking.findDamage().isEmpty)
        looking.close()
        let store = try LocalSQLiteStore(path: path)
        defer { store.close() }
        #expect(try store.findDamage() == [.record("30")])
        #expect(try store.read { try $0.records(after: nil, limit: 9) }.map(\.id) == ["12", "14"])
        #expect(try store.read { try $0.rows(onPage: 0) }.count == 4)
        #expect(try store.read { try $0.entries(in: Set(OutboxEntry.Stage.allCases), limit: 9) }.count == 4)
        let cursor = try store.read { try $0.metadata() }.cursor
        #expect(cursor == Cursor(epoch: "e", revision: 0))
    }

    /// A store that version 8 wrote opens as it is, with its states and what waits in it. A change of how rows are
    /// written or of what their checksums cover fails here, so that it gets a step of its own.
    @Test func aStoreOfVersion8IsReadAsItIs() throws {
        let path = folder.url.appending(path: "layer.sqlite").path
        let old = try Repository.text("Resources/vectors/layer-v8.sql")
        let none = Array(repeating: LocalSchema.Step(sql: ""), count: 7)
        try LocalSQLiteStore(path: path, schema: LocalSchema(steps: [.init(sql: old)] + none)).close()
        let store = try LocalSQLiteStore(path: path)
        defer { store.close() }
        #expect(try store.findDamage().isEmpty)
        #expect(try store.read { try $0.records(after: nil, limit: 99) }.count == 28)
        let waiting = try store.read { try $0.entries(in: [.waiting], limit: 9) }
        #expect(waiting.map { $0.content?["text"]?.string } == ["Waits"])
        var query = ListQuery()
        query.filter.resolved = true
        let resolved = try store.read { try $0.rows(query, offset: 0, limit: 9, of: nil) }
        #expect(resolved.map(\.text) == ["Please check"] && resolved.map(\.review) == [.completed])
        let thread = try store.read { try $0.thread(under: resolved[0].id) }
        #expect(thread.count == 2)
    }

    /// Even next to an edit that an older program stored.
    @Test func commentsWithoutARootGetAHeading() throws {
        let path = folder.url.appending(path: "layer.sqlite").path
        func comment(_ id: String, under root: String, page: Int, changed: Int) -> String {
            """
            INSERT INTO shown VALUES('\(id)', '\(root)', 0, \(page), 0, 'pspdfkit/comment', 'ben', 'ben', 'ben', NULL,
                '0.0 0.0 -1.0 0.0', 'said', 'said', \(changed), \(changed), 'delivered', 0, NULL);
            """
        }
        let comments = [
            comment("c1", under: "gone", page: 3, changed: 7), comment("c2", under: "gone", page: 2, changed: 9),
            comment("c3", under: "30", page: 0, changed: 7), comment("c4", under: "leaving", page: 0, changed: 7),
        ]
        let deletion = """
            INSERT INTO outbox VALUES(9, 'leaving', 'delete', 0, 0, NULL, NULL, NULL, 'waiting', 0, 0, '', 1767772860000);
            """
        let old =
            try Repository.text("Resources/vectors/layer-v1.sql") + (comments + [deletion]).joined(separator: "\n")
        try LocalSQLiteStore(path: path, schema: LocalSchema(steps: [.init(sql: old)])).close()
        // A read-only store opens it without migration.
        let looking = try LocalSQLiteStore(lookingInto: path)
        #expect(try looking.read { try $0.entries(in: [.waiting], limit: 9).map(\.id).last } == "leaving")
        looking.close()
        let store = try LocalSQLiteStore(path: path)
        let rows = try store.read { try $0.rows(ListQuery(), offset: 0, limit: 9).filter(\.isDeletedRoot) }
        #expect(rows.map(\.id) == ["gone"])
        let wanted = try store.read { try $0.threadSummary(under: "gone") }.map { ShownRow(leftBy: "gone", $0).row }
        var row = try #require(rows.first)
        #expect(row.replies == 2)
        row.replies = 0
        #expect(row == wanted)
        #expect(try store.read { try $0.entries(takingRoot: "gone") }.isEmpty)
        store.close()
    }

    /// A newer program may have set states before this store knew them.
    @Test func statesAndGroupsThatWereStoredUnknownAreListed() throws {
        let path = folder.url.appending(path: "layer.sqlite").path
        func row(_ id: String, _ root: String, _ kind: String, _ aside: String) -> String {
            """
            INSERT INTO record VALUES('\(id)', 0, '{"type":"\(kind)","postilla":\(aside)}', NULL, NULL, NULL);
            INSERT INTO shown VALUES('\(id)', \(root), \(root == "NULL" ? 1 : 0), 0, 0, '\(kind)', NULL, '', NULL, NULL,
                '0.0 0.0 -1.0 0.0', '', '', 1, 1, 'delivered', 0, NULL);
            """
        }
        let rows = [
            row("s", "'30'", "pspdfkit/comment", #"{"state":"Accepted","stateModel":"Review"}"#),
            row("t", "'14'", "pspdfkit/comment", #"{"state":"unheard of"}"#),
            row("part", "NULL", "pspdfkit/markup/strikeout", #"{"inReplyTo":"30","replyType":"group"}"#),
            row("reply", "NULL", "pspdfkit/markup/strikeout", #"{"inReplyTo":"30"}"#),
        ]
        let old = try Repository.text("Resources/vectors/layer-v1.sql") + rows.joined(separator: "\n")
        try LocalSQLiteStore(path: path, schema: LocalSchema(steps: [.init(sql: old)])).close()
        let store = try LocalSQLiteStore(path: path)
        defer { store.close() }
        #expect(try store.findDamage().isEmpty)
        let states = try ["30", "14"].map { id in try store.read { try $0.row(id)?.review } }
        #expect(states == [.accepted, nil])
        #expect(try store.read { try $0.row("part")?.head } == "30")
        #expect(try store.read { try $0.row("reply")?.head } == nil)
    }

    /// A reset keeps the numbers that the server has seen and drops the cursor, which refers to deleted rows.
    @Test func aResetTakesTheCursorAndLeavesTheNumberOfTheLastEdit() throws {
        let path = folder.url.appending(path: "layer.sqlite").path
        let old = try Repository.text("Resources/vectors/layer-v1.sql")
        let steps = [LocalSchema.Step(sql: old)] + LocalSchema.current.steps.dropFirst()
        let store = try LocalSQLiteStore(path: path, schema: LocalSchema(steps: steps))
        try store.write { layer in
            try layer.moveCursor(to: 7)
            try layer.setLastN(3)
        }
        store.close()
        let reset = try LocalSQLiteStore(path: path, schema: Self.other)
        let metadata = try reset.read { try $0.metadata() }
        #expect(metadata.cursor == nil)
        #expect(metadata.lastN == 3)
        #expect(metadata.wasReset)
        let moved = "SELECT count(cursor_revision) FROM facts" as StaticString
        #expect(try reset.read { try ($0 as? LocalSQLiteTransaction)?.number(moved) } == 0)
        reset.close()
    }

    @Test func aStoreThatCanOnlyBeResetKeepsWhatIsOurs() async throws {
        let client = try client(Self.other)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try keepOldStore(for: descriptor)
        let events = descriptor.events
        #expect(try descriptor.unsentEdits().count == 4)
        let states = try await states(events, until: .dirty)
        #expect(states == [.resettingForDatabaseMigration, .dirty])
        // The next sync restores the server's rows; local edits are already there.
        #expect(descriptor.isDownloaded == false)
        let texts = try descriptor.editableDocument.annotations(onPage: 0).map(\.text)
        #expect(texts.sorted() == stored.values.sorted())
        descriptor.reauthenticate(withJWT: token())
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        #expect(server.requests.contains { $0.path.hasSuffix("/records") })
    }

    @Test func rowsOfAnOlderProgramAreReadAndDerivedAnew() async throws {
        let client = try client()
        let descriptor = try client.documentDescriptor(forJWT: token())
        try keepOldStore(for: descriptor, derivation: 0)
        // Another process has the layer open: only the lock holder may migrate it.
        var lock = FileLock(path: Folders.lock(in: descriptor.folders.layer(descriptor.identity)))
        #expect(lock != nil)
        #expect(descriptor.documentState == .needsContentMigration)
        let document = descriptor.editableDocument
        #expect(try document.annotationCount == 4)
        let error = #expect(throws: InstantError.self) { try document.add(note("too early")) }
        #expect(error?.kind == .contentMigrationNeeded)
        #expect(try client.listCacheEntries().map(\.state) == [.needsContentMigration])
        let events = descriptor.events
        lock = nil
        #expect(try await states(events, until: .dirty) == [.migratingContent, .dirty])
        let colors = try descriptor.layer.rows(onPage: 0).map(\.color)
        #expect(colors == (try document.annotations(onPage: 0).map(\.color)) && colors.contains { $0 != nil })
        try document.add(note("now"))
        #expect(try document.annotationCount == 5)
        #expect(try client.listCacheEntries().map(\.state) == [.dirty])
        withExtendedLifetime(lock) {}
    }

    @Test func tablesAreNotChangedUnderAProgramThatUsesThem() throws {
        let client = try client(Self.wider)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try keepOldStore(for: descriptor)
        let lock = FileLock(path: Folders.lock(in: descriptor.folders.layer(descriptor.identity)))
        let error = #expect(throws: InstantError.self) { try descriptor.unsentEdits() }
        #expect(error?.kind == .contentMigrationNeeded)
        #expect(error?.message.contains("quit it to migrate") == true)
        #expect(descriptor.documentState == .needsContentMigration)
        withExtendedLifetime(lock) {}
    }

    @Test(arguments: [
        (DocumentState.needsContentMigration, InstantError.Kind.contentMigrationNeeded),
        (.needsResetForDatabaseMigration, .contentMigrationNeeded), (.migratingContent, .performingContentMigration),
        (.resettingForDatabaseMigration, .performingContentMigration),
    ])
    func nothingIsChangedMeanwhile(_ state: DocumentState, _ kind: InstantError.Kind) {
        let error = #expect(throws: InstantError.self) { try state.requireEditable() }
        #expect(error?.kind == kind)
    }
}

import Annotations
import Authorization
package import InstantCore
import SyncProtocol

/// The contract of every local store, as steps that throw at the first violation. The tests of each implementation run
/// all of ``steps`` on a new store.
package struct LocalStoreContract: Sendable {
    package struct Broken: Error, CustomStringConvertible {
        package var description: String
    }

    package struct Step: Sendable, CustomStringConvertible {
        package var description: String
        package var run: @Sendable (any LocalStore) throws -> Void
    }

    /// The initial metadata of a store under test.
    package static let metadata = LayerMetadata(
        identity: LayerIdentity(server: "https://example.com", documentID: "doc", layer: "review", userID: "ana"),
        clientID: "client-1")

    package static let steps: [Step] = [
        Step(description: "metadata is read back as it was set", run: factsRoundTrip),
        Step(description: "numbers that often change do not disturb the other metadata", run: movesNumbers),
        Step(description: "a transaction that throws leaves nothing behind", run: rollsBack),
        Step(description: "records are kept whole, replaced, and listed by the bytes of their ids", run: keepsRecords),
        Step(description: "an edit leaves what says who created a record, and when", run: keepsOrigins),
        Step(description: "the queue keeps its order and never assigns a place twice", run: keepsOrder),
        Step(description: "every state of an entry is read back", run: keepsStates),
        Step(description: "entries that take a root along are found by it", run: findsTakenRoots),
        Step(description: "rows are ordered by page, by change, by author and by group", run: ordersRows),
        Step(description: "filters return the rows that they describe", run: filtersRows),
        Step(description: "filters find letters with accents in any spelling", run: filtersRowsInAnySpelling),
        Step(description: "the values to filter by are counted", run: countsFacets),
        Step(description: "furniture is left out and counted", run: hidesFurniture),
        Step(description: "a row has the colour of its mark", run: keepsColors),
        Step(description: "a row is listed at its position", run: findsPositions),
        Step(description: "the text under marks is found once it is known", run: findsQuotes),
        Step(description: "comments are in threads, not in the list", run: keepsThreads),
        Step(description: "annotations are listed by their states", run: listsStates),
        Step(
            description: "annotations are found by whom their comments name and by what these say", run: findsComments),
        Step(description: "users are listed with their names, those with the most records first", run: listsPeople),
        Step(description: "unread rows are marked as read in portions", run: marksRead),
        Step(description: "the parts of a group belong to its head", run: joinsGroups),
        Step(description: "the number of all rows does not depend on the search", run: countsWithoutTheSearch),
        Step(
            description: "comments without a root have a heading in the list, not on the page", run: headsLeftComments),
        Step(description: "an annotation stands on each page that lists it", run: showsOnSeveralPages),
        Step(description: "a row that is shown again has its latest state", run: showsAgain),
        Step(description: "an unread flag survives a change of the row and is removed with the row", run: keepsUnread),
        Step(description: "staged records are kept apart from the others", run: keepsStage),
        Step(description: "own changes are kept, one for each record, until they are forgotten", run: keepsOwnWrites),
        Step(description: "ids that only look alike stay apart", run: keepsLookalikesApart),
        Step(description: "the digest of the server's rows does not depend on their order", run: addsUp),
    ]

    static func equal<T: Equatable>(_ found: T, _ wanted: T, _ what: String) throws {
        guard found == wanted else { throw Broken(description: "\(what): \(found) is not \(wanted)") }
    }

    static func note(
        _ id: String, page: Int? = 0, top: Double = 0, author: String? = "Ana", text: String = "words",
        type: String = "pspdfkit/note", changed: Int64 = 0, group: String? = "crew", more: [(String, JSON)] = []
    ) -> Record {
        var object = JSONObject()
        object["v"] = 1
        object["type"] = .string(type)
        object["pageIndex"] = page.map { .number(JSONNumber(Int64($0))) }
        object["bbox"] = [10, .number(JSONNumber(top)), 20, 20]
        object["text"] = .string(text)
        object["creatorName"] = author.map { .string($0) }
        object["updatedAt"] = .string(Timestamp(milliseconds: changed).iso8601)
        for (key, value) in more { object[key] = value }
        return Record(id: id, content: Content(object), createdBy: "ana", updatedBy: nil, group: group)
    }

    static func show(_ records: [Record], in store: any LocalStore) throws {
        try store.write { for record in records { try $0.show(ShownRow(record, delivery: .delivered)) } }
    }
}

extension LocalStoreContract {
    /// Swift's `==` takes both ids for the same text.
    private static func keepsLookalikesApart(_ store: any LocalStore) throws {
        let ids = ["e\u{301}", "\u{E9}"]
        try store.write { layer in
            for (index, id) in ids.enumerated() {
                let record = note(id, type: "pspdfkit/markup/highlight")
                try layer.put(StoredRecord(record, Revision(index + 1)))
                try layer.show(ShownRow(record, delivery: .delivered))
                try layer.note(OwnWrite(id: id, seq: 1, revision: Revision(index + 1)))
            }
            try layer.setQuotes([ByteOrdered(ids[0]): "one", ByteOrdered(ids[1]): "two"])
            try layer.setUnread([ids[1]], true)
        }
        try store.read { layer in
            let found = try layer.records(after: nil, limit: 9).map { ByteOrdered($0.id) }
            try equal(found, ids.map(ByteOrdered.init), "records")
            try equal(try ids.map { try layer.record($0)?.revision }, [1, 2], "revisions")
            try equal(try ids.map { try layer.ownWrite($0)?.revision }, [1, 2], "own changes")
            try equal(try ids.map { try layer.row($0)?.isUnread }, [false, true], "unread")
            try equal(try layer.pagesToQuote(), [], "all words are known")
        }
    }

    private static func factsRoundTrip(_ store: any LocalStore) throws {
        try equal(try store.read { try $0.metadata() }, metadata, "new metadata")
        var changed = metadata
        changed.lastN = 7
        changed.cursor = Cursor(epoch: "e.1", revision: 42)
        changed.generation = "g"
        changed.lineage = [
            LineageEntry(generation: nil, head: 0, at: Timestamp(milliseconds: 1), ending: .recreated),
            LineageEntry(generation: "f", head: 7, at: Timestamp(milliseconds: 2), ending: .restored),
        ]
        changed.grant = Grant(
            documentID: "doc", layer: "review", userID: "ana", general: [.readDocument],
            collaboration: [Permission(.annotations, .view, .group(nil))], expiresAt: Timestamp(seconds: 10))
        changed.title = "Title \u{1F4D6} \u{1B}[2J"
        changed.pdfSHA256 = "abc"
        changed.pdfBytes = 5
        changed.quotedFrom = "abc.pdf"
        changed.limits = ServerLimits(
            recordBytes: 1, batchChanges: 2, batchBytes: 3, pageRecords: 4, attachmentBytes: 5)
        changed.pageCount = 3
        changed.pageRuns = [PageRun(count: 2, width: 595.276, height: 842), PageRun(count: 1, width: 842, height: 595)]
        changed.lastSync = Timestamp(milliseconds: 9)
        changed.checkedAt = Timestamp(milliseconds: 8)
        changed.isRecovering = true
        changed.clockOffset = -86_400_000
        changed.loading = LayerMetadata.Loading(epoch: "e.2", at: 3, after: "x", inPlace: true)
        changed.groupOverride = LayerMetadata.GroupChoice(group: nil)
        try store.write { [changed] in try $0.set(changed) }
        try equal(try store.read { try $0.metadata() }, changed, "changed metadata")
    }

    private static func movesNumbers(_ store: any LocalStore) throws {
        func expect(_ n: Int64, _ cursor: Cursor?, title: String, _ what: String) throws {
            var wanted = metadata
            (wanted.lastN, wanted.cursor, wanted.title) = (n, cursor, title)
            try equal(try store.read { try $0.metadata() }, wanted, what)
            try equal(try store.write { try $0.metadata() }, wanted, what + ", to a writer")
        }
        func change(_ body: (inout LayerMetadata) -> Void) throws {
            try store.write { layer in
                var metadata = try layer.metadata()
                body(&metadata)
                try layer.set(metadata)
            }
        }
        try store.write { layer in
            try layer.moveCursor(to: 5)
            try layer.setLastN(2)
        }
        try expect(2, nil, title: "", "a cursor that is not there")
        try change { $0.cursor = Cursor(epoch: "e", revision: 3) }
        try expect(2, Cursor(epoch: "e", revision: 3), title: "", "a new cursor")
        try store.write { layer in
            try layer.moveCursor(to: 7)
            try equal(try layer.metadata().cursor?.revision, 7, "in the same transaction")
            try layer.setLastN(4)
            try layer.moveCursor(to: 9)
        }
        try expect(4, Cursor(epoch: "e", revision: 9), title: "", "moved")
        try change { $0.title = "T" }
        try expect(4, Cursor(epoch: "e", revision: 9), title: "T", "something else changed")
        try change { ($0.cursor, $0.lastN) = (Cursor(epoch: "f", revision: 1), 0) }
        try expect(0, Cursor(epoch: "f", revision: 1), title: "T", "started over")
        try store.write { try $0.moveCursor(to: 2) }
        try change { $0.cursor = nil }
        try change { $0.cursor = Cursor(epoch: "g", revision: 0) }
        try expect(0, Cursor(epoch: "g", revision: 0), title: "T", "lost and found")
    }

    private static func rollsBack(_ store: any LocalStore) throws {
        struct Stop: Error {}
        var before = metadata
        before.cursor = Cursor(epoch: "e", revision: 3)
        try store.write { [before] in try $0.set(before) }
        do {
            try store.write { layer in
                var metadata = try layer.metadata()
                metadata.title = "another"
                try layer.set(metadata)
                try layer.moveCursor(to: 8)
                try layer.setLastN(6)
                _ = try layer.metadata()
                try layer.put(StoredRecord(note("a"), 1))
                _ = try layer.append(
                    OutboxEntry(id: "a", kind: .delete, baseRevision: 1, madeAt: Timestamp(seconds: 1)))
                try layer.show(ShownRow(note("a"), delivery: .unsent))
                throw Stop()
            }
            throw Broken(description: "the error was swallowed")
        } catch is Stop {}
        try store.read { [before] layer in
            try equal(try layer.metadata(), before, "metadata")
            try equal(try layer.record("a"), nil, "record")
            try equal(try layer.tally().values.reduce(0, +), 0, "entries")
            try equal(try layer.row("a"), nil, "row")
        }
    }

    private static func keepsRecords(_ store: any LocalStore) throws {
        let ids = ["10", "9", "B", "a", "é", "日本"]
        try store.write { layer in
            for (index, id) in ids.enumerated() {
                try layer.put(StoredRecord(note(id, text: "1.50 \u{0} \u{1F600}"), Int64(index)))
            }
            var again = StoredRecord(note("B", text: "new"), 9)
            again.record.updatedBy = "bo"
            try layer.put(again)
            try layer.removeRecord("9")
        }
        try store.read { layer in
            let all = try layer.records(after: nil, limit: 10)
            try equal(all.map(\.id), ["10", "B", "a", "é", "日本"], "order")
            try equal(all[0], StoredRecord(note("10", text: "1.50 \u{0} \u{1F600}"), 0), "whole")
            try equal(all[1].record.updatedBy, "bo", "replaced")
            try equal(try layer.records(after: "B", limit: 2).map(\.id), ["a", "é"], "page")
        }
    }

    /// Through the client's edits.
    private static func keepsOrigins(_ store: any LocalStore) throws {
        let author = "Jose\u{301}"
        let made = note("a", author: author, more: [("createdAt", "2024-01-01T00:00:00Z")])
        var metadata = Self.metadata
        metadata.grant = Grant(
            documentID: "doc", layer: "review", userID: "ana", creatorName: "Ana", expiresAt: Timestamp(seconds: 9000))
        try store.write { layer in
            try layer.set(metadata)
            try layer.put(StoredRecord(made, 3))
            try layer.show(ShownRow(made, delivery: .delivered))
        }
        let edit = note("a", author: nil, text: "mine", more: [("isCommentThreadRoot", true)]).content
        let layer = Layer(store: store)
        try layer.update("a", content: edit, at: Timestamp(seconds: 5))
        let shown = try layer.record("a")?.content
        try equal(shown?["text"], "mine", "the text")
        try equal(shown?["creatorName"], .string(author), "the author")
        try equal(shown?["createdAt"], "2024-01-01T00:00:00Z", "the time")
        try equal(shown?["isCommentThreadRoot"], nil, "the mark")
        try equal(try layer.row("a")?.author.map { ByteOrdered($0) }, ByteOrdered(author), "the author in the list")
        try equal(try layer.outbox().first?.content, shown, "what is sent")
    }

    private static func keepsOrder(_ store: any LocalStore) throws {
        func entry(_ id: String) -> OutboxEntry {
            OutboxEntry(
                id: id, kind: .update, baseRevision: 3, content: note(id).content, madeAt: Timestamp(seconds: 1))
        }
        try store.write { layer in
            let first = try layer.append(entry("a"))
            let second = try layer.append(entry("b"))
            let third = try layer.append(entry("a"))
            try equal(first.seq < second.seq && second.seq < third.seq, true, "growing")
            try equal(try layer.entries(of: "a").map(\.seq), [first.seq, third.seq], "of one record")
            try layer.removeEntry(third.seq)
            let fourth = try layer.append(entry("c"))
            try equal(fourth.seq > third.seq, true, "a place assigned twice")
            try equal(try layer.entries(in: [.waiting], limit: 2).map(\.id), ["a", "b"], "limit")
            try equal(try layer.entry(second.seq)?.id, "b", "by place")
        }
    }

    private static func keepsStates(_ store: any LocalStore) throws {
        let states: [OutboxEntry.State] = [
            .waiting, .sealed(n: 3), .parked("why"), .applied(n: 2, revision: 9), .conflict("them"), .refused("no"),
        ]
        for state in states[...2] {
            try store.write { layer in
                var entry = try layer.append(
                    OutboxEntry(
                        id: "a", kind: .update, baseRevision: 3, group: nil, content: note("a").content,
                        base: note("a"),
                        madeAt: Timestamp(milliseconds: 1234)))
                (entry.state, entry.isAside) = (state, true)
                try layer.replace(entry)
                try equal(try layer.entry(entry.seq), entry, "put aside, \(state)")
                try equal(try layer.asideCount(), state == .parked("why") ? 1 : 0, "put aside, \(state)")
                entry.isAside = false
                try layer.replace(entry)
                try equal(try layer.entry(entry.seq), entry, "not aside, \(state)")
                try equal(try layer.asideCount(), 0, "not aside, \(state)")
                try layer.removeEntry(entry.seq)
            }
        }
        for state in states {
            try store.write { layer in
                var entry = OutboxEntry(
                    id: "a", kind: .update, baseRevision: 3, threadRevision: 4, group: nil, content: note("a").content,
                    base: note("a", text: "before"), madeAt: Timestamp(milliseconds: 1234))
                entry = try layer.append(entry)
                entry.state = state
                entry.kind = .restore
                try layer.replace(entry)
                try equal(try layer.hasEntries(), true, "something is there, \(state)")
                try equal(try layer.entry(entry.seq), entry, "\(state)")
                try equal(try layer.tally()[entry.stage], 1, "tally of \(state)")
                var marked = entry
                for other in states.reversed() {
                    marked.state = other
                    try layer.mark(marked.seq, other)
                    try equal(try layer.entry(marked.seq), marked, "\(other) behind \(state)")
                }
                var sent = entry
                (sent.state, sent.wasSent) = (.parked("it may be on the server"), true)
                try layer.replace(sent)
                try equal(try layer.entry(entry.seq), sent, "sent before")
                for (wasSent, isAside) in [(true, false), (false, true), (true, true)] {
                    for state in [OutboxEntry.State.waiting, .sealed(n: 7), .parked("why")] {
                        (sent.state, sent.wasSent, sent.isAside) = (state, wasSent, isAside)
                        try layer.replace(sent)
                        try equal(try layer.entry(entry.seq), sent, "sent \(wasSent), aside \(isAside), \(state)")
                    }
                }
                sent.state = .sealed(n: 8)
                try layer.mark(entry.seq, sent.state)
                (sent.wasSent, sent.isAside) = (false, false)
                try equal(try layer.entry(entry.seq), sent, "a mark forgets both")
                try layer.removeEntry(entry.seq)
                try equal(try layer.hasEntries(), false, "nothing is left of \(state)")
            }
        }
    }

    private static func findsTakenRoots(_ store: any LocalStore) throws {
        func entry(_ id: String, _ kind: ChangeKind, taking root: String?) -> OutboxEntry {
            OutboxEntry(id: id, kind: kind, baseRevision: 3, takenRoot: root, madeAt: Timestamp(seconds: 1))
        }
        try store.write { layer in
            let first = try layer.append(entry("c", .delete, taking: "r"))
            _ = try layer.append(entry("d", .delete, taking: nil))
            var second = try layer.append(entry("c", .restore, taking: "r"))
            _ = try layer.append(entry("e", .delete, taking: "é"))
            try equal(try layer.entries(takingRoot: "r"), [first, second], "taking r")
            try equal(try layer.entry(first.seq)?.takenRoot, "r", "kept")
            second.takenRoot = nil
            try layer.replace(second)
            try layer.mark(first.seq, .sealed(n: 1))
            try equal(try layer.entries(takingRoot: "r").map(\.state), [.sealed(n: 1)], "replaced and marked")
            try equal(try layer.entries(takingRoot: "none"), [], "taking nothing")
        }
    }

    private static func keepsStage(_ store: any LocalStore) throws {
        try store.write { layer in
            try layer.put(StoredRecord(note("a"), 1))
            for id in ["b", "a", "c"] { try layer.stage(StoredRecord(note(id), 5)) }
            try equal(try layer.staged(after: "a", limit: 5).map(\.id), ["b", "c"], "staged")
            try equal(try layer.record("a")?.revision, 1, "the record itself")
            try equal(try layer.isStaged("c"), true, "c is staged")
            try equal(try layer.stagedRecord("c")?.revision, 5, "the staged record")
            try equal(try layer.stagedRecord("d"), nil, "what is not staged")
            try layer.clearStage()
            try equal(try layer.isStaged("c"), false, "cleared")
        }
    }

    private static func keepsOwnWrites(_ store: any LocalStore) throws {
        try store.write { layer in
            for (seq, id) in ["c", "a", "b"].enumerated() {
                try layer.note(OwnWrite(id: id, seq: Int64(seq), revision: Revision(seq) + 7))
            }
            try layer.note(OwnWrite(id: "b", seq: 9, revision: 20))
            try equal(try layer.ownWrite("b")?.revision, 20, "the newest")
            try equal(try layer.ownWrites(after: nil, limit: 2).map(\.id), ["a", "b"], "a page")
            try equal(try layer.ownWrites(after: "a", limit: 9).map(\.seq), [9, 0], "the next one")
            try layer.forgetOwnWrite("b")
            try equal(try layer.ownWrite("b"), nil, "forgotten")
            try layer.forgetOwnWrites()
            try equal(try layer.ownWrites(after: nil, limit: 9), [], "all forgotten")
        }
    }

    private static func addsUp(_ store: any LocalStore) throws {
        var digest = ViewDigest()
        try equal(try store.read { try $0.digest() }, digest, "nothing")
        try store.write { layer in
            for (id, revision) in [("b", 2), ("a", 0), ("e\u{301}", 3)] {
                try layer.put(StoredRecord(note(id), Revision(revision)))
            }
            try layer.stage(StoredRecord(note("staged"), 9))
        }
        for (id, revision) in [("a", 0), ("b", 2), ("e\u{301}", 3)] { digest.add(id, Revision(revision)) }
        try equal(try store.read { try $0.digest() }, digest, "the server's rows")
    }
}

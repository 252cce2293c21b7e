import Annotations
import Authorization
import EngineCore
import SyncProtocol

extension LayerStoreContract {
    static func overlaysBase(_ store: any LayerStore) throws {
        try store.write { store in
            let layer = try layer(store, base: [base("10"), base("9"), base("8")])
            let other = try store.addLayer(LayerKey(document: "doc", name: "other"), generation: "o")
            try store.put(record("9", 1), in: layer)
            try store.put(record("8", 2, removal: removal()), in: layer)
            try equal(try store.record("10", in: layer), ServerRecord(base: base("10")), "beneath")
            try equal(try store.record("9", in: layer), record("9", 1), "overwritten")
            try equal(try store.record("8", in: layer)?.isLive, false, "removed")
            for id in ["10", "9", "8", "none"] {
                try equal(
                    try store.subject(of: id, in: layer), try store.record(id, in: layer)?.subject, "subject of \(id)")
            }
            try equal(try store.subject(of: "9", in: other), ServerRecord(base: base("9")).subject, "of the base")
            try equal(try store.live(in: layer, after: nil, limit: 9).map(\.id), ["10", "9"], "live")
            try equal(try store.live(in: layer, after: nil, limit: 9).map(\.revision), [0, 1], "revisions")
            try equal(
                try store.live(in: other, after: nil, limit: 9).map(\.id), ["10", "8", "9"], "of the other layer")
            for layer in [layer, other] {
                let rows = try store.live(in: layer, after: "10", limit: 9)
                let marks = rows.map { RecordMark(id: $0.id, revision: $0.revision, subject: $0.subject) }
                try equal(try store.marks(in: layer, after: "10", limit: 9, where: nil), marks, "marks")
                try equal(
                    try store.marks(in: layer, after: nil, limit: 1, where: nil).map(\.id), ["10"], "the first mark")
            }
            try equal(try store.record("9", in: other)?.revision, 0, "the base itself")
        }
    }

    static func keepsRecords(_ store: any LayerStore) throws {
        var plain = record("a", 1, by: nil, group: nil)
        plain.record.updatedBy = nil
        plain.run = ServerRecord.Run(client: nil, start: 0)
        var byBackend = record("d", 4, removal: removal())
        byBackend.removal?.by = nil
        byBackend.removal?.client = nil
        let all = [
            plain, record("b/../é \u{1F600}".filter { $0 != " " }, 2, group: ""), record("c", 3, root: "a"), byBackend,
            record("e", .max, group: "g", root: "c", removal: removal(at: now + 1, cascade: 9)),
            threadRoot("f", 6), threadRoot("g", 7, removal: removal()),
        ]
        try store.write { store in
            let layer = try layer(store)
            for record in all { try store.put(record, in: layer) }
        }
        try store.read { store in
            let layer = try store.layer(key)!
            for record in all { try equal(try store.record(record.id, in: layer), record, "record") }
            try equal(try store.record("none", in: layer), nil, "no record")
        }
    }

    private static func threadRoot(
        _ id: String, _ revision: Revision, removal: ServerRecord.Removal? = nil
    ) -> ServerRecord {
        var root = record(id, revision, removal: removal)
        root.isCommentThreadRoot = true
        return root
    }

    /// The flag is stored with the record, whatever the content says, and base records have none.
    static func keepsThreadRoots(_ store: any LayerStore) throws {
        func saying(_ flag: Bool, _ id: String) -> Record {
            var record = base(id)
            record.content = record.content.changing { $0["isCommentThreadRoot"] = .bool(flag) }
            return record
        }
        try store.write { store in
            let layer = try layer(store, base: [saying(true, "7"), saying(true, "8")])
            var root = threadRoot("a", 1)
            root.record.content = saying(false, "a").content
            try store.put(root, in: layer)
            var other = record("7", 2)
            other.record.content = saying(true, "7").content
            try store.put(other, in: layer)
            let marks = try store.live(in: layer, after: nil, limit: 9).map(\.isCommentThreadRoot)
            try equal(marks, [false, false, true], "7, 8 and a")
            try equal(
                try store.changed(in: layer, after: 0, limit: 9).map(\.isCommentThreadRoot), [true, false], "changes")
            root.isCommentThreadRoot = false
            root.revision = 3
            try store.put(root, in: layer)
            try equal(try store.record("a", in: layer)?.isCommentThreadRoot, false, "written again")
        }
    }

    /// Through the server's decisions: every way of reading the record finds the same.
    static func keepsOrigins(_ store: any LayerStore) throws {
        let note = Content(checked: #"{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":"one"}"#)
        let made = note.changing {
            $0["creatorName"] = "Jose\u{301}"
            $0["createdAt"] = "2024-01-01T00:00:00Z"
            $0["isCommentThreadRoot"] = true
        }
        let edit = made.changing {
            for member in Content.originMembers { $0[member] = nil }
            $0["text"] = "two"
            $0["createdBy"] = "bo"
        }
        let changes = [
            Change(n: 1, kind: .create, id: "a", baseRevision: 0, content: made),
            Change(n: 2, kind: .update, id: "a", baseRevision: 1, content: edit),
        ]
        let grant = Grant(documentID: "doc", layer: key.name, userID: "ana", expiresAt: now + 1000)
        let wanted = made.changing { $0["text"] = "two" }.object
        try store.write { store in
            let layer = try layer(store)
            let push = PushRequest(clientID: "c", acked: 0, cursor: nil, changes: changes)
            let answer = try PushProcessor(grant: grant).perform(push, on: layer, in: store, now: now).answer
            try equal(answer.results.map(\.status), [.applied, .applied], "answers")
            func expect(_ record: Record?, _ what: String) throws {
                let found = record?.content.object
                try equal(found?.members.count, wanted.members.count, "members of \(what)")
                for member in wanted.members { try equal(found?[member.key], member.value, "\(what), \(member.key)") }
            }
            try expect(try store.record("a", in: layer)?.record, "the record")
            try expect(try store.live(in: layer, after: nil, limit: 9).first?.record, "the live record")
            try expect(try store.changed(in: layer, after: 0, limit: 9).first?.record, "the change")
            try equal(try store.record("a", in: layer)?.isCommentThreadRoot, true, "the root of a thread")
        }
    }

    /// Tombstones of roots stay as long as a live comment names them: one of the layer's own, or one of the base.
    static func keepsTombstonesOfRoots(_ store: any LayerStore) throws {
        var beneath = base("9")
        beneath.content = Content(checked: #"{"type":"pspdfkit/comment","rootId":"d","text":"of the PDF"}"#)
        var covered = beneath
        (covered.id, covered.content) = ("8", Content(checked: #"{"type":"pspdfkit/comment","rootId":"e","text":"t"}"#))
        try store.write { store in
            let layer = try layer(store, base: [beneath, covered])
            let other = try store.addLayer(LayerKey(document: "doc", name: "other"), generation: "o")
            for (revision, id) in ["a", "b", "c", "d", "e", "f"].enumerated() {
                try store.put(record(id, Revision(revision + 1), removal: removal()), in: layer)
            }
            try store.put(record("of a", 7, root: "a"), in: layer)
            try store.put(record("of b", 8, root: "b", removal: removal(at: now + 9)), in: layer)
            try store.put(record("8", 9, root: "e", removal: removal(at: now + 9)), in: layer)
            // A comment of the same name in another layer.
            try store.put(record("of f", 1, root: "f"), in: other)
            try store.prune(layer, before: now + 1)
            func kept() throws -> [String] {
                try ["a", "b", "c", "d", "e", "f"].filter { try store.record($0, in: layer) != nil }
            }
            try equal(try kept(), ["a", "d"], "roots")
            try equal(try store.layer(key)?.horizon, 6, "the horizon moves all the same")
            try store.put(record("of a", 10, root: "a", removal: removal(at: now + 9)), in: layer)
            try store.prune(layer, before: now + 1)
            try equal(try kept(), ["d"], "the last comment is gone")
        }
    }

    static func pagesRecords(_ store: any LayerStore) throws {
        let ids = ["10", "9", "B", "a", "e\u{301}", "z", "é", "日本"]
        try store.write { store in
            let layer = try layer(store, base: [base("9"), base("z")])
            for (index, id) in ids.enumerated() where id != "9" && id != "z" {
                try store.put(record(id, Revision(index + 1)), in: layer)
            }
        }
        try store.read { store in
            let layer = try store.layer(key)!
            var found: [String] = []
            while true {
                let page = try store.live(in: layer, after: found.last, limit: 3)
                found += page.map(\.id)
                if page.count < 3 { break }
            }
            try equal(found.map { Array($0.utf8) }, ids.map { Array($0.utf8) }, "all")
        }
    }

    static func listsChanges(_ store: any LayerStore) throws {
        try store.write { store in
            let layer = try layer(store, base: [base("7")])
            for (id, revision) in [("a", 1), ("b", 2), ("a", 3)] {
                try store.put(record(id, Revision(revision)), in: layer)
            }
            try store.put(record("b", 4, removal: removal()), in: layer)
            try equal(try store.changed(in: layer, after: 0, limit: 9).map(\.id), ["a", "b"], "all")
            try equal(try store.changed(in: layer, after: 3, limit: 9).map(\.revision), [4], "later ones")
            try equal(try store.changed(in: layer, after: 0, limit: 1).map(\.revision), [3], "a limit")
            try equal(try store.changed(in: layer, after: 4, limit: 9), [], "none")
        }
    }

    static func keepsDepartures(_ store: any LayerStore) throws {
        let one = Departure(id: "a", revision: 3, subject: record("a", 1, by: nil, group: "g").subject, at: now)
        let two = Departure(id: "a", revision: 2, subject: record("a", 1, root: "r").subject, at: now + 1)
        try store.write { store in
            let layer = try layer(store)
            try store.add(one, in: layer)
            try store.add(two, in: layer)
        }
        try store.read { store in
            let layer = try store.layer(key)!
            try equal(try store.departures(in: layer, after: 0, limit: 9), [two, one], "all")
            try equal(try store.departures(in: layer, after: 2, limit: 9), [one], "later ones")
            try equal(try store.departures(in: layer, after: 0, limit: 1), [two], "a limit")
        }
    }

    static func findsThreads(_ store: any LayerStore) throws {
        var reply = base("20")
        reply.content = Content(checked: #"{"rootId":"root","text":"of the PDF"}"#)
        try store.write { store in
            let layer = try layer(store, base: [reply, base("root")])
            try store.put(record("z", 1, root: "root"), in: layer)
            try store.put(record("y", 2, root: "root", removal: removal()), in: layer)
            try store.put(record("x", 3, root: "other"), in: layer)
            try equal(try store.thread(of: "root", in: layer).map(\.id), ["20", "z"], "thread")
            func equalMarks(_ root: String) throws {
                let wanted = try store.thread(of: root, in: layer).map {
                    RecordMark(id: $0.id, revision: $0.revision, subject: $0.subject)
                }
                try equal(try store.marks(ofThread: root, in: layer), wanted, "marks of \(root)")
            }
            for root in ["root", "other", "none"] { try equalMarks(root) }
            try store.put(record("20", 4, root: "root", removal: removal()), in: layer)
            try equal(try store.thread(of: "root", in: layer).map(\.id), ["z"], "one less")
            try equal(try store.thread(of: "none", in: layer), [], "no thread")
            try store.put(record("w", 5, by: nil, group: "g", root: "root"), in: layer)
            try equalMarks("root")
        }
    }

    static func findsCascades(_ store: any LayerStore) throws {
        try store.write { store in
            let layer = try layer(store)
            try store.put(record("b", 1, root: "a", removal: removal(cascade: 3)), in: layer)
            try store.put(record("c", 2, root: "a", removal: removal(cascade: 3)), in: layer)
            try store.put(record("a", 3, removal: removal()), in: layer)
            try equal(try store.cascade(of: 3, in: layer).map(\.id), ["b", "c"], "cascade")
            try equal(try store.cascade(of: 2, in: layer), [], "no cascade")
        }
    }

    static func prunes(_ store: any LayerStore) throws {
        try store.write { store in
            let layer = try layer(store, base: [base("7")])
            try store.put(record("a", 1, removal: removal(at: now)), in: layer)
            try store.put(record("7", 2, removal: removal(at: now)), in: layer)
            try store.put(record("b", 3, removal: removal(at: now + 100)), in: layer)
            try store.put(record("c", 5), in: layer)
            try store.add(Departure(id: "c", revision: 4, subject: record("c", 4).subject, at: now + 1), in: layer)
            try store.prune(layer, before: now + 50)
            try equal(try store.layer(key)?.horizon, 4, "horizon")
            try equal(try store.record("a", in: layer), nil, "old tombstone")
            try equal(try store.record("7", in: layer)?.isLive, false, "tombstone of a base record")
            try equal(try store.record("b", in: layer)?.isLive, false, "young tombstone")
            try equal(try store.record("c", in: layer)?.isLive, true, "live record")
            try equal(try store.departures(in: layer, after: 0, limit: 9), [], "departures")
            try store.prune(layer, before: now)
            try equal(try store.layer(key)?.horizon, 4, "the horizon never falls")
        }
    }

    static func keepsAnswers(_ store: any LayerStore) throws {
        let answers = (1...4).map {
            StoredAnswer(
                n: $0, bodyHash: "h\($0)", recordID: "r", status: ChangeResult.Status.allCases[Int($0)],
                revision: $0 == 1 ? 9 : nil, reason: $0 == 2 ? "why" : nil)
        }
        try store.write { store in
            let layer = try layer(store)
            try equal(try store.client("c", in: layer), nil, "no client")
            try store.put(StoredClient(id: "c", userID: nil), in: layer)
            try store.put(StoredClient(id: "c", userID: "ana", lastN: 4, acked: 2), in: layer)
            for answer in answers { try store.put(answer, to: "c", in: layer) }
            try store.put(answers[0], to: "d", in: layer)
            try store.removeAnswers(upTo: 2, to: "c", in: layer)
        }
        try store.read { store in
            let layer = try store.layer(key)!
            try equal(
                try store.client("c", in: layer), StoredClient(id: "c", userID: "ana", lastN: 4, acked: 2), "client")
            try equal(try store.answer(2, to: "c", in: layer), nil, "acknowledged")
            for n in 3...4 { try equal(try store.answer(Int64(n), to: "c", in: layer), answers[n - 1], "answer \(n)") }
            try equal(try store.answer(1, to: "d", in: layer), answers[0], "of another client")
        }
    }
}

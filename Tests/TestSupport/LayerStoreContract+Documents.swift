import Annotations
import Authorization
import EngineCore
import SyncProtocol

extension LayerStoreContract {
    static func keepsDocuments(_ store: any LayerStore) throws {
        // A precomposed and a decomposed letter: equal to Swift, different ids.
        let ids = ["é", "e\u{301}", "A", "a", "../a", "a\u{1F600}"]
        try store.write { store in for id in ids { try store.put(document(id, title: "of " + id)) } }
        try store.read { store in
            for id in ids { try equal(try store.document(id), document(id, title: "of " + id), "document \(id)") }
            try equal(try store.document("b"), nil, "no document")
            try equal(try store.isPDFUsed("hash of A"), true, "a PDF in use")
            try equal(try store.isPDFUsed("hash of B"), false, "a PDF not in use")
        }
        var stripped = document("A")
        stripped.stripped = StoredPDF(sha256: "stripped", bytes: 1 << 33)
        try store.write { try $0.put(stripped) }
        try store.read { store in
            try equal(try store.document("A"), stripped, "a stripped file")
            try equal(try store.documents(DocumentQuery(title: "Title")), [stripped], "in the list")
            try equal(try store.isPDFUsed("stripped"), true, "a stripped file in use")
            try equal(try store.isPDFUsed("hash of A"), true, "its original in use")
        }
        try store.write { try $0.put(document("A", title: "new")) }
        try equal(try store.read { try $0.document("A")?.title }, "new", "replaced")
        try equal(try store.read { try $0.documentCount(DocumentQuery()) }, ids.count, "count")
    }

    static func listsDocuments(_ store: any LayerStore) throws {
        try store.write { store in
            try store.put(document("1", title: "Beta É", at: 2))
            try store.put(document("2", title: "alpha", at: 1))
            try store.put(document("3", title: "Alpha", at: 3))
            try store.put(document("4", title: "gamma 100%", at: 1))
        }
        func ids(_ query: DocumentQuery) throws -> [String] { try store.read { try $0.documents(query).map(\.id) } }
        try equal(try ids(DocumentQuery()), ["2", "4", "1", "3"], "by time")
        try equal(try ids(DocumentQuery(descending: true)), ["3", "1", "4", "2"], "by time, descending")
        try equal(try ids(DocumentQuery(order: .title)), ["3", "1", "2", "4"], "by title")
        try equal(try ids(DocumentQuery(title: "ALPHA")), ["2", "3"], "filtered")
        try equal(try ids(DocumentQuery(title: "%")), ["4"], "a literal %")
        try equal(try ids(DocumentQuery(offset: 1, limit: 2)), ["4", "1"], "a page")
        try equal(try store.read { try $0.documentCount(DocumentQuery(title: "alpha", limit: 1)) }, 2, "count")
    }

    static func rollsBack(_ store: any LayerStore) throws {
        do {
            try store.write { store in
                try store.put(record("a", 1), in: try layer(store))
                try store.revoke(tokenID: "jti", until: now)
                throw Stop()
            }
            throw Broken(description: "the error was swallowed")
        } catch is Stop {}
        try store.read { store in
            try equal(try store.document("doc"), nil, "document")
            try equal(try store.layer(key), nil, "layer")
            try equal(try store.isRevoked(tokenID: "jti"), false, "revocation")
        }
    }

    static func takesBackSavepoints(_ store: any LayerStore) throws {
        let ids = try store.write { store in
            let layer = try layer(store)
            try store.put(record("a", 1), in: layer)
            do {
                try store.savepoint {
                    try store.put(record("b", 2), in: layer)
                    try store.savepoint { try store.put(record("c", 3), in: layer) }
                    throw Stop()
                }
            } catch is Stop {}
            try store.savepoint { try store.put(record("d", 2), in: layer) }
            return try store.live(in: layer, after: nil, limit: 9).map(\.id)
        }
        try equal(ids, ["a", "d"], "inside")
        try store.read { store in
            let layer = try store.layer(key)!
            try equal(try store.live(in: layer, after: nil, limit: 9).map(\.id), ["a", "d"], "after")
        }
    }

    static func keepsLayers(_ store: any LayerStore) throws {
        let first = try store.write { try layer($0) }
        try equal(first.key, key, "key")
        try equal((first.generation == "g" && first.head == 0 && first.horizon == 0), true, "new layer")
        try equal(first.pageCount, 2, "pages")
        try store.write { store in
            for name in ["", "é", "e\u{301}", "B", "a"] {
                _ = try store.addLayer(LayerKey(document: "doc", name: name), generation: name)
            }
            try store.setHead(7, of: first)
        }
        try store.read { store in
            try equal(try store.layerNames(of: "doc"), ["", "B", "a", "e\u{301}", "review", "é"], "names")
            try equal(try store.layerNames(of: "other"), [], "no names")
            try equal(try store.layer(key)?.head, 7, "head")
            try equal(
                try store.layer(LayerKey(document: "doc", name: "é"))?.generation.utf8.count, "é".utf8.count, "by bytes"
            )
            func found(_ names: String...) throws -> [ServerLayer] {
                try store.layers(names.map { LayerKey(document: "doc", name: $0) }).sorted { $0.id < $1.id }
            }
            let each = try ["review", "", "é"].compactMap { try store.layer(LayerKey(document: "doc", name: $0)) }
            try equal(try found("é", "review", "none", "b", ""), each, "several at once")
            try equal(each.count, 3, "several")
            try equal(try found(), [], "none of them")
            try equal(try found("none", "a\0"), [], "only unknown ones")
        }
        do {
            _ = try store.write { try $0.addLayer(key, generation: "again") }
            throw Broken(description: "a layer was created twice")
        } catch let broken as Broken { throw broken } catch {}
        try store.write { try $0.removeLayer(first, at: now) }
        let second = try store.write { try $0.addLayer(key, generation: "h") }
        try equal(second.id == first.id, false, "the number was reused")
    }

    static func removesLayers(_ store: any LayerStore) throws {
        try store.write { store in
            let layer = try layer(store, base: [base("7")])
            try store.put(record("a", 1), in: layer)
            try store.put(StoredClient(id: "c", userID: nil, lastN: 4), in: layer)
            try store.add(Departure(id: "a", revision: 1, subject: record("a", 1).subject, at: now), in: layer)
            try store.removeLayer(layer, at: now + 5)
            try equal(try store.layer(key), nil, "layer")
            try equal(try store.deletion(of: key), now + 5, "deletion")
            let again = try store.addLayer(key, generation: "h")
            try equal(try store.live(in: again, after: nil, limit: 9).map(\.id), ["7"], "records")
            try equal(try store.client("c", in: again), nil, "client")
            try equal(try store.departures(in: again, after: 0, limit: 9), [], "departures")
            try equal(try store.deletion(of: key), now + 5, "deletion, after the layer was created again")
            try equal(try store.deletion(of: LayerKey(document: "doc", name: "x")), nil, "never deleted")
        }
    }

    static func renewsLayers(_ store: any LayerStore) throws {
        try store.write { store in
            let layer = try layer(store)
            let other = try store.addLayer(LayerKey(document: "doc", name: "other"), generation: "o")
            try equal(try store.layers(), [layer.key, other.key], "all layers")
            let answer = StoredAnswer(
                n: 1, bodyHash: "h", recordID: "a", status: .applied, revision: 1, reason: nil)
            for layer in [layer, other] {
                try store.put(record("a", 1), in: layer)
                try store.put(StoredClient(id: "c", userID: nil, lastN: 4), in: layer)
                try store.put(answer, to: "c", in: layer)
            }
            try store.setHead(3, of: layer)
            let found = try store.layer(key)!
            try equal(try store.restoredGenerations(of: found), [], "no earlier generation")
            try store.renew(found, generation: "h", at: now + 5)
            let first = LineageEntry(generation: "g", head: 3, at: now + 5, ending: .restored)
            try equal(try store.restoredGenerations(of: layer), [first], "the earlier generation")
            try equal(try store.restoredGenerations(of: other), [], "that of the other layer")
            try equal(try store.layer(key)?.generation, "h", "generation")
            try equal(try store.record("a", in: layer)?.revision, 1, "record")
            try equal(try store.client("c", in: layer), nil, "client")
            try equal(try store.answer(1, to: "c", in: layer), nil, "answer")
            try equal(try store.client("c", in: other)?.lastN, 4, "client of the other layer")
            try equal(try store.answer(1, to: "c", in: other), answer, "answer of the other layer")
            for n in 1...LineageEntry.maxCount { try store.renew(store.layer(key)!, generation: "i\(n)", at: now + 6) }
            let all = try store.restoredGenerations(of: layer)
            let wanted = ["h"] + (1..<LineageEntry.maxCount).map { "i\($0)" }
            try equal(all.map(\.generation), wanted, "the newest generations, the oldest of them first")
            try store.removeLayer(store.layer(key)!, at: now)
            _ = try store.removeRows(ofLayer: layer.id, limit: 1000)
            try equal(try store.restoredGenerations(of: layer), [], "of a removed layer")
        }
    }

    static func removesDocuments(_ store: any LayerStore) throws {
        try store.write { store in
            _ = try layer(store, base: [base("7")])
            try store.removeDocument("doc", at: now + 5)
            try store.removeDocument("never there", at: now)
            try equal(try store.document("doc"), nil, "document")
            try equal(try store.layer(key), nil, "layer")
            try equal(try store.deletion(of: key), now + 5, "deletion of the layer")
            try equal(try store.isPDFUsed("hash of doc"), false, "PDF")
            let again = try layer(store)
            try equal(try store.live(in: again, after: nil, limit: 9), [], "base")
        }
    }

    static func remembersDeletions(_ store: any LayerStore) throws {
        func times(_ name: String, of document: String = "doc") throws -> [Timestamp?] {
            let found = try store.read { try $0.deletions(of: LayerKey(document: document, name: name)) }
            return [found.layer, found.document]
        }
        try store.write { store in
            _ = try layer(store)
            _ = try store.addLayer(LayerKey(document: "doc", name: "é"), generation: "g")
            try store.put(document("other"))
        }
        try equal(try times("review"), [nil, nil], "nothing was deleted")
        try store.write { try $0.removeLayer($0.layer(key)!, at: now + 5) }
        try equal(try times("review"), [now + 5, nil], "a layer")
        try equal(try times("é"), [nil, nil], "another layer")
        try store.write { try $0.removeDocument("doc", at: now + 7) }
        try equal(try times("review"), [now + 5, now + 7], "the layer was gone before its document")
        try equal(try times("é"), [now + 7, now + 7], "a layer that went with its document")
        try equal(try times("e\u{301}"), [nil, now + 7], "a layer that never was")
        try equal(try times("review", of: "other"), [nil, nil], "another document")
        let whole: Timestamp? = try store.read { try $0.deletion(of: .whole("doc")) }
        try equal(whole, now + 7, "the document alone")
        try store.write { store in
            _ = try layer(store)
            try store.put(document("doc", title: "overwritten"))
        }
        try equal(try times("review"), [now + 5, now + 7], "something else has the name now")
        try equal(try store.read { try $0.layerNames(of: "doc") }, ["review"], "the note is no layer")
        try equal(try store.read { try $0.hiddenLayers().filter { !$0.isRemoved } }, [], "nor a hidden one")
        try store.write { store in
            try store.removeDocument("doc", at: now + 6)
            try store.removeDocument("never there", at: now)
        }
        try equal(try times("review"), [now + 6, now + 7], "the time never goes back")
        try equal(try times("review", of: "never there"), [nil, nil], "nothing was there")
        try store.write { store in
            try store.noteDeletion(of: .whole("lost"), at: now + 1)
            try store.noteDeletion(of: .whole("lost"), at: now)
        }
        try equal(try times("x", of: "lost"), [nil, now + 1], "a note without a document")
    }

    /// A store of one server takes that server's time; a shared one may have a clock.
    static func tellsTheTime(_ store: any LayerStore) throws {
        let (here, later) = try store.read { store in (try store.time(now), try store.time(now + 1)) }
        try equal(here <= later, true, "the time goes on")
    }

    static func keepsRevocations(_ store: any LayerStore) throws {
        try store.write { store in
            try store.revoke(tokenID: "é", until: now)
            try store.revoke(tokenID: "later", until: now + 10)
            try store.revoke(tokenID: "later", until: now + 5)
        }
        try store.read { store in
            try equal(try store.isRevoked(tokenID: "é"), true, "revoked")
            try equal(try store.isRevoked(tokenID: "e\u{301}"), false, "a look-alike")
        }
        try store.write { try $0.removeRevocations(before: now + 8) }
        try store.read { store in
            try equal(try store.isRevoked(tokenID: "é"), false, "over")
            try equal(try store.isRevoked(tokenID: "later"), true, "the later end counts")
        }
    }
}

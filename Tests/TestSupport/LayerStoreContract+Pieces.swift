import Annotations
import Authorization
import EngineCore
import SyncProtocol

/// Layers built and removed in several transactions.
extension LayerStoreContract {
    private static let hidden = LayerKey(document: "doc", name: "*copy-01JABCDEFGHJKMNPQRSTVWXYZ0")
    private static let target = LayerKey(document: "doc", name: "target")

    static func hidesLayers(_ store: any LayerStore) throws {
        let made = try store.write { store in
            let other = try layer(store, base: [base("7")])
            let made = try store.addLayer(hidden, generation: "h")
            try store.put(record("a", 1), in: made)
            try store.setHead(1, of: made)
            try store.put(StoredClient(id: "c", userID: nil, lastN: 4), in: made)
            try equal(try store.layers(), [other.key], "all layers")
            return made
        }
        try store.read { store in
            try equal(try store.layer(hidden), nil, "by its key")
            try equal(try store.layerNames(of: "doc"), [key.name], "names")
            try equal(try store.hiddenLayer(key), nil, "a layer that is not hidden")
            try equal(try store.layers([hidden]), [], "a hidden one among several")
            try equal(try store.hiddenLayers(), [HiddenLayer(id: made.id, key: hidden)], "hidden layers")
            let found = try store.hiddenLayer(hidden)
            try equal(found?.id, made.id, "hidden layer")
            try equal(found?.head, 1, "head")
            try equal(try store.live(in: found!, after: nil, limit: 9).map(\.id), ["7", "a"], "records")
        }
        try store.write { store in
            // The writer knows it under its old key.
            let found = try store.hiddenLayer(hidden)!
            try store.move(found, to: target)
            try equal(try store.hiddenLayer(hidden), nil, "where it was")
            let moved = try store.layer(target)
            try equal(moved?.id, made.id, "moved")
            try equal((moved?.head == 1 && moved?.generation == "h"), true, "as it was")
            try equal(try store.client("c", in: moved!)?.lastN, 4, "client")
        }
        try store.read { store in
            try equal(try store.layerNames(of: "doc"), [key.name, target.name], "names, moved")
            try equal(try store.hiddenLayers(), [], "no hidden layers")
            try equal(try store.live(in: try store.layer(target)!, after: nil, limit: 9).count, 2, "records, moved")
        }
        do {
            try store.write { try $0.move(try $0.layer(target)!, to: key) }
            throw Broken(description: "a layer took the key of another one")
        } catch let broken as Broken { throw broken } catch {}
        // Move to another document, with that document's base.
        try store.write { store in
            try store.put(document("other", base: try store.addBase([base("8"), base("9")])))
            let moved = LayerKey(document: "other", name: "target")
            try store.move(try store.layer(target)!, to: moved)
            try equal(try store.layer(target), nil, "in the first document")
            try equal(
                try store.live(in: try store.layer(moved)!, after: nil, limit: 9).map(\.id), ["8", "9", "a"],
                "records, in the other document")
        }
    }

    static func removesRowsInPieces(_ store: any LayerStore) throws {
        let (gone, staged) = try store.write { store in
            let gone = try layer(store)
            let staged = try store.addLayer(hidden, generation: "h")
            let other = try store.addLayer(target, generation: "o")
            for layer in [gone, staged, other] {
                for n in 1...5 { try store.put(record("a\(n)", Revision(n)), in: layer) }
                try store.add(Departure(id: "a1", revision: 6, subject: record("a", 1).subject, at: now), in: layer)
                try store.put(StoredClient(id: "c", userID: nil, lastN: 4), in: layer)
            }
            try equal(try store.removeRows(ofLayer: gone.id, limit: 9), 0, "of a layer that is in use")
            try equal(try store.removeRows(ofLayer: staged.id, limit: 9), 0, "of a hidden layer that is in use")
            try store.removeLayer(gone, at: now + 5)
            try store.removeLayer(staged, at: now + 5)
            try equal(try store.hiddenLayer(hidden), nil, "the hidden layer")
            try equal(try store.deletion(of: hidden), nil, "a hidden layer leaves no note")
            try equal(try store.hiddenLayers().map(\.isRemoved), [true, true], "what is left")
            return (gone, staged)
        }
        // A layer created again meanwhile is another layer.
        try store.write { store in
            let again = try store.addLayer(key, generation: "again")
            try store.put(record("new", 1), in: again)
        }
        for layer in [gone, staged] {
            var removed: [Int] = []
            repeat {
                removed.append(try store.write { try $0.removeRows(ofLayer: layer.id, limit: 4) })
            } while removed.last == 4
            try equal(removed.reduce(0, +) >= 6 && removed.count > 1, true, "rows in pieces")
            try equal(try store.write { try $0.removeRows(ofLayer: layer.id, limit: 4) }, 0, "once more")
        }
        try store.read { store in
            try equal(try store.hiddenLayers(), [], "nothing is left")
            try equal(try store.changed(in: gone, after: 0, limit: 9), [], "records")
            try equal(try store.departures(in: gone, after: 0, limit: 9), [], "departures")
            try equal(try store.live(in: try store.layer(key)!, after: nil, limit: 9).map(\.id), ["new"], "new layer")
            try equal(try store.live(in: try store.layer(target)!, after: nil, limit: 9).count, 5, "another layer")
        }
    }

    static func keepsBases(_ store: any LayerStore) throws {
        let base = try store.write { store in
            let base = try store.addBase(at: now)
            try store.add([self.base("1"), self.base("2")], toBase: base)
            return base
        }
        try store.write { try $0.add([self.base("3")], toBase: base) }
        try store.read { store in
            try equal(try store.unusedSince(base), now, "unused since")
            try equal(try store.unusedBases(before: now), [], "too young")
            try equal(try store.unusedBases(before: now + 1), [base], "unused")
        }
        try store.write { store in
            try store.put(document("doc", base: base))
            try equal(try store.unusedSince(base), nil, "used")
            try equal(try store.unusedBases(before: now + 1), [], "all are used")
            try equal(try store.removeBase(base, limit: 9), 0, "of a document")
            let layer = try store.addLayer(key, generation: "g")
            try equal(try store.live(in: layer, after: nil, limit: 9).map(\.id), ["1", "2", "3"], "records")
        }
        let next = try store.write { store in
            let next = try store.addBase([self.base("4")])
            try store.put(document("doc", base: next))
            try equal(try store.unusedSince(base), .startOfTime, "replaced")
            try equal(try store.unusedBases(before: now), [base], "only what was replaced")
            return next
        }
        try equal(try store.write { try $0.removeBase(base, limit: 2) }, 2, "a piece")
        try equal(try store.read { try $0.unusedBases(before: now) }, [base], "in between")
        try equal(try store.write { try $0.removeBase(base, limit: 2) }, 1, "the rest")
        try equal(try store.read { try $0.unusedBases(before: now) }, [], "gone")
        try store.write { store in
            let layer = try store.layer(key)!
            try equal(try store.live(in: layer, after: nil, limit: 9).map(\.id), ["4"], "of the new base")
            _ = try store.addLayer(hidden, generation: "h")
            try store.removeDocument("doc", at: now + 5)
            try equal(try store.deletion(of: key), now + 5, "deletion of the layer")
            try equal(try store.deletion(of: hidden), nil, "deletion of the hidden layer")
            try equal(try store.hiddenLayers().map(\.isRemoved), [true, true], "layers of the document")
            try equal(try store.unusedBases(before: now), [next], "base of the document")
            try equal(try store.removeBase(next, limit: 9), 1, "base record")
        }
    }
}

package import Annotations
import FoundationEssentials

/// The appearance of an annotation of another PDF, with all objects that it needs: what a stamp shows is known only from
/// its picture.
package struct CopiedAppearance: Sendable {
    /// The entry `AP`, in qpdf's JSON.
    let entry: JSON
    let objects: [ObjectID: Object]

    struct Object {
        /// The object, or the dictionary of the stream.
        var value: JSON
        /// The bytes of the stream, as its filters left them.
        var stream: [UInt8]?
    }

    /// Entries that lead out of the appearance, to the page and the structure of the document.
    private static let left: Set = ["/P", "/Parent", "/Pg", "/StructParent", "/StructParents", "/OC"]

    /// Calls `body` for each reference, and returns the value with what that gives.
    static func mapping(_ value: JSON, _ body: (ObjectID) throws -> JSON) rethrows -> JSON {
        switch value {
        case .string(let text):
            guard let id = ObjectID(Substring(text)) else { return value }
            return try body(id)
        case .array(let items): return .array(try items.map { try mapping($0, body) })
        case .object(let object):
            var result = JSONObject()
            for member in object.members where !left.contains(member.key) {
                result[member.key] = try mapping(member.value, body)
            }
            return .object(result)
        default: return value
        }
    }

    static func references(in value: JSON) -> [ObjectID] {
        var found: [ObjectID] = []
        _ = mapping(value) { id in
            found.append(id)
            return .null
        }
        return found
    }
}

extension PDFTools {
    /// Limits on what an appearance takes along.
    private static let maxObjects = 2000
    private static let maxBytes = 64 << 20

    /// Returns the appearances of annotations, by their records; none for those without one, or with one that is too large.
    package func appearances(of ids: [Record.ID], in file: String) async throws -> [ByteOrdered: CopiedAppearance] {
        guard !ids.isEmpty else { return [:] }
        let dump = try await dump(of: file)
        let (wanted, names) = (Set(ids.map(ByteOrdered.init)), AnnotationIDs(dump))
        var entries: [(ByteOrdered, JSON)] = []
        let tree = PageTree(dump, limit: limits.pages)
        for (index, page) in tree.pages.enumerated() {
            for (position, item) in (page.dictionary.array("Annots") ?? []).enumerated() {
                let id = ByteOrdered(names.id(of: item, at: position, page: index))
                guard wanted.contains(id), let number = item.reference, let json = dump.json(number),
                    let entry = json["/AP"]
                else { continue }
                entries.append((id, entry))
            }
        }
        try dump.checkTime()
        let path = try dump.rebuilt?.path ?? Self.argument(for: file)
        var result: [ByteOrdered: CopiedAppearance] = [:]
        for (id, entry) in entries {
            if let objects = try await objects(below: entry, in: path) {
                result[id] = CopiedAppearance(entry: entry, objects: objects)
            }
        }
        withExtendedLifetime(dump.rebuilt) {}
        return result
    }

    /// Returns all objects that a value refers to, level by level; nil if they are too many or cannot be read.
    private func objects(below value: JSON, in path: String) async throws -> [ObjectID: CopiedAppearance.Object]? {
        var found: [ObjectID: CopiedAppearance.Object] = [:]
        var (waiting, bytes) = (Set(CopiedAppearance.references(in: value)), 0)
        while !waiting.isEmpty {
            guard found.count + waiting.count <= Self.maxObjects else { return nil }
            let options = waiting.map { "--json-object=\($0.number),\($0.generation)" }
            let outcome = try await run(
                .qpdf,
                ["--json=2", "--no-warn", "--json-key=qpdf", "--json-stream-data=inline", "--decode-level=none"]
                    + options + [path], into: CollectedOutput())
            bytes += outcome.sink.bytes.count
            guard outcome.exitCode == 0 || outcome.exitCode == 3, bytes <= Self.maxBytes,
                let whole = try? JSONReader.parse(outcome.sink.bytes)["qpdf"]?.array?.last
            else { return nil }
            var next: Set<ObjectID> = []
            for id in waiting {
                let object = whole["obj:\(id.text)"]
                if let stream = object?["stream"], let dictionary = stream["dict"] {
                    guard let data = stream["data"]?.string.flatMap({ Data(base64Encoded: $0) }) else { return nil }
                    found[id] = CopiedAppearance.Object(value: dictionary, stream: Array(data))
                    next.formUnion(CopiedAppearance.references(in: dictionary))
                } else {
                    let value = object?["value"] ?? .null
                    found[id] = CopiedAppearance.Object(value: value)
                    next.formUnion(CopiedAppearance.references(in: value))
                }
            }
            waiting = next.filter { found[$0] == nil }
        }
        return found
    }
}

extension ObjectUpdate {
    /// Writes the objects of an appearance under new numbers.
    ///
    /// - Returns: the entry `AP`.
    func add(_ appearance: CopiedAppearance) throws -> PDFObject {
        let ids = appearance.objects.keys.sorted { ($0.number, $0.generation) < ($1.number, $1.generation) }
        var numbers: [ObjectID: ObjectID] = [:]
        for id in ids { numbers[id] = number() }
        func renamed(_ value: JSON) -> JSON {
            CopiedAppearance.mapping(value) { numbers[$0].map { .string($0.text) } ?? .null }
        }
        for id in ids {
            guard let object = appearance.objects[id], let number = numbers[id] else { continue }
            let value = Array(renamed(object.value).text.utf8)[...]
            if let stream = object.stream {
                try add(stream: stream, value, as: number)
            } else {
                try add(value, as: number)
            }
        }
        // The entry is written as an object of its own, because nothing of it is to be read here.
        let own = number()
        try add(Array(renamed(appearance.entry).text.utf8)[...], as: own)
        return .reference(own)
    }
}

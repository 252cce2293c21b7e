import Annotations
import Glibc
import Synchronization

/// The objects of a file as `qpdf --json` prints them, stored as text and parsed on access.
///
/// The output is `{…, "qpdf": [{…}, {"obj:1 0 R": {"value": …}, …, "trailer": {"value": …}}]}`. Few objects of a file
/// are needed, so input is only split into objects; streams are dropped.
struct ObjectDump: OutputSink {
    private var kept: [UInt8] = []
    private let limit: ReadingLimit
    private var places: [ObjectID: Range<Int>] = [:]
    private var trailerPlace: Range<Int>?
    /// The sizes of embedded files, in bytes, as their streams say.
    private(set) var embeddedSizes: [ObjectID: Int64] = [:]
    /// The object before the others, `{"jsonversion": 2, …}`, which an update has to repeat.
    private(set) var header: [UInt8] = []
    private var isInHeader = false

    private var depth = 0
    private var inText = false
    private var afterBackslash = false
    /// The last string between objects: the key of the next object.
    private var key: [UInt8] = []
    private var start: Int?

    /// The file that was read instead of one that qpdf cannot read.
    fileprivate(set) var rebuilt: RebuiltFile?

    /// Nesting depth of the objects in the output.
    private static let level = 3

    /// - Parameter time: the time limit for parsing all requested objects.
    init(time: Duration = .seconds(90)) { limit = ReadingLimit(time) }

    /// The bytes of all objects.
    var byteCount: Int { kept.count }

    mutating func receive(_ bytes: [UInt8]) {
        for byte in bytes {
            if isInHeader, header.count < 4096 { header.append(byte) }
            if start != nil { kept.append(byte) }
            if inText {
                text(byte)
            } else {
                structure(byte)
            }
        }
    }

    private mutating func text(_ byte: UInt8) {
        if afterBackslash {
            afterBackslash = false
        } else if byte == UInt8(ascii: "\\") {
            afterBackslash = true
        } else if byte == UInt8(ascii: "\"") {
            inText = false
            return
        }
        if start == nil, key.count < 64 { key.append(byte) }
    }

    private mutating func structure(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""):
            inText = true
            if start == nil { key.removeAll(keepingCapacity: true) }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if depth == Self.level, byte == UInt8(ascii: "{") {
                start = kept.count
                kept.append(byte)
            }
            if depth == Self.level - 1, byte == UInt8(ascii: "{"), header.isEmpty, key.elementsEqual("qpdf".utf8) {
                isInHeader = true
                header.append(byte)
            }
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == Self.level - 1 { isInHeader = false }
            if depth == Self.level { endObject() }
        default: break
        }
    }

    private mutating func endObject() {
        guard let start else { return }
        self.start = nil
        let isStream = kept[start...].dropFirst().drop { $0 <= UInt8(ascii: " ") }.starts(with: "\"stream\"".utf8)
        let id = key.starts(with: "obj:".utf8) ? ObjectID(Substring(decoding: key.dropFirst(4), as: UTF8.self)) : nil
        if let id, !isStream {
            places[id] = start..<kept.count
        } else if key.elementsEqual("trailer".utf8) {
            trailerPlace = start..<kept.count
        } else {
            if let id { noteSize(of: id, from: start) }
            kept.removeSubrange(start...)
        }
    }

    private mutating func noteSize(of id: ObjectID, from start: Int) {
        let text = kept[start...]
        guard text.count < 4096, String(decoding: text, as: UTF8.self).contains(scalars: "\"/Params\""),
            let size = try? JSONReader.parse(Array(text))["stream"]?["dict"]?["/Params"]?["/Size"]?.integer, size >= 0
        else { return }
        embeddedSizes[id] = size
    }
}

extension ObjectDump {
    var trailer: PDFObject { trailerPlace.map(read) ?? .null }

    /// The text of the trailer, `{"value": …}`.
    var trailerSource: ArraySlice<UInt8>? { trailerPlace.map { kept[$0] } }

    /// The highest object number, also among numbers that are only referred to.
    var lastObject: Int? {
        (try? JSONReader.parse(header))?["maxobjectid"]?.integer.flatMap { Int(exactly: $0) }
    }

    /// Whether two dumps have the same objects with the same text, and the same trailer.
    func hasSameObjects(as other: ObjectDump) -> Bool {
        places == other.places && trailerPlace == other.trailerPlace && kept == other.kept
    }

    /// Returns an object's text, `{"value": …}`; nil if it is missing.
    func source(_ id: ObjectID) -> ArraySlice<UInt8>? { places[id].map { kept[$0] } }

    /// The objects that are not streams, in the order of their numbers.
    var ids: [ObjectID] {
        places.keys.sorted { ($0.number, $0.generation) < ($1.number, $1.generation) }
    }

    /// Returns whether an object's text contains a name, given with its slash: cheaper than parsing each object.
    func mentions(_ name: String, in id: ObjectID) -> Bool {
        guard let place = places[id] else { return false }
        let name = Array("\(name)\"".utf8)
        return kept[place].withUnsafeBytes { bytes in
            guard var next = bytes.baseAddress else { return false }
            let end = next + bytes.count - name.count
            while next <= end, let found = memchr(next, Int32(name[0]), end - next + 1) {
                if memcmp(found, name, name.count) == 0 { return true }
                next = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }

    /// Returns an object as JSON, in which nothing is lost; nil if it is missing or nested too deeply.
    func json(_ id: ObjectID) -> JSON? {
        guard let source = source(id), limit.allows(source.count) else { return nil }
        return try? JSONReader.parse(Array(source))["value"]
    }

    /// Returns an object; null if it is missing or unreadable.
    func object(_ id: ObjectID) -> PDFObject { places[id].map(read) ?? .null }

    /// Follows references, at most eight; a longer chain is null.
    func resolve(_ object: PDFObject?) -> PDFObject {
        var object = object ?? .null
        for _ in 0..<8 {
            guard case .reference(let id) = object else { return object }
            object = self.object(id)
        }
        return .null
    }

    /// - Throws: ``PDFError/tooSlow(_:)`` if objects were left out because parsing took too long.
    func checkTime() throws(PDFError) {
        if limit.isOver { throw .tooSlow(limit.time) }
    }

    private func read(_ place: Range<Int>) -> PDFObject {
        guard limit.allows(place.count) else { return .null }
        var reader = PDFObjectReader(kept[place])
        guard case .dictionary(let entry) = reader.object() else { return .null }
        return entry["value"] ?? .null
    }
}

extension PDFTools {
    /// Returns the objects of a file, from qpdf.
    ///
    /// With page labels, qpdf makes each page a separate indirect object, and does so again when it applies an update.
    /// The key `pages` would do the same, but follows the outline, and a hostile outline takes gigabytes of memory.
    func dump(of file: String) async throws -> ObjectDump {
        if let dump = try await dump(of: file, Self.pageKeys)?.objects { return dump }
        let reason = try await reason(for: file)
        guard reason == .damaged, let rebuilt = try RebuiltFile(of: Self.argument(for: file), in: scratchFolder),
            var dump = try await dump(of: rebuilt.path, Self.pageKeys)?.objects
        else { throw reason }
        dump.rebuilt = rebuilt
        return dump
    }

    /// Returns the objects of a file that qpdf reads without changing any; nil for other files.
    ///
    /// qpdf repairs wrong cross-references, and gives a page that is not an object of its own, or that is listed twice, a
    /// number that the file lacks. Without repair, it takes an object at a wrong place for null. All of this it reports
    /// as a warning, like faults that change nothing.
    func dump(ofIntact file: String) async throws -> ObjectDump? {
        guard let (objects, hasWarnings) = try await dump(of: file, ["--suppress-recovery"] + Self.pageKeys) else {
            return nil
        }
        guard hasWarnings else { return objects }
        let repaired = try await dump(of: file, ["--json-key=qpdf"])?.objects
        return repaired?.hasSameObjects(as: objects) == true ? objects : nil
    }

    /// Returns the objects of a file, and whether qpdf had to look for them because its table of objects is wrong. Pages
    /// that are not objects of their own, which it also reports, are no damage.
    func dumpWithCondition(of file: String) async throws -> (ObjectDump, isDamaged: Bool) {
        let strict = try await dump(of: file, ["--suppress-recovery"] + Self.pageKeys)
        if let strict, !strict.hasWarnings { return (strict.objects, false) }
        let all = try await dump(of: file)
        if let strict { return (all, !all.hasSameObjects(as: strict.objects)) }
        // It has no pages that qpdf can list. That does not count here.
        guard let plain = try await dump(of: file, ["--suppress-recovery", "--json-key=qpdf"]) else {
            return (all, true)
        }
        guard plain.hasWarnings else { return (all, false) }
        let repaired = try await dump(of: file, ["--json-key=qpdf"])?.objects
        return (all, !(repaired?.hasSameObjects(as: plain.objects) ?? false))
    }

    private static let pageKeys = ["--json-key=pagelabels", "--json-key=qpdf"]

    private func dump(of file: String, _ options: [String]) async throws -> (objects: ObjectDump, hasWarnings: Bool)? {
        let path = try Self.argument(for: file)
        let outcome = try await run(
            .qpdf, ["--json=2", "--no-warn"] + options + [path], into: ObjectDump(time: limits.time))
        // 3 means complete output with warnings.
        guard outcome.exitCode == 0 || outcome.exitCode == 3 else { return nil }
        return (outcome.sink, outcome.exitCode == 3)
    }
}

/// The time for parsing a file's objects. A small file can make the reader parse an object a million times; once the
/// time is up, all objects read as missing.
private final class ReadingLimit: Sendable {
    let time: Duration
    /// Begins with the first object: until then, the process that reads the file has its own time limit.
    private let start = Mutex<ContinuousClock.Instant?>(nil)
    private let parsed = Atomic<Int>(0)
    private let over = Atomic<Bool>(false)
    /// The number of bytes parsed between two checks of the clock.
    private static let step = 1 << 16

    init(_ time: Duration) { self.time = time }

    var isOver: Bool { over.load(ordering: .relaxed) }

    func allows(_ bytes: Int) -> Bool {
        guard !isOver else { return false }
        let count = parsed.wrappingAdd(bytes, ordering: .relaxed)
        if count.oldValue == 0 || count.oldValue / Self.step != count.newValue / Self.step {
            let now = ContinuousClock.now
            let start = start.withLock { start in
                start = start ?? now
                return start ?? now
            }
            if now - start > time { over.store(true, ordering: .relaxed) }
        }
        return !isOver
    }
}

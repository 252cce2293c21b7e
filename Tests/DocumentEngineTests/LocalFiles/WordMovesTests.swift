import Annotations
import FileCore
import PDFPages
import TestSupport
import Testing

@testable import DocumentEngine

/// What becomes of a layer's marks when its file gets another text: the real comparison of words, in the real core.
@Suite("Finding marks by their words in the core") struct WordMovesTests {
    // MARK: Pages and marks

    /// Words of 20 points, 25 apart, in lines 20 apart.
    private static func page(_ lines: [String]) -> PageText {
        var words: [PageText.Word] = []
        for (line, text) in lines.enumerated() {
            for (place, word) in text.split(separator: " ").enumerated() {
                words.append(
                    .init(text: String(word), box: rect(place, line, words: 1), line: line, block: 0, flow: 0))
            }
        }
        return PageText(width: 600, height: 800, words: words)
    }

    private static func rect(_ place: Int, _ line: Int, words: Int) -> Rect {
        Rect(left: 50 + Double(place) * 25, top: 100 + Double(line) * 20, width: Double(words) * 25 - 5, height: 12)
    }

    private static func mark(
        _ id: String, _ rect: Rect, page: Int = 0, text: String = "", kind: String = "markup/highlight",
        name: String? = nil
    ) -> Record {
        var object = JSONObject()
        object["type"] = .string("pspdfkit/" + kind)
        object["pageIndex"] = .number(JSONNumber(Int64(page)))
        object["bbox"] = rect.json
        if kind.hasPrefix("markup") { object["rects"] = .array([rect.json]) }
        if !text.isEmpty { object[kind.hasPrefix("markup") ? "note" : "text"] = .string(text) }
        object["name"] = .string(name ?? id)
        return Record(id: id, content: Content(object))
    }

    private static let first = [
        "alpha beta gamma delta epsilon zeta", "eta theta iota kappa lambda my", "ny xi omikron pi rho sigma",
    ]
    /// The first line stands on the second page, the second one is gone.
    private static let second = [["preface of two lines", first[2]], [first[0]]]
    private static let other = [["nothing of all this stands here"]]

    private static func moves(_ old: [[String]], _ new: [[String]]) -> Reanchoring? {
        Reanchoring(from: old.map(page), to: new.map(page))
    }

    /// A file with these marks, by the numbers of their objects; their names are their ids in the layer.
    private static func bench(_ marks: [Record] = []) -> Bench { Bench(marks) }

    // MARK: Tests

    @Test func marksFollowTheirWordsAndThoseWithoutAnyStay() throws {
        let written = Self.mark("12", Self.rect(1, 0, words: 2), name: "the-long-name-of-what-is-written")
        var bench = Self.bench([written])
        bench.edit(Self.mark("new", Self.rect(2, 2, words: 3)))
        let gone = Self.mark("gone", Self.rect(0, 1, words: 6), text: "Why?")
        bench.edit(gone)
        bench.read([], .anew(Self.moves([Self.first], Self.second)))
        let layer = bench.layer
        let followed = try #require(layer["the-long-name-of-what-is-written"])
        #expect(Annotation(followed).rects == [Self.rect(1, 0, words: 2)] && followed.content["pageIndex"] == 1)
        #expect(layer["new"].map { Annotation($0).rects } == [Self.rect(2, 1, words: 3)])
        #expect(layer["gone"] == gone)
        // All are to be written now, and one is named.
        #expect(bench.core.state.unwritten == 3 && bench.core.state.conflicts.isEmpty)
        #expect(
            bench.core.state.lost.mapValues(\.words) == [
                ByteOrdered("gone"): ["eta", "theta", "iota", "kappa", "lambda", "my"]
            ])
        // The same words again change nothing.
        bench.read([], .anew(nil))
        #expect(bench.layer == layer && bench.core.state.lost.count == 1)
    }

    @Test func aLostMarkIsFoundWhenItsWordsComeBack() throws {
        var bench = Self.bench()
        bench.edit(Self.mark("gone", Self.rect(0, 1, words: 6)))
        bench.read([], .anew(Self.moves([Self.first], Self.second)))
        #expect(bench.core.state.lost.count == 1)
        // Other words are where it stands now; they are not its own.
        let third = [["preface"], [Self.first[2]], [Self.first[0], Self.first[1]]]
        bench.read([], .anew(Self.moves(Self.second, third)))
        #expect(bench.core.state.lost.isEmpty)
        #expect(bench.layer["gone"].map { Annotation($0).rects } == [Self.rect(0, 1, words: 6)])
        #expect(bench.layer["gone"]?.content["pageIndex"] == 2)
    }

    @Test func theFileDecidesWhereItsOwnMarksAre() {
        let name = "the-long-name-of-what-is-written"
        var bench = Self.bench([Self.mark("12", Self.rect(1, 0, words: 2), text: "old", name: name)])
        bench.edit(Self.mark(name, Self.rect(1, 0, words: 2), text: "new"))
        // Whoever made the new text took it along, to another place than the words would give.
        let theirs = Self.mark("40", Self.rect(0, 0, words: 3), page: 1, text: "old", name: name)
        bench.read([theirs], .anew(Self.moves([Self.first], Self.second)))
        let result = bench.layer[name]
        #expect(result.map { Annotation($0).rects } == [Self.rect(0, 0, words: 3)])
        #expect(result?.content["note"] == "new" && bench.core.state.conflicts.isEmpty && bench.core.state.lost.isEmpty)
    }

    @Test func linksBelongToTheText() {
        var bench = Self.bench([Self.mark("7", Self.rect(1, 0, words: 2), kind: "link")])
        #expect(bench.layer.count == 1)
        bench.read([], .anew(Self.moves([Self.first], Self.second)))
        #expect(bench.layer.isEmpty && bench.core.state.lost.isEmpty)
    }

    @Test func aDeletionStaysADeletion() {
        let name = "the-long-name-of-what-is-written"
        for isKept in [false, true] {
            var bench = Self.bench([Self.mark("12", Self.rect(1, 0, words: 2), name: name)])
            bench.delete(name)
            let theirs = Self.mark("40", Self.rect(1, 0, words: 2), page: 1, name: name)
            bench.read(isKept ? [theirs] : [], .anew(Self.moves([Self.first], Self.second)))
            #expect(bench.layer.isEmpty && bench.core.state.conflicts.isEmpty)
            // Where the file has it, it is still to be deleted there.
            #expect(bench.core.state.unwritten == (isKept ? 1 : 0))
        }
    }

    /// What the old file had goes with it, and what it did not have yet is kept without a place.
    @Test func inAnotherDocumentOnlyWhatWasNotWrittenIsKept() {
        let name = "the-long-name-of-what-is-written"
        var bench = Self.bench([Self.mark("12", Self.rect(1, 0, words: 2), name: name)])
        bench.edit(Self.mark("new", Self.rect(2, 2, words: 3)))
        bench.read(
            [Self.mark("50", Self.rect(3, 0, words: 1), text: "theirs", name: "another-long-name")],
            .anew(Self.moves([Self.first], Self.other)))
        #expect(Set(bench.layer.keys) == ["new", "another-long-name"])
        #expect(bench.core.state.unwritten == 1 && bench.core.state.lost.keys.map(\.text) == ["new"])
    }

    @Test func withoutWordsNobodyKnowsAndNothingIsDropped() {
        let marks = (0..<3).map { Self.mark("\($0 + 6)", Self.rect($0, $0, words: 2), name: "the-name-of-mark-\($0)") }
        var bench = Self.bench(marks)
        bench.read([], .anew(Reanchoring.unknown))
        #expect(bench.layer.count == 3 && bench.core.state.lost.isEmpty && bench.core.state.unwritten == 3)
    }

    // MARK: The core with a database, and files that are only records

    private struct Bench {
        typealias Core = LocalFileCore

        var core = Core(path: "/home/ana/paper.pdf", name: "one", policy: FileMatching())
        private var rows: [ByteOrdered: LocalFileState.Row] = [:]
        private var next: Core.Look = .same
        private var version: Int64 = 1

        init(_ marks: [Record]) {
            send(.started(nil, .runtime, alive: []))
            next = .read(FileReading(version: Self.version(1), records: marks))
            send(.opened(1, FileUser(pid: 1, start: 1), isPrivate: false))
        }

        private static func version(_ number: Int64) -> FileVersion {
            FileVersion(inode: 1, size: number, changed: number, sha256: "\(number)")
        }

        var layer: [String: Record] {
            Dictionary(uniqueKeysWithValues: rows.compactMap { row in row.value.local.map { (row.key.text, $0) } })
        }

        mutating func edit(_ record: Record) { push(record.id, record) }
        mutating func delete(_ id: Record.ID) { push(id, nil) }

        private mutating func push(_ id: Record.ID, _ record: Record?) {
            let synced = rows[ByteOrdered(id)].map { [ByteOrdered(id): $0] } ?? [:]
            var record = record
            // A window sends the whole content, with the members that only the file knows.
            if let known = synced[ByteOrdered(id)]?.local, let new = record {
                record?.content = known.content.changing { $0["note"] = new.content["note"] }
            }
            send(.pushed(2, [Core.Edit(id: id, record: record)], synced: synced))
        }

        /// Reads another version of the file.
        mutating func read(_ marks: [Record], _ origin: FileReading.Origin) {
            version += 1
            next = .read(
                FileReading(
                    version: Self.version(version), records: marks, origin: origin,
                    synced: rows.filter(\.value.isWritten)))
            send(.changedOnDisk)
        }

        private mutating func send(_ input: Core.Input) {
            var inputs = [input]
            while !inputs.isEmpty {
                for effect in core.handle(inputs.removeFirst(), now: Timestamp(seconds: 1)) {
                    switch effect {
                    case .look(let ticket, _):
                        inputs.append(.looked(ticket, next, beside: []))
                        next = .same
                    case .store(let ticket, let changes, _):
                        for case .row(let id, let row) in changes {
                            rows[id] = row == LocalFileState.Row() ? nil : row
                        }
                        inputs.append(.stored(ticket))
                    default: break
                    }
                }
            }
        }
    }
}

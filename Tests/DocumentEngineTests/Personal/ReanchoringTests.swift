import Annotations
import PDFPages
import TestSupport
import Testing

@testable import DocumentEngine

/// What becomes of a layer's marks when its file gets another text.
@Suite("Finding marks by their words") struct ReanchoringTests {
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
        _ id: String, _ rect: Rect, page: Int = 0, text: String = "", kind: String = "markup/highlight"
    ) -> Record {
        var object = JSONObject()
        object["type"] = .string("pspdfkit/" + kind)
        object["pageIndex"] = .number(JSONNumber(Int64(page)))
        object["bbox"] = rect.json
        if kind.hasPrefix("markup") { object["rects"] = .array([rect.json]) }
        if !text.isEmpty { object[kind.hasPrefix("markup") ? "note" : "text"] = .string(text) }
        object["name"] = .string("a long name of \(id)")
        return Record(id: id, content: Content(object))
    }

    private static let first = [
        "alpha beta gamma delta epsilon zeta", "eta theta iota kappa lambda my", "ny xi omikron pi rho sigma",
    ]
    /// The first line stands on the second page, the second one is gone.
    private static let second = [["preface of two lines", first[2]], [first[0]]]

    private static func reanchoring(_ old: [[String]], _ new: [[String]]) -> Reanchoring? {
        Reanchoring(from: old.map(page), to: new.map(page))
    }

    private static func state(_ rows: [OwnFileState.Row] = []) -> OwnFileState {
        var state = OwnFileState(
            document: "d", path: "/p.pdf", facts: FileFacts(inode: 1, size: 1, changed: 1, sha256: "00"))
        for row in rows { state.rows[ByteOrdered((row.base ?? row.mine)?.id ?? "")] = row }
        return state
    }

    /// The layer after a merge.
    private static func layer(_ merge: FileMerge, _ mine: [Record]) -> [String: Record] {
        var layer = Dictionary(uniqueKeysWithValues: mine.map { ($0.id, $0) })
        for record in merge.puts { layer[record.id] = record }
        for id in merge.removals { layer[id] = nil }
        return layer
    }

    private static func merge(
        base: [Record], mine: [Record], file: [Record], _ state: OwnFileState, _ reanchoring: Reanchoring?
    ) -> FileMerge {
        FileMerge(
            base: base, mine: mine, file: file, state: state, sharesIDs: false, pages: [], reanchoring: reanchoring)
    }

    private static func after(_ merge: FileMerge, _ state: OwnFileState) -> OwnFileState {
        var after = state
        after.rows = merge.rows
        after.conflicts = merge.conflicts
        after.lost = merge.lost
        return after
    }

    // MARK: Tests

    @Test func theSameWordsAreNoOtherText() {
        #expect(Self.reanchoring([Self.first], [Self.first]) == nil)
        #expect(Self.reanchoring([Self.first], Self.second) != nil)
    }

    @Test func marksFollowTheirWordsAndThoseWithoutAnyStay() throws {
        let written = Self.mark("12", Self.rect(1, 0, words: 2))
        let unwritten = Self.mark("new", Self.rect(2, 2, words: 3))
        let gone = Self.mark("gone", Self.rect(0, 1, words: 6), text: "Why?")
        let beside = Self.mark("note", Rect(left: 20, top: 100, width: 20, height: 20), text: "here", kind: "note")
        let state = Self.state([.init(base: nil, mine: unwritten), .init(base: nil, mine: gone)])
        let mine = [written, beside, unwritten, gone]
        let merge = Self.merge(
            base: [written, beside], mine: mine, file: [], state, Self.reanchoring([Self.first], Self.second))
        let layer = Self.layer(merge, mine)
        #expect(layer.count == 4)
        #expect(layer["12"].map { Annotation($0).rects } == [Self.rect(1, 0, words: 2)])
        #expect(layer["12"]?.content["pageIndex"] == 1 && layer["note"]?.content["pageIndex"] == 1)
        #expect(layer["new"].map { Annotation($0).rects } == [Self.rect(2, 1, words: 3)])
        #expect(layer["new"]?.content["pageIndex"] == 0)
        #expect(layer["gone"] == gone)
        // All four are to be written now, and one is named.
        let after = Self.after(merge, state)
        #expect(after.unwritten == 4 && merge.conflicts.isEmpty)
        #expect(after.lostMarks.map(\.record.id) == ["gone"])
        #expect(after.lostMarks.first?.words == ["eta", "theta", "iota", "kappa", "lambda", "my"])
        #expect(OwnFileState(json: after.json)?.lost == after.lost)

        // The same file again changes nothing.
        let again = Self.merge(base: [], mine: Array(layer.values), file: [], after, nil)
        #expect(again.isEmpty && again.lost == merge.lost)
    }

    @Test func aLostMarkIsFoundWhenItsWordsComeBack() throws {
        let gone = Self.mark("gone", Self.rect(0, 1, words: 6))
        var reply = Self.mark("reply", Self.rect(0, 1, words: 1), kind: "comment")
        reply.content = reply.content.changing { object in
            object["rootId"] = "gone"
            object["bbox"] = nil
        }
        let state = Self.state([.init(base: nil, mine: gone), .init(base: nil, mine: reply)])
        let merge = Self.merge(
            base: [], mine: [gone, reply], file: [], state, Self.reanchoring([Self.first], Self.second))
        let after = Self.after(merge, state)
        #expect(after.lostMarks.count == 1 && merge.puts.isEmpty)
        // Other words are where it stands now; they are not its own.
        let third = [["preface"], [Self.first[2]], [Self.first[0], Self.first[1]]]
        let found = Self.merge(
            base: [], mine: [gone, reply], file: [], after, Self.reanchoring(Self.second, third))
        #expect(found.lost.isEmpty)
        let layer = Self.layer(found, [gone, reply])
        #expect(layer["gone"].map { Annotation($0).rects } == [Self.rect(0, 1, words: 6)])
        #expect(layer["gone"]?.content["pageIndex"] == 2 && layer["reply"]?.content["pageIndex"] == 2)
    }

    @Test func whoGivesALostMarkAPlaceHasFoundIt() {
        let gone = Self.mark("gone", Self.rect(0, 1, words: 6))
        let state = Self.state([.init(base: nil, mine: gone)])
        let merge = Self.merge(base: [], mine: [gone], file: [], state, Self.reanchoring([Self.first], Self.second))
        var after = Self.after(merge, state)
        #expect(after.lostMarks.count == 1)
        after.rows[ByteOrdered("gone")]?.mine = Self.mark("gone", Self.rect(0, 0, words: 1), page: 1)
        #expect(after.lostMarks.isEmpty)
        after.rows[ByteOrdered("gone")]?.mine = nil
        #expect(after.lostMarks.isEmpty)
    }

    @Test func theFileDecidesWhereItsOwnMarksAre() {
        let base = Self.mark("12", Self.rect(1, 0, words: 2), text: "old")
        let mine = Self.mark("12", Self.rect(1, 0, words: 2), text: "new")
        // Whoever made the new text took it along, to another place than the words would give.
        let theirs = Self.record(base, named: "40", at: Self.rect(0, 0, words: 3), page: 1)
        let merge = Self.merge(
            base: [base], mine: [mine], file: [theirs], Self.state([.init(base: base, mine: mine)]),
            Self.reanchoring([Self.first], Self.second))
        let result = Self.layer(merge, [mine])["12"]
        #expect(result.map { Annotation($0).rects } == [Self.rect(0, 0, words: 3)])
        #expect(result?.content["note"] == "new" && merge.conflicts.isEmpty && merge.lost.isEmpty)
    }

    private static func record(_ record: Record, named id: String, at rect: Rect, page: Int) -> Record {
        var copy = mark(id, rect, page: page)
        copy.content = copy.content.changing { object in
            object["name"] = record.content["name"]
            object["note"] = record.content["note"]
        }
        return copy
    }

    @Test func aDeletionStaysADeletion() {
        let base = Self.mark("12", Self.rect(1, 0, words: 2))
        let state = Self.state([.init(base: base, mine: nil)])
        let reanchoring = Self.reanchoring([Self.first], Self.second)
        let dropped = Self.merge(base: [base], mine: [], file: [], state, reanchoring)
        #expect(dropped.isEmpty && dropped.rows.values.allSatisfy(\.isWritten))
        // Where the file has it, it is still to be deleted there.
        let theirs = Self.record(base, named: "40", at: Self.rect(1, 0, words: 2), page: 1)
        let kept = Self.merge(base: [base], mine: [], file: [theirs], state, reanchoring)
        #expect(kept.isEmpty && kept.conflicts.isEmpty && Self.after(kept, state).unwritten == 1)
    }

    @Test func linksBelongToTheText() {
        let link = Self.mark("7", Self.rect(1, 0, words: 2), kind: "link")
        let merge = Self.merge(
            base: [link], mine: [link], file: [], Self.state(), Self.reanchoring([Self.first], Self.second))
        #expect(merge.removals == ["7"] && merge.lost.isEmpty)
    }

    private static let other = [["nothing of all this stands here"]]

    private static func reply(_ id: String, to root: String) -> Record {
        var reply = mark(id, rect(0, 0, words: 1), kind: "comment")
        reply.content = reply.content.changing { object in
            object["rootId"] = .string(root)
            object["bbox"] = nil
        }
        return reply
    }

    struct Other: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The remark of the mark in the old file and in the layer; nil: it is not there.
        var base: String?
        var mine: String?
        /// Whether the two are in dispute.
        var isConflict = false
        /// The kind of a written reply to it, and whether there is an unwritten one.
        var hasReply = false
        var hasNewReply = false
        /// What the layer still has of the mark and its replies, nothing of which is in the new file.
        var kept: Set<String> = []
    }

    private static let others = [
        Other(testDescription: "written", base: "a", mine: "a"),
        Other(testDescription: "written, with its reply", base: "a", mine: "a", hasReply: true),
        Other(
            testDescription: "written, with a new reply", base: "a", mine: "a", hasReply: true, hasNewReply: true,
            kept: ["m", "new"]),
        Other(testDescription: "new", mine: "a", kept: ["m"]),
        Other(testDescription: "changed", base: "a", mine: "b", kept: ["m"]),
        Other(testDescription: "deleted", base: "a"),
        Other(testDescription: "in conflict", base: "a", mine: "b", isConflict: true, kept: ["m"]),
        Other(testDescription: "in conflict, deleted here", base: "a", mine: "a", isConflict: true, kept: ["m"]),
    ]

    /// What the old file had goes with it, and what it did not have yet is kept without a place.
    @Test(arguments: others) func inAnotherDocumentOnlyWhatWasNotWrittenIsKept(_ one: Other) {
        func mark(_ text: String?) -> Record? { text.map { Self.mark("m", Self.rect(0, 1, words: 2), text: $0) } }
        var state = Self.state()
        if one.base != one.mine || one.isConflict {
            state.rows[ByteOrdered("m")] = .init(base: mark(one.base), mine: mark(one.mine))
        }
        if one.isConflict {
            state.conflicts[ByteOrdered("m")] = .init(
                base: mark("before"), mine: one.base == one.mine ? nil : mark(one.mine), theirs: mark(one.base))
        }
        let old = one.hasReply ? [Self.reply("old", to: "m")] : []
        let new = one.hasNewReply ? [Self.reply("new", to: "m")] : []
        for record in new { state.rows[ByteOrdered(record.id)] = .init(base: nil, mine: record) }
        // The number of the old mark may be that of another one now.
        let theirs = Self.mark("50", Self.rect(3, 0, words: 1), text: "theirs")
        let mine = [mark(one.mine)].compactMap { $0 } + old + new
        let merge = Self.merge(
            base: [mark(one.base)].compactMap { $0 } + old, mine: mine, file: [theirs], state,
            Self.reanchoring([Self.first], Self.other))
        let layer = Self.layer(merge, mine)
        let theirID = layer.values.first { $0.content["note"] == "theirs" }?.id
        #expect(theirID != nil && theirID != "m")
        #expect(Set(layer.keys).subtracting([theirID ?? ""]) == one.kept)
        let after = Self.after(merge, state)
        #expect(after.unwritten == one.kept.count)
        #expect(after.mustBeKept == !one.kept.isEmpty)
        #expect(after.lostMarks.map(\.record.id) == (one.kept.contains("m") ? ["m"] : []))
        #expect(after.conflicts.count == (one.isConflict ? 1 : 0))
        // The same file again changes nothing.
        let again = FileMerge(
            base: after.rows.values.compactMap(\.base), mine: Array(layer.values), file: [theirs], state: after,
            sharesIDs: false, pages: [])
        #expect(again.isEmpty && again.lost == merge.lost)
    }

    @Test func withoutWordsNobodyKnowsAndNothingIsDropped() {
        let marks = (0..<3).map { Self.mark("m\($0)", Self.rect($0, $0, words: 2)) }
        let unknown = Self.merge(base: marks, mine: marks, file: [], Self.state(), .unknown)
        #expect(unknown.isEmpty && unknown.lost.isEmpty && Self.after(unknown, Self.state()).unwritten == 3)
    }

    @Test func anOpenConflictMovesToo() {
        let base = Self.mark("12", Self.rect(1, 0, words: 2), text: "old")
        let mine = Self.mark("12", Self.rect(1, 0, words: 2), text: "mine")
        let theirs = Self.mark("12", Self.rect(1, 0, words: 2), text: "theirs")
        var state = Self.state([.init(base: theirs, mine: mine)])
        state.conflicts[ByteOrdered("12")] = .init(base: base, mine: mine, theirs: theirs)
        let merge = Self.merge(
            base: [theirs], mine: [mine], file: [], state, Self.reanchoring([Self.first], Self.second))
        #expect(Self.layer(merge, [mine])["12"]?.content["pageIndex"] == 1)
        let conflict = merge.conflicts[ByteOrdered("12")]
        for version in [conflict?.base, conflict?.mine, conflict?.theirs] {
            #expect(version?.content["pageIndex"] == 1)
        }
        #expect(Self.after(merge, state).unwritten == 1)
    }
}

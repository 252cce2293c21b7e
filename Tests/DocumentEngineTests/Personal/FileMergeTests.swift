import Annotations
import Foundation
import TestSupport
import Testing

@testable import DocumentEngine

/// What becomes of a layer when another program has changed its file.
@Suite struct FileMergeTests {
    private static let facts = FileFacts(inode: 1, size: 1, changed: 1, sha256: "00")

    private static func note(_ id: String, _ text: String, name: String? = nil) -> Record {
        var object = JSONObject()
        object["type"] = "pspdfkit/note"
        object["pageIndex"] = .number(JSONNumber(Int64(0)))
        object["bbox"] = .array([10, 10, 32, 32].map { .number(JSONNumber(Int64($0))) })
        object["text"] = .string(text)
        object["name"] = .string(name ?? "a long name of \(id)")
        return Record(id: id, content: Content(object))
    }

    private static func state(_ rows: [String: (base: String?, mine: String?)]) -> OwnFileState {
        var state = OwnFileState(document: "d", path: "/p.pdf", facts: facts)
        for (id, row) in rows {
            state.rows[ByteOrdered(id)] = OwnFileState.Row(
                base: row.base.map { note(id, $0) }, mine: row.mine.map { note(id, $0) })
        }
        return state
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The texts of the one record; nil: it does not exist.
        var base: String?
        var mine: String?
        var theirs: String?
        /// What the layer gets; nil: deleted or never there.
        var result: String?
        var isConflict = false
        var unwritten = 0
    }

    static let cases = [
        Case(testDescription: "nobody", base: "a", mine: "a", theirs: "a", result: "a"),
        Case(testDescription: "only the layer", base: "a", mine: "b", theirs: "a", result: "b", unwritten: 1),
        Case(testDescription: "only the file", base: "a", mine: "a", theirs: "b", result: "b"),
        Case(testDescription: "both the same", base: "a", mine: "b", theirs: "b", result: "b"),
        Case(
            testDescription: "both, differently", base: "a", mine: "b", theirs: "c", result: "b", isConflict: true,
            unwritten: 1),
        Case(testDescription: "deleted in the layer", base: "a", mine: nil, theirs: "a", result: nil, unwritten: 1),
        Case(testDescription: "deleted in the file", base: "a", mine: "a", theirs: nil, result: nil),
        Case(testDescription: "deleted in both", base: "a", mine: nil, theirs: nil, result: nil),
        Case(
            testDescription: "changed in the layer, deleted in the file", base: "a", mine: "b", theirs: nil,
            result: "b",
            isConflict: true, unwritten: 1),
        Case(
            testDescription: "deleted in the layer, changed in the file", base: "a", mine: nil, theirs: "b",
            result: "b",
            isConflict: true, unwritten: 1),
        Case(testDescription: "new in the layer", base: nil, mine: "a", theirs: nil, result: "a", unwritten: 1),
        Case(testDescription: "new in the file", base: nil, mine: nil, theirs: "a", result: "a"),
        Case(
            testDescription: "other words", base: "one two three", mine: "ONE two three", theirs: "one two THREE",
            result: "ONE two THREE", unwritten: 1),
    ]

    @Test(arguments: cases) func aRecordIsMerged(_ one: Case) throws {
        func records(_ text: String?, id: String = "12") -> [Record] { text.map { [Self.note(id, $0)] } ?? [] }
        let state = Self.state(one.base != one.mine ? ["12": (one.base, one.mine)] : [:])
        let merge = FileMerge(
            base: records(one.base), mine: records(one.mine), file: records(one.theirs), state: state, sharesIDs: true,
            pages: [])
        var layer = Dictionary(uniqueKeysWithValues: records(one.mine).map { ($0.id, $0) })
        for record in merge.puts { layer[record.id] = record }
        for id in merge.removals { layer[id] = nil }
        #expect(layer.count == (one.result == nil ? 0 : 1))
        #expect(layer.values.first.map { Annotation($0).text } == one.result)
        #expect(merge.conflicts.count == (one.isConflict ? 1 : 0))
        var after = state
        after.rows = merge.rows
        after.conflicts = merge.conflicts
        #expect(after.unwritten == one.unwritten)
        // What the file has is never forgotten: merging the same file again changes nothing.
        let again = FileMerge(
            base: records(one.theirs), mine: Array(layer.values), file: records(one.theirs), state: after,
            sharesIDs: true, pages: [])
        #expect(again.puts.isEmpty && again.removals.isEmpty)
        #expect(again.conflicts.count == merge.conflicts.count)
    }

    @Test func aRecordIsFoundByItsNameUnderAnotherNumber() {
        let mine = [Self.note("01M89PRE1G5VCAMHBWFE5PM9AC", "mine", name: "01M89PRE1G5VCAMHBWFE5PM9AC")]
        let file = [Self.note("440", "theirs", name: "01M89PRE1G5VCAMHBWFE5PM9AC")]
        let merge = FileMerge(base: mine, mine: mine, file: file, state: Self.state([:]), sharesIDs: false, pages: [])
        #expect(merge.puts.map(\.id) == ["01M89PRE1G5VCAMHBWFE5PM9AC"])
        #expect(merge.puts.map { Annotation($0).text } == ["theirs"])
        #expect(merge.removals.isEmpty)
    }

    private static func colored(_ record: Record, _ color: String) -> Record {
        var record = record
        record.content = record.content.changing { $0["color"] = .string(color) }
        return record
    }

    /// The person has not decided yet: nothing that the file does on the side may end the conflict.
    @Test(arguments: [("mine", false), ("theirs", true), ("other", true)])
    func aConflictOutlivesAChangeOfSomethingElse(_ text: String, stays: Bool) throws {
        var state = Self.state(["12": ("theirs", "mine")])
        state.conflicts[ByteOrdered("12")] = .init(
            base: Self.note("12", "before"), mine: Self.note("12", "mine"), theirs: Self.note("12", "theirs"))
        let file = Self.colored(Self.note("12", text), "#00ff00")
        let merge = FileMerge(
            base: [Self.note("12", "theirs")], mine: [Self.note("12", "mine")], file: [file], state: state,
            sharesIDs: true, pages: [])
        let conflict = merge.conflicts[ByteOrdered("12")]
        #expect((conflict != nil) == stays)
        if stays {
            #expect(conflict?.theirs.map { Annotation($0).text } == text)
            #expect(conflict?.base.map { Annotation($0).text } == "before")
            #expect(conflict?.mine.map { Annotation($0).text } == "mine")
        }
    }

    /// Another program had the file open, and saves its copy without what was written meanwhile.
    @Test func whatACopyHasNeverSeenIsNotDeleted() {
        let long = "01M89PRE1G5VCAMHBWFE5PM9AC"
        let written = [Self.note("12", "after"), Self.note(long, "new", name: long)]
        var state = Self.state([:])
        state.rows[ByteOrdered("12")] = .init(base: written[0], mine: written[0])
        state.rows[ByteOrdered(long)] = .init(base: written[1], mine: written[1])
        state.rows[ByteOrdered("13")] = .init(base: nil, mine: nil)
        let ancestor = [Self.note("12", "before"), Self.note("13", "deleted"), Self.note("14", "kept")]
        let base = written + [Self.note("14", "kept")]
        let file = ancestor.map { $0.id == "14" ? Self.note("14", "theirs") : $0 } + [Self.note("15", "theirs too")]
        let merge = FileMerge(ancestor: ancestor, base: base, mine: base, file: file, state: state, pages: [])
        #expect(merge.removals.isEmpty && merge.conflicts.isEmpty)
        #expect(merge.puts.map { Annotation($0).text }.sorted() == ["theirs", "theirs too"])
        var after = state
        after.rows = merge.rows
        // The text, the new note and the deletion are to be written again.
        #expect(after.unwritten == 3)
        #expect(merge.rows[ByteOrdered("13")]?.base != nil && merge.rows[ByteOrdered("13")]?.mine == nil)
    }

    /// A program may give a new annotation the number of one that was deleted.
    @Test func aDeletionCountsAlsoIfItsNumberHadAnotherOwner() {
        let long = "01M89PRE1G5VCAMHBWFE5PM9AC"
        let later = Self.note(long, "later", name: "the later owner")
        var state = Self.state([:])
        state.rows[ByteOrdered("7")] = .init(base: nil, mine: nil)
        state.rows[ByteOrdered(long)] = .init(base: later, mine: later)
        let ancestor = [Self.note("6", "stays"), Self.note("7", "later", name: "the later owner")]
        let layer = [Self.note("6", "stays"), later]
        let merge = FileMerge(
            ancestor: ancestor, base: layer, mine: layer, file: [ancestor[0]], state: state, pages: [])
        #expect(merge.removals == [long])
        #expect(merge.puts.isEmpty && merge.conflicts.isEmpty)
    }

    @Test func aCopyThatChangesWhatWasChangedSinceIsInConflict() {
        var state = Self.state([:])
        state.rows[ByteOrdered("12")] = .init(base: Self.note("12", "mine"), mine: Self.note("12", "mine"))
        let merge = FileMerge(
            ancestor: [Self.note("12", "before")], base: [Self.note("12", "mine")], mine: [Self.note("12", "mine")],
            file: [Self.note("12", "theirs")], state: state, pages: [])
        let conflict = merge.conflicts[ByteOrdered("12")]
        #expect(conflict?.mine.map { Annotation($0).text } == "mine")
        #expect(conflict?.theirs.map { Annotation($0).text } == "theirs")
    }

    @Test func aStateSurvivesItsFile() throws {
        var state = Self.state(["1": ("a", "b"), "2": (nil, "new"), "3": ("gone", nil), "4": ("same", "same")])
        state.conflicts[ByteOrdered("1")] = .init(base: Self.note("1", "a"), mine: nil, theirs: Self.note("1", "c"))
        state.intent = .init(
            sha256: "11", keepsIDs: true, exchanged: "/x",
            rows: [ByteOrdered("2"): Self.note("2", "new"), ByteOrdered("3"): nil])
        state.revision = 7
        state.earlier.add(Self.facts)
        state.isPrivate = true
        let copy = try #require(OwnFileState(json: state.json))
        #expect(copy.rows == state.rows)
        #expect(copy.conflicts == state.conflicts)
        #expect(copy.intent == state.intent && copy.earlier == state.earlier)
        #expect(copy.facts == state.facts && copy.revision == 7 && copy.isPrivate && copy.unwritten == 3)
        for cut in 0..<state.json.count { #expect(OwnFileState(json: Array(state.json[..<cut])) == nil) }
    }

    @Test func whatWasWrittenIsNoLongerCounted() {
        var state = Self.state(["1": ("a", "b"), "2": (nil, "new"), "3": ("gone", nil)])
        #expect(state.unwritten == 3 && state.mustBeKept)
        state.wrote(
            .init(
                sha256: "11", keepsIDs: false, exchanged: "",
                rows: [ByteOrdered("1"): Self.note("1", "b"), ByteOrdered("3"): nil]),
            as: Self.facts)
        #expect(state.unwritten == 1 && !state.sharesIDs)
        // An edit that came while the file was written stays to be written.
        state.rows[ByteOrdered("2")]?.mine = Self.note("2", "newer")
        state.wrote(
            .init(sha256: "12", keepsIDs: true, exchanged: "", rows: [ByteOrdered("2"): Self.note("2", "new")]),
            as: Self.facts)
        #expect(state.unwritten == 1)
    }
}

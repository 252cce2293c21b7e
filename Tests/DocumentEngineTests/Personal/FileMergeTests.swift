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

    @Test func aStateSurvivesItsFile() throws {
        var state = Self.state(["1": ("a", "b"), "2": (nil, "new"), "3": ("gone", nil), "4": ("same", "same")])
        state.conflicts[ByteOrdered("1")] = .init(base: Self.note("1", "a"), mine: nil, theirs: Self.note("1", "c"))
        state.intent = .init(
            sha256: "11", keepsIDs: true, exchanged: "/x",
            rows: [ByteOrdered("2"): Self.note("2", "new"), ByteOrdered("3"): nil])
        state.revision = 7
        state.isPrivate = true
        let copy = try #require(OwnFileState(json: state.json))
        #expect(copy.rows == state.rows)
        #expect(copy.conflicts == state.conflicts)
        #expect(copy.intent == state.intent)
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

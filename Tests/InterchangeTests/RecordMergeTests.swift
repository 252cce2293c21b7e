import Annotations
import Interchange
import Merging
import PDFPages
import Testing

@Suite("Merging records")
struct RecordMergeTests {
    static func note(
        _ id: String, _ text: String, color: String = "#ffff00", left: Double = 10, name: String? = nil,
        author: String? = "ana", updated: String? = nil
    ) -> Record {
        var object = JSONObject()
        object["type"] = "pspdfkit/note"
        object["pageIndex"] = 0
        object["bbox"] = Rect(left: left, top: 20, width: 20, height: 20).json
        object["text"] = .string(text)
        object["color"] = .string(color)
        object["name"] = name.map(JSON.string)
        object["creatorName"] = author.map(JSON.string)
        object["updatedAt"] = updated.map(JSON.string)
        return Record(id: id, content: Content(object))
    }

    static func reply(_ id: String, to root: String, _ text: String, author: String? = "ben") -> Record {
        var object = JSONObject()
        object["type"] = "pspdfkit/comment"
        object["pageIndex"] = 0
        object["rootId"] = .string(root)
        object["text"] = .string(text)
        object["creatorName"] = author.map(JSON.string)
        return Record(id: id, content: Content(object))
    }

    private typealias Case = (base: Record?, mine: Record?, theirs: Record?, RecordMerge.Outcome, text: String?)

    @Test func outcomes() {
        let base = Self.note("1", "one two three four five")
        let cases: [Case] = [
            (nil, base, nil, .mine, "one two three four five"),
            (nil, nil, base, .theirs, "one two three four five"),
            (nil, base, base, .same, "one two three four five"),
            (base, base, base, .unchanged, "one two three four five"),
            (base, Self.note("1", "new"), base, .mine, "new"),
            (base, base, Self.note("1", "new"), .theirs, "new"),
            (base, Self.note("1", "new"), Self.note("1", "new"), .same, "new"),
            (base, nil, base, .mine, nil),
            (base, base, nil, .theirs, nil),
            (base, nil, nil, .same, nil),
            (base, nil, Self.note("1", "new"), .conflict, "new"),
            (base, Self.note("1", "new"), nil, .conflict, "new"),
            (
                base, Self.note("1", "ONE two three four five"), Self.note("1", "one two three four FIVE"), .merged,
                "ONE two three four FIVE"
            ),
            (
                base, Self.note("1", "one two 3 four five"), Self.note("1", "one two III four five"), .conflict,
                "one two 3 four five"
            ),
            (nil, Self.note("1", "a"), Self.note("1", "b"), .conflict, "a"),
        ]
        for (number, (base, mine, theirs, outcome, text)) in cases.enumerated() {
            let merge = RecordMerge(base: base, mine: mine, theirs: theirs)
            #expect(merge.outcome == outcome, "case \(number)")
            #expect(merge.result?.content["text"]?.string == text, "case \(number)")
            let swapped = RecordMerge(base: base, mine: theirs, theirs: mine)
            let other: RecordMerge.Outcome = outcome == .mine ? .theirs : outcome == .theirs ? .mine : outcome
            #expect(swapped.outcome == other, "case \(number), swapped")
        }
    }

    @Test func membersOfBothSidesAreTaken() {
        let base = Self.note("1", "text")
        let merge = RecordMerge(
            base: base, mine: Self.note("1", "text", color: "#ff0000", updated: "2026-01-01T10:00:00Z"),
            theirs: Self.note("1", "new text", left: 90, updated: "2026-01-01T09:00:00Z"))
        #expect(merge.outcome == .merged)
        let content = merge.result?.content
        #expect(content?["color"] == "#ff0000" && content?["text"] == "new text")
        #expect(content?["bbox"]?.array?.first == 90)
        #expect(content?["updatedAt"] == "2026-01-01T10:00:00Z")
    }

    @Test func aDisputedMemberIsNamedAndMineStays() {
        let base = Self.note("1", "text")
        let merge = RecordMerge(
            base: base, mine: Self.note("1", "text", color: "#ff0000", left: 40),
            theirs: Self.note("1", "text", color: "#0000ff", left: 90))
        #expect(merge.outcome == .conflict)
        #expect(merge.members.sorted() == ["color", "place"])
        #expect(merge.result?.content["color"] == "#ff0000")
        #expect(merge.result?.content["bbox"]?.array?.first == 40)
    }

    @Test func aStampAloneIsNoChange() {
        let base = Self.note("1", "text", updated: "2026-01-01T10:00:00Z")
        let stamped = Self.note("1", "text", updated: "2026-01-02T10:00:00Z")
        #expect(RecordMerge(base: base, mine: nil, theirs: stamped).outcome == .mine)
        #expect(RecordMerge(base: base, mine: stamped, theirs: stamped).outcome == .unchanged)
    }

    @Test(arguments: [
        ("a b c", "A b c", "a b C", "A b C"), ("a b c", "a b c", "", ""), ("", "x", "x", "x"),
        ("a b c", "a x c", "a y c", nil), ("a b", "a b c", "a b d", nil), ("one  two", "one  2", "1  two", nil),
        ("a b c d", "b c d", "a b c d e", "b c d e"), ("a\nb\nc", "a\nB\nc", "a\nb\nc\nd", "a\nB\nc\nd"),
    ])
    func words(base: String, mine: String, theirs: String, merged: String?) {
        #expect(WordMerge.merged(base: base, mine: mine, theirs: theirs) == merged)
        #expect(WordMerge.merged(base: base, mine: theirs, theirs: mine) == merged)
    }

    @Test func aDeletedRootStaysUnderANewReply() {
        let root = Self.note("1", "root")
        let merge = ThreeWayMerge(base: [root], mine: [], theirs: [root, Self.reply("2", to: "1", "but")])
        #expect(merge.records.map(\.id) == ["1", "2"])
        #expect(merge.conflicts.map(\.id) == ["1"])
        // With its unchanged replies it goes.
        let thread = [root, Self.reply("2", to: "1", "old")]
        #expect(ThreeWayMerge(base: thread, mine: [], theirs: thread).records.isEmpty)
    }

    @Test func whatALossyCopyLacksIsNotDeleted() {
        let (one, two) = (Self.note("1", "one"), Self.note("2", "two"))
        let merge = ThreeWayMerge(base: [one, two], mine: [one, two], theirs: [one], knowsDeletions: false)
        #expect(merge.records.map(\.id) == ["1", "2"])
        #expect(merge.items.allSatisfy { $0.outcome == .unchanged })
    }
}

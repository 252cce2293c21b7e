import Annotations
import FileCore
import Testing

@testable import DocumentEngine

@Suite("Annotations of a file among known records") struct FileMatchingTests {
    private func mark(
        _ id: String, left: Double = 50, name: String? = nil, page: Int = 0, answering target: String? = nil
    ) -> Record {
        var object = JSONObject()
        object["type"] = "pspdfkit/markup/highlight"
        object["pageIndex"] = .number(JSONNumber(Int64(page)))
        object["bbox"] = Rect(left: left, top: 100, width: 40, height: 12).json
        object["rects"] = .array([Rect(left: left, top: 100, width: 40, height: 12).json])
        object["name"] = name.map { .string($0) }
        if let target {
            var aside = JSONObject()
            (aside["inReplyTo"], aside["replyType"]) = (.string(target), "group")
            object["postilla"] = .object(aside)
        }
        return Record(id: id, content: Content(object))
    }

    private func value(_ id: String, _ field: String, _ value: String) -> Record {
        var object = JSONObject()
        object["type"] = .string(Content.formFieldValueType)
        (object["name"], object["value"]) = (.string(field), .string(value))
        return Record(id: id, content: Content(object))
    }

    private func partners(
        _ file: [Record], _ known: [Record], sharesIDs: Bool = false, isMoved: Bool = false
    ) -> [String: Record] {
        let found = FileMatching().partners(of: file, in: known, sharesIDs: sharesIDs, isMoved: isMoved)
        return Dictionary(uniqueKeysWithValues: found.map { ($0.key.text, $0.value) })
    }

    @Test func aPartnerHasTheKnownIDAndWhatTheFileChanged() throws {
        var known = mark("known", name: "a name that is long enough")
        known.createdBy = "ana"
        var changed = mark("12", left: 300, name: "a name that is long enough")
        changed.content = changed.content.changing { $0["note"] = "new" }
        let partner = try #require(partners([changed, mark("13", left: 500)], [known])["12"])
        #expect(partner.id == "known" && partner.createdBy == "ana" && partner.content["note"] == "new")
        #expect(Annotation(partner).rects.first?.left == 300)
        #expect(partners([mark("13", left: 500)], [known]).isEmpty)
    }

    /// What a record answers is known by the ids of the layer, whatever the file calls it.
    @Test func targetsAreThoseThatAreKnown() {
        let name = "the long name of the second"
        let known = [
            mark("one", name: "the long name of the first"), mark("two", left: 200, name: name, answering: "one"),
        ]
        let file = [mark("5", name: "the long name of the first"), mark("6", left: 200, name: name, answering: "5")]
        #expect(partners(file, known)["6"] == known[1])
        // No id of RecordMatching's own comes up.
        #expect(
            partners([mark("7", left: 400), mark("6", left: 200, name: name, answering: "7")], known)["6"] == known[1])
    }

    /// The number is that of another annotation if their names differ, and something else agrees with none of them.
    @Test func numbersCountOnlyInAContinuation() {
        let known = mark("12")
        let file = mark("12", left: 300)
        #expect(partners([file], [known]).isEmpty)
        #expect(partners([file], [known], sharesIDs: true)["12"]?.id == "12")
    }

    /// Programs that write a file anew round numbers.
    @Test func aMarkThatWasFoundByItsWordsKeepsItsPlace() {
        let known = mark("known", left: 50.4, name: "a name that is long enough")
        let file = mark("12", left: 50, name: "a name that is long enough")
        #expect(partners([file], [known], isMoved: true)["12"] == known)
        let far = mark("12", left: 90, name: "a name that is long enough")
        #expect(partners([far], [known], isMoved: true)["12"].flatMap { Annotation($0).rects.first?.left } == 90)
    }

    @Test func valuesAreKnownByTheNamesOfTheirFields() {
        let known = [value("a", "year", "1"), value("b", "year", "1"), value("c", "name", "x")]
        let file = [value("7:value", "year", "2"), value("9:value", "year", "3"), value("8:value", "other", "y")]
        let found = partners(file, known)
        #expect(found.mapValues(\.id) == ["7:value": "a", "9:value": "b"])
        #expect(found["9:value"]?.content["value"] == "3")
    }
}

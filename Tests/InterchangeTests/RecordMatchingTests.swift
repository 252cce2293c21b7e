import Annotations
import Interchange
import PDFPages
import Testing

@Suite("Finding records again")
struct RecordMatchingTests {
    private static let pages = [PageFrame(width: 600, height: 800)]
    private static let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

    private func match(
        _ copy: [Record], _ known: [Record], from source: DocumentReading.Source = .pdf, shares: Bool = false,
        aligned: Bool = false
    ) -> RecordMatching {
        RecordMatching(
            of: DocumentReading(copy, from: source, sharesIDs: shares, isAligned: aligned),
            in: DocumentReading(known, from: .pdf), pages: Self.pages)
    }

    private func note(
        _ id: String, _ text: String, left: Double = 10, name: String? = nil, author: String? = "ana"
    ) -> Record { RecordMergeTests.note(id, text, left: left, name: name, author: author) }

    @Test func aNameFindsARecordThatChanged() {
        let known = note("5", "old", name: Self.uuid)
        let found = match([note("9", "new", left: 300, name: Self.uuid)], [known])
        #expect(found.partners[ByteOrdered("9")] == "5")
        #expect(found.records.map(\.id) == ["5"])
        #expect(found.records[0].content["text"] == "new")
    }

    /// A record that was restored under a new id has the name of the deleted one, which is still in the file.
    @Test func recordsOfOneNameAreToldApartByWhatTheySay() {
        let (old, restored) = (note("6", "theirs", name: Self.uuid), note("01ARZ3", "mine", name: Self.uuid))
        var red = restored
        red.id = "7"
        red.content = red.content.changing { $0["color"] = "#ff0000" }
        let file = [note("4", "theirs", name: Self.uuid), note("9", "mine", name: Self.uuid)]
        for known in [[old, restored], [restored, old]] {
            #expect(match(file, known).partners == [ByteOrdered("4"): "6", ByteOrdered("9"): "01ARZ3"])
            #expect(match(file.reversed(), known).partners == [ByteOrdered("4"): "6", ByteOrdered("9"): "01ARZ3"])
        }
        // Of those that say the same, the one that is the same.
        #expect(match([file[1]], [red, restored]).partners == [ByteOrdered("9"): "01ARZ3"])
        // The other one is new in the file, wherever it is.
        #expect(match(file, [restored]).partners == [ByteOrdered("9"): "01ARZ3"])
        #expect(match(file, [old]).partners == [ByteOrdered("4"): "6"])
    }

    @Test func aShortNameCountsOnlyWithMore() {
        let known = note("5", "old", name: "fitz-A0")
        #expect(match([note("9", "new", name: "fitz-A0")], [known]).partners[ByteOrdered("9")] == "5")
        let other = match([note("9", "new", left: 300, name: "fitz-A0")], [known])
        #expect(other.partners.isEmpty)
        #expect(other.newIDs == [ByteOrdered(other.records[0].id)])
        #expect(match([note("9", "new", name: "fitz-A0", author: "ben")], [known]).partners.isEmpty)
    }

    @Test func aNumberCountsInACopyThatContinuesTheFile() {
        let known = note("5", "old")
        #expect(match([note("5", "new", left: 300)], [known], shares: true).partners[ByteOrdered("5")] == "5")
        #expect(match([note("5", "new", left: 300)], [known]).partners.isEmpty)
        // The number of a deleted object, given to another annotation.
        let named = note("5", "old", name: "fitz-A0")
        #expect(match([note("5", "new", left: 300, name: "fitz-A1")], [named], shares: true).partners.isEmpty)
    }

    /// Two programs that have had the same version open number what they add alike.
    @Test func aNumberIsNotProofAgainstNames() {
        var known = note("the-first-of-two", "old", name: "the-first-of-two")
        known.content = known.content.changing { $0["pdfObjectId"] = 11 }
        let same = note("11", "new", left: 300, name: "the-first-of-two")
        #expect(match([same], [known], shares: true).partners[ByteOrdered("11")] == "the-first-of-two")
        let nameless = note("11", "new", left: 300)
        #expect(match([nameless], [known], shares: true).partners[ByteOrdered("11")] == "the-first-of-two")
        let other = note("11", "new", name: "the-second-of-two")
        #expect(match([other], [known], shares: true).partners.isEmpty)
    }

    @Test(arguments: [(0.9, true), (1.5, false)])
    func equalRecordsMayBeAPointApart(distance: Double, isFound: Bool) {
        let found = match([note("9", "same", left: 10 + distance)], [note("5", "same")])
        #expect((found.partners[ByteOrdered("9")] == "5") == isFound)
    }

    @Test func theNearestOfEqualRecordsIsFound() {
        let known = [note("5", "", left: 10), note("6", "", left: 10.5)]
        let found = match([note("9", "", left: 10.5), note("8", "", left: 10)], known)
        #expect(found.partners[ByteOrdered("9")] == "6" && found.partners[ByteOrdered("8")] == "5")
    }

    @Test func anotherAuthorTextOrKindIsAnotherRecord() {
        let known = [note("5", "same")]
        #expect(match([note("9", "same", author: "ben")], known).partners.isEmpty)
        #expect(match([note("9", "other")], known).partners.isEmpty)
        let mark = Record(
            id: "9", content: known[0].content.changing { $0["type"] = "pspdfkit/shape/rectangle" })
        #expect(match([mark], known).partners.isEmpty)
    }

    @Test func aReplyFollowsItsRoot() {
        let known = [note("5", "root"), note("6", "root", left: 300), RecordMergeTests.reply("7", to: "6", "yes")]
        let copy = [
            RecordMergeTests.reply("90", to: "96", "yes"), RecordMergeTests.reply("91", to: "95", "yes"),
            note("95", "root"), note("96", "root", left: 300),
        ]
        let found = match(copy, known)
        #expect(found.partners[ByteOrdered("90")] == "7")
        #expect(found.partners[ByteOrdered("91")] == nil)
        #expect(found.records[1].content["rootId"] == "5")
    }

    @Test func newRecordsHaveEqualIDsInEachRun() {
        let copy = [note("1", "a"), note("2", "a"), note("3", "b", name: Self.uuid)]
        let ids = match(copy, []).records.map(\.id)
        #expect(Set(ids).count == 3 && ids[2] == Self.uuid)
        #expect(match(copy, []).records.map(\.id) == ids)
        // A number is never an id: in the document it may belong to another annotation.
        #expect(!ids.contains("1"))
    }

    @Test func aRoundedPlaceIsNoChange() {
        let known = note("5", "same", left: 10.0004, name: Self.uuid)
        let found = match([note("9", "same", left: 10, name: Self.uuid)], [known])
        #expect(found.records == [known])
    }

    @Test func namesOfAFileAreIDs() {
        let known = note("5", "old", name: Self.uuid)
        let item = Record(id: Self.uuid, content: note("", "new").content)
        let found = match([item], [known], from: .records)
        #expect(found.records.map(\.id) == ["5"])
    }
}

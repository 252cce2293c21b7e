import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

@Suite struct GrantTests {
    /// A hostile server may report a time at either extreme.
    @Test(arguments: [Int64.min, -1, 0, .max])
    func anyClockOfTheServerIsTaken(_ milliseconds: Int64) throws {
        let it = try LayerFixture()
        let clock = Timestamp(milliseconds: milliseconds)
        _ = try it.accept(it.grant(), clock: clock)
        #expect(try it.layer.metadata().clockOffset == clock - it.now)
    }

    @Test func aGrantWithoutWriteParksWhatWaitsAndANewOneLetsItGo() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("mine"), at: it.now)
        try it.accept(it.grant(general: [.readDocument]))
        #expect(try it.delivery("1") == .parked)
        #expect(try it.text("1") == "mine")
        #expect(try it.layer.seal() == nil)
        try it.accept(it.grant())
        #expect(try it.delivery("1") == .unsent)
        #expect(try it.layer.seal()?.changes.count == 1)
    }

    @Test func whatWasSealedIsKeptForATokenThatMayWrite() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("mine"), at: it.now)
        let request = try it.layer.seal()
        try it.accept(it.grant(general: [.readDocument]))
        #expect(try it.layer.seal() == nil)
        #expect(try it.delivery("1") == .parked)
        try it.accept(it.grant())
        #expect(try it.layer.seal()?.changes == request?.changes)
    }

    @Test func aNarrowerViewTakesItsRowsAway() throws {
        let it = try LayerFixture(records: [stored("1", "one", 0, group: "a"), stored("2", "two", 0, group: "b")])
        try it.accept(it.grant(collaboration: [Permission(.annotations, .view, .group("a"))]))
        #expect(try it.text("1") == "one")
        #expect(try it.text("2") == nil)
        #expect(try it.layer.count(ListQuery()) == 1)
    }

    @Test func anAnswerForAnotherLayerOrUserIsNotTaken() throws {
        let it = try LayerFixture()
        #expect(throws: InvalidServerData.self) { try it.accept(it.grant(user: "bo")) }
        #expect(try it.layer.metadata().grant?.userID == "ana")
    }

    /// The version before and after, whether the file and the epoch differ, and what the layer says.
    @Test(
        arguments: [
            ("1", "1", false, false, false), ("1", "1", true, true, false), ("1", "2", false, true, true),
            ("1", "2", true, true, true), (nil, "1", false, false, false), (nil, "1", true, false, false),
            (nil, "1", true, true, true), ("1", nil, true, false, true), (nil, nil, true, false, true),
            (nil, nil, false, true, false),
        ] as [(String?, String?, Bool, Bool, Bool)])
    func onlyAnotherVersionIsAReplacedPDF(
        _ before: String?, _ after: String?, otherFile: Bool, otherEpoch: Bool, isReplaced: Bool
    ) throws {
        let it = try LayerFixture()
        try it.accept(it.grant(), version: before)
        try it.layer.update("1", content: note("mine"), at: it.now)
        let accepted = try it.accept(
            it.grant(), epoch: otherEpoch ? "other" : nil, version: after, pdf: otherFile ? "another" : "pdf")
        #expect(accepted.pdfReplaced == isReplaced)
        #expect(accepted.otherPDF == (otherFile && !isReplaced ? "pdf" : nil))
        #expect(try it.layer.conflicts().count == (isReplaced ? 1 : 0))
        let metadata = try it.layer.metadata()
        #expect(metadata.documentVersion == after && metadata.pdfSHA256 == (otherFile ? "another" : "pdf"))
        #expect(try LayerMetadata(json: metadata.json) == metadata)
    }

    @Test func anotherPDFMakesWaitingEditsConflicts() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("mine"), at: it.now)
        let accepted = try it.accept(it.grant(), pdf: "another")
        #expect(accepted.pdfReplaced)
        #expect(try it.layer.conflicts().count == 1)
        #expect(try it.layer.seal() == nil)
    }

    /// The server would refuse it again and again.
    @Test func aTokenWithoutWriteUsesUpNoNumber() throws {
        let it = try LayerFixture()
        try it.layer.create(note("new"), id: "n", author: nil, at: it.now)
        _ = try it.layer.seal()
        #expect(try it.layer.filler(of: 1, clientID: "me") != nil)
        try it.accept(it.grant(general: [.readDocument]))
        #expect(try it.layer.filler(of: 1, clientID: "me") == nil)
    }
}

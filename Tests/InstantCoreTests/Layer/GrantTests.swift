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

    @Test func anotherPDFMakesWaitingEditsConflicts() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("mine"), at: it.now)
        let accepted = try it.accept(it.grant(), pdf: "another")
        #expect(accepted.pdfReplaced)
        #expect(try it.layer.conflicts().count == 1)
        #expect(try it.layer.seal() == nil)
    }
}

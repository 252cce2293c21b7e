import Testing

@testable import Crash

/// Tests the judge of the crash cycles: one that never reports a failure proves nothing.
@Suite struct LedgerTests {
    private var ledger = Ledger()

    init() {
        for report in [
            .tried(.create(text: "one")), .kept(id: "1", text: "one"), .tried(.create(text: "two")),
            .kept(id: "2", text: "two"), .tried(.delete(id: "2")), .gone(id: "2"),
        ] as [Report] { ledger.take(report) }
    }

    @Test func whatWasPromisedIsInOrder() {
        var ledger = ledger
        #expect(ledger.settle(["1": "one"]) == [])
        #expect(ledger.count == 3)
    }

    @Test(
        arguments: [
            ([:], "1 (one) is lost"), (["1": "older"], "1 has older instead of one"),
            (["1": "one", "2": "two"], "2 (two) is back after its delete"),
            (["1": "one", "3": "one"], "3 (one) was never created, or exists twice"),
        ] as [([String: String], String)])
    func breachesAreNamed(records: [String: String], problem: String) {
        var ledger = ledger
        #expect(ledger.settle(records) == [problem])
    }

    @Test func whatWasUnderWayMayBeThereOrNot() {
        var ledger = ledger
        ledger.take(.tried(.update(id: "1", text: "new")))
        ledger.take(.tried(.create(text: "three")))
        for records in [["1": "one"], ["1": "new"], ["1": "one", "3": "three"], ["1": "new", "3": "three"]] {
            var ledger = ledger
            #expect(ledger.settle(records) == [], "\(records)")
        }
        var doubled = ledger
        #expect(doubled.settle(["1": "one", "3": "three", "4": "three"]).count == 1)
    }

    @Test func afterwardsItIsCertain() {
        var ledger = ledger
        ledger.take(.tried(.delete(id: "1")))
        #expect(ledger.settle([:]) == [])
        #expect(ledger.settle(["1": "one"]) == ["1 (one) is back after its delete"])
    }

    @Test(
        arguments: [
            .tried(.create(text: "a")), .tried(.update(id: "1", text: "a")), .tried(.delete(id: "1")),
            .kept(id: "1", text: "a"), .gone(id: "1"), .needsToken, .settled(revision: 7), .row(id: "1", text: "a"),
            .shown(conflicts: 1, refused: 2), .trouble("two words"),
        ] as [Report])
    func linesAreRead(report: Report) { #expect(Report(line: report.line) == report) }

    @Test(arguments: [.token("a.b.c"), .edit, .settle, .show(revision: 7)] as [Order])
    func ordersAreRead(order: Order) { #expect(Order(line: order.line) == order) }
}

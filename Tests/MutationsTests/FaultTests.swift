import TestSupport
import Testing

@testable import mutations

/// `make mutations` plants them; here only that each still has its place in the code.
@Suite("Faults to plant") struct FaultTests {
    @Test(arguments: Fault.all)
    func standsWhereItSays(fault: Fault) throws {
        let text = try Repository.text("Sources/" + fault.file)
        #expect(try fault.plant(in: text, condition: "(planted == 1)") != text)
    }

    @Test func eachHasANameOfItsOwn() {
        #expect(Set(Fault.all.map(\.name)).count == Fault.all.count)
    }
}

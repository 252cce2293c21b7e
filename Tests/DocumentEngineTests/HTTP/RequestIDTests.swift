import EngineCore
import Testing

@testable import DocumentEngine

@Suite struct RequestIDTests {
    @Test func namesOfOurOwnDiffer() {
        let names = (0..<1000).map { _ in RequestID(nil).description }
        #expect(Set(names).count == 1000)
        #expect(names.allSatisfy { $0.utf8.count == 16 && UInt64($0, radix: 16) != nil })
        #expect(RequestID("a proxy's\n").description != RequestID("a proxy's\n").description)
    }

    @Test(
        arguments: [
            (0, "0000000000000000"), (0xF, "000000000000000f"), (UInt64.max, "ffffffffffffffff"),
            (0x0123_4567_89AB_CDEF, "0123456789abcdef"),
        ] as [(UInt64, String)])
    func aNumberHasSixteenDigits(_ number: UInt64, _ text: String) { #expect(Fingerprint.hex(number) == text) }
}

import Testing

@testable import Annotations

struct SaturatingTests {
    @Test(
        arguments: [
            (0, 0), (-0.9, 0), (1.9, 1), (-1.9, -1), (1e300, .max), (-1e300, .min), (.infinity, .max),
            (-.infinity, .min),
            (.nan, 0), (.signalingNaN, 0), (9.3e18, .max), (.leastNonzeroMagnitude, 0),
        ] as [(Double, Int)])
    func wholeNumbers(value: Double, wanted: Int) {
        #expect(Int(saturating: value) == wanted)
        #expect(Int64(saturating: value) == Int64(wanted))
    }

    @Test func smallTypesHaveSmallLimits() {
        #expect(UInt8(saturating: 256) == 255 && UInt8(saturating: -1) == 0 && UInt8(saturating: 254.5) == 254)
    }
}

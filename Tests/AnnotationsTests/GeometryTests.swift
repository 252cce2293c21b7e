import Annotations
import TestSupport
import Testing

@Suite("Boxes and points")
struct GeometryTests {
    private let box = Rect(left: 10, top: 20, width: 30, height: 40)

    @Test func edges() {
        #expect(box.right == 40)
        #expect(box.bottom == 60)
        #expect(box.middle == Point(x: 25, y: 40))
        #expect(box.contains(Point(x: 10, y: 20)))
        #expect(!box.contains(Point(x: 40, y: 20)), "the right edge belongs to the next box")
    }

    @Test(
        arguments: [
            (Rect(left: 40, top: 20, width: 5, height: 5), 0.0),
            (Rect(left: 30, top: 50, width: 100, height: 100), 100),
            (Rect(left: 15, top: 25, width: 2, height: 3), 6), (Rect(left: 0, top: 0, width: 5, height: 5), 0),
        ] as [(Rect, Double)])
    func overlap(other: Rect, area: Double) {
        #expect(box.overlap(other) == area)
        #expect(other.overlap(box) == area)
    }

    @Test func unionHoldsBoth() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let one = Self.rect(&random)
            let other = Self.rect(&random)
            let both = one.union(other)
            for rect in [one, other] {
                #expect(both.left <= rect.left && both.top <= rect.top)
                #expect(both.right >= rect.right && both.bottom >= rect.bottom)
            }
            #expect(both == other.union(one))
            #expect(Rect(json: one.json) == one)
        }
    }

    @Test("Written to a thousandth of a point")
    func json() {
        #expect(Rect(left: 0.12345, top: 1, width: 2.5, height: 100).json.text == "[0.123,1,2.5,100]")
        #expect(Point(x: -0.0001, y: 7.9999).json.text == "[0,8]")
        #expect(Point(json: [1]) == nil)
        #expect(Point(json: [1, "2"]) == nil)
        #expect(Point(json: [1, 2, 3]) == nil)
    }

    /// Creates boxes on whole points, so that sums are exact.
    private static func rect(_ random: inout SeededRandom) -> Rect {
        func side() -> Double { Double(Int.random(in: 0...1000, using: &random)) }
        return Rect(left: side(), top: side(), width: side(), height: side())
    }
}

import Annotations
import TestSupport
import Testing

@testable import Instant

struct StoredBoxesTests {
    @Test func numbersComeBackAsTheyWere() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            func number() -> Double {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: Double(Int.random(in: -2_000...2_000, using: &random))
                case 1: (Double.random(in: -2_000...2_000, using: &random) * 1_000).rounded() / 1_000
                case 2: Double.random(in: -2_000...2_000, using: &random)
                case 3: Double.random(in: -1e-12...1e-12, using: &random)
                case 4: Double.random(in: -1e30...1e30, using: &random)
                default: Double(Int64.random(in: -1_000_000_000_000_000...1_000_000_000_000_000, using: &random)) / 8
                }
            }
            func rect() -> Rect { Rect(left: number(), top: number(), width: abs(number()), height: number()) }
            let box = Bool.random(using: &random) ? rect() : nil
            let rects = (0..<Int.random(in: 0..<4, using: &random)).map { _ in rect() }
            let found = StoredBoxes.boxes(in: StoredBoxes.text(box: box, rects: rects).utf8)
            #expect(found.box == box && found.rects == rects)
        }
    }

    @Test(arguments: [
        "", " ", "1", "1 2 3", "a b c d", "- . .5 -.5 1.2.3 --1 +1 1e3 inf nan 0x10 1.", "1  2 3 4", "1 2 3 4 5 6 7",
        "0.1 0.30000000000000004 1234567890123456 123456789012345.6", "-0.0 -1 1 1 é 2 2 2 2",
    ])
    func everyTextIsReadAsTheStandardLibraryReadsIt(text: String) {
        let numbers = text.split(separator: " ").compactMap { Double($0) }.filter { !$0.isNaN }
        var rects = stride(from: 0, to: numbers.count - 3, by: 4).map {
            Rect(left: numbers[$0], top: numbers[$0 + 1], width: numbers[$0 + 2], height: numbers[$0 + 3])
        }
        let box = rects.isEmpty ? nil : rects.removeFirst()
        let found = StoredBoxes.boxes(in: text.replacing("nan", with: "").utf8)
        #expect(found.box == box.flatMap { $0.width < 0 ? nil : $0 })
        #expect(found.rects == rects)
    }
}

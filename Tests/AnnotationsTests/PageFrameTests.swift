import Annotations
import Testing

@Suite("Positions on a page, in the file and as displayed")
struct PageFrameTests {
    static let frames = (0..<4).map { PageFrame(left: 20, bottom: -30, width: 400, height: 600, turns: $0) }

    @Test(arguments: frames)
    func thereAndBack(_ frame: PageFrame) {
        for (x, y) in [(20.0, -30.0), (420, 570), (57, 311.5)] {
            #expect(frame.place(frame.point(x, y)) == [x, y])
        }
        let box = Rect(left: 10, top: 20, width: 30, height: 50)
        #expect(frame.box(around: frame.corners(of: box)) == box)
        #expect(frame.box(around: frame.quad(of: box)) == box)
    }

    /// The page's lower left corner, and its displayed position on a page rotated clockwise.
    @Test(arguments: zip(0..<4, [Point(x: 0, y: 600), Point(x: 0, y: 0), Point(x: 400, y: 0), Point(x: 600, y: 400)]))
    func aTurnedPage(turns: Int, corner: Point) {
        let frame = Self.frames[turns]
        #expect(frame.point(20, -30) == corner)
        #expect((frame.displayedWidth, frame.displayedHeight) == (turns % 2 == 0 ? (400, 600) : (600, 400)))
    }

    /// One unit of the file is `UserUnit` points.
    @Test(arguments: 0..<4) func aScaledPage(turns: Int) {
        let frame = PageFrame(
            mediaBox: [0, 0, 600, 800], cropBox: [50, 60, 550, 760], rotation: Double(turns * 90), userUnit: 2)
        #expect((frame.displayedWidth, frame.displayedHeight) == (turns % 2 == 0 ? (1000, 1400) : (1400, 1000)))
        let plain = PageFrame(left: 50, bottom: 60, width: 500, height: 700, turns: turns)
        let (one, other) = (frame.point(150, 310), plain.point(150, 310))
        #expect(one == Point(x: other.x * 2, y: other.y * 2))
        #expect(frame.place(one) == [150, 310])
        for unit in [0, -1, .infinity, .nan, 1e9] {
            #expect(PageFrame(mediaBox: nil, cropBox: nil, rotation: nil, userUnit: unit).unit == 1)
        }
    }

    @Test func turnsAreCountedRoundTheClock() {
        #expect(PageFrame(width: 1, height: 1, turns: -1).turns == 3)
        #expect(PageFrame(mediaBox: nil, cropBox: nil, rotation: -270).turns == 1)
        #expect(PageFrame(mediaBox: nil, cropBox: nil, rotation: 45).turns == 0)
    }
}

import Interchange
import Testing

@Suite("Positions in a text")
struct TextPlaceTests {
    @Test(arguments: [
        (0, "1:1"), (1, "1:2"), (3, "1:3"), (4, "2:1"), (6, "2:3"), (99, "3:1"), (-1, "1:1"),
    ])
    func linesAndColumnsAreCountedFromOne(offset: Int, place: String) {
        #expect(TextPlace(of: offset, in: Array("aé\nbcd\n".utf8)).description == place)
    }
}

import Testing

@testable import PDFPages

@Suite("Bytes sought in bytes") struct ByteSearchTests {
    @Test(arguments: [
        ("", "%%EOF", []), ("%%EOF", "%%EOF", [0]), ("%%EO", "%%EOF", []), ("%%%EOF", "%%EOF", [1]),
        ("a%%EOFb%%EOF", "%%EOF", [1, 7]), ("aaaa", "aa", [0, 2]), ("aaa", "aa", [0]), ("\0ab\0ab", "ab", [1, 4]),
    ]) func eachPlaceIsFoundOnce(_ text: String, _ mark: String, _ places: [Int]) {
        #expect(Array(text.utf8).places(of: Array(mark.utf8)) == places)
        #expect(Array(text.utf8).firstPlace(of: Array(mark.utf8)) == places.first)
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 7), (7, 7), (8, nil), (12, nil), (-1, nil), (.max, nil)])
    func theSearchBeginsWhereItIsTold(_ start: Int, _ place: Int?) {
        #expect(Array("a%%EOFb%%EOF".utf8).firstPlace(of: Array("%%EOF".utf8), from: start) == place)
    }
}

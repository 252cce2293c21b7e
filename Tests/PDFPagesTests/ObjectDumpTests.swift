import Annotations
import Testing

@testable import PDFPages

@Suite("qpdf's output becomes objects and pages")
struct ObjectDumpTests {
    private func dump(_ objects: String, trailer: String = #"{"/Root":"1 0 R"}"#, piece: Int = .max) -> ObjectDump {
        let text = #"""
            {"version": 2, "parameters": {"decodelevel": "none"}, "qpdf": [{"jsonversion": 2, "x": "obj:1 0 R"},
            {\#(objects), "trailer": {"value": \#(trailer)}}]}
            """#
        var dump = ObjectDump()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(piece, bytes.count)) {
            dump.receive(Array(bytes[start...].prefix(piece)))
        }
        return dump
    }

    private let small = #"""
        "obj:1 0 R": {"value": {"/Pages": "2 0 R", "/A": "u:a}]\\\"{[", "/B": "b:41fF", "/N": "/x y"}},
        "obj:2 0 R": {"value": [1, -2.5, true, null, [], {}]},
        "obj:3 0 R": {"stream": {"dict": {"/Length": 1}}}
        """#

    @Test("Cut into pieces of any size", arguments: [1, 2, 5, 1000])
    func pieces(size: Int) {
        let file = dump(small, piece: size)
        #expect(
            file.object(ObjectID(number: 1, generation: 0))
                == .dictionary([
                    "Pages": .reference(ObjectID(number: 2, generation: 0)), "A": .string("a}]\\\"{["),
                    "B": .string("A\u{ff}"), "N": .name("x y"),
                ]))
        #expect(
            file.object(ObjectID(number: 2, generation: 0))
                == .array([.number(1), .number(-2.5), .bool(true), .null, .array([]), .dictionary([:])]))
        #expect(file.object(ObjectID(number: 3, generation: 0)) == .null)
        #expect(file.object(ObjectID(number: 1, generation: 1)) == .null)
        #expect(file.trailer == .dictionary(["Root": .reference(ObjectID(number: 1, generation: 0))]))
    }

    @Test func referencesInACircleAreNothing() {
        let file = dump(#""obj:1 0 R": {"value": "2 0 R"}, "obj:2 0 R": {"value": "1 0 R"}"#)
        #expect(file.resolve(.reference(ObjectID(number: 1, generation: 0))) == .null)
    }

    @Test(
        "Malformed text yields no object",
        arguments: [
            "", "{", "[1", "[1 2]", #"{"a"}"#, #"{"a":}"#, #""open"#, #""\u12"#, "nul", "-", "1e", "]", "{]",
            String(repeating: "[", count: 100_000),
        ])
    func malformed(text: String) {
        var reader = PDFObjectReader(Array(text.utf8)[...])
        #expect(reader.object() == nil)
    }

    @Test func textsAndTheirEscapes() {
        var reader = PDFObjectReader(Array(#"["u:a\n\t\u0007\"","u:é","b:4","x","/","n:/q"]"#.utf8)[...])
        #expect(
            reader.object()
                == .array([
                    .string("a\n\t\u{7}\""), .string("\u{e9}"), .string(""), .null, .name(""), .name("q"),
                ]))
    }

    @Test func pagesInheritTheirBoxes() {
        let file = dump(
            #"""
            "obj:1 0 R": {"value": {"/Pages": "2 0 R"}},
            "obj:2 0 R": {"value": {"/Kids": ["3 0 R", "6 0 R"], "/MediaBox": [0, 0, 100, 200], "/Rotate": 90}},
            "obj:3 0 R": {"value": {"/Kids": ["4 0 R", "5 0 R"], "/Rotate": 0}},
            "obj:4 0 R": {"value": {"/Type": "/Page"}},
            "obj:5 0 R": {"value": {"/MediaBox": [0, 0, 50, 60]}},
            "obj:6 0 R": {"value": {"/CropBox": [10, 10, 30, 200]}}
            """#)
        let tree = PageTree(file, limit: 10)
        #expect(
            tree.pages.map { PageSize(width: $0.frame.displayedWidth, height: $0.frame.displayedHeight) } == [
                PageSize(width: 100, height: 200), PageSize(width: 50, height: 60), PageSize(width: 190, height: 20),
            ])
        #expect(tree.indexes[ObjectID(number: 6, generation: 0)] == 2)
    }

    @Test("Reading ends for a page tree that loops or is too deep or too wide")
    func hostileTrees() {
        let loop = dump(
            #""obj:1 0 R": {"value": {"/Pages": "2 0 R"}}, "obj:2 0 R": {"value": {"/Kids": ["2 0 R", "2 0 R"]}}"#)
        #expect(PageTree(loop, limit: 1000).pages.isEmpty)
        let ladder = (2..<200).map { #""obj:\#($0) 0 R": {"value": {"/Kids": ["\#($0 + 1) 0 R"]}}"# }
        let deep = dump(#""obj:1 0 R": {"value": {"/Pages": "2 0 R"}}, "# + ladder.joined(separator: ", "))
        #expect(PageTree(deep, limit: 1000).pages.isEmpty)
        let kids = Array(repeating: #""3 0 R""#, count: 5000).joined(separator: ",")
        let crowd = dump(
            #""obj:1 0 R": {"value": {"/Pages": "2 0 R"}}, "obj:2 0 R": {"value": {"/Kids": [\#(kids)]}}, "obj:3 0 R": {"value": {}}"#
        )
        #expect(PageTree(crowd, limit: 1000).pages.count == 1000)
    }

    @Test(
        "PDF dates",
        arguments: [
            ("D:20240625182216-07'00'", "2024-06-26T01:22:16.000Z"),
            ("D:20240625182216+0530", "2024-06-25T12:52:16.000Z"),
            ("20240625", "2024-06-25T00:00:00.000Z"), ("D:1999", "1999-01-01T00:00:00.000Z"),
            ("D:20240229235959Z", "2024-02-29T23:59:59.000Z"), ("D:20240625182216Z00'00'", "2024-06-25T18:22:16.000Z"),
            ("D:20241325", nil), ("D:20240632", nil), ("D:2024062599", nil), ("yesterday", nil), ("", nil), ("D:", nil),
        ] as [(String, String?)])
    func dates(text: String, expected: String?) {
        #expect(Timestamp(pdf: text)?.iso8601 == expected)
    }

    @Test func aDefaultAppearanceTellsFontSizeAndColour() {
        #expect(DefaultAppearance("/Helv 12 Tf 0 g").color == "#000000")
        #expect(DefaultAppearance("0 1 0 0 k /F0 0 Tf").color == "#ff00ff")
        #expect(DefaultAppearance("0 1 0 0 k /F0 0 Tf").size == nil)
        #expect(DefaultAppearance("nan inf x rg Tf").color == nil)
        #expect(DefaultAppearance("").font == nil)
    }
}

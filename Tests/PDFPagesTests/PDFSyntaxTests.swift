import Annotations
import TestSupport
import Testing

@testable import PDFPages

@Suite("Objects of qpdf's JSON become PDF syntax")
struct PDFSyntaxTests {
    static let objects: [(String, String)] = [
        ("null", "null"), ("true", "true"), ("-0.50", "-0.50"), ("7", "7"), ("1e-7", "0"), ("2.5E1", "25"),
        (#""/Name""#, "/Name"), (#""/A B#(é)""#, "/A#20B#23#28#c3#a9#29"), (#""n:/a#20b#ff""#, "/a#20b#ff"),
        (#""/""#, "/"), (#""12 3 R""#, "12 3 R"), (#""b:00fF""#, "<00fF>"), (#""b:""#, "<>"), (#""u:""#, "()"),
        (#""u:a(b)\\c\r\n\td""#, "(a\\(b\\)\\\\c\\r\\n\td)"), (#""u:é""#, "<feff00e9>"),
        (#""u:\ud83d\ude00""#, "<feffd83dde00>"), (#""u:😀""#, "<feffd83dde00>"), (#""u:\u0018""#, "<feff0018>"),
        ("[]", "[]"), ("{}", "<<>>"), ("[1,2,null, true,\"/A\",\"/B\",3]", "[1 2 null true/A/B 3]"),
        (#"{"/A":[{"/B":"1 0 R"},"2 0 R"],"/C#":"u:x","/D":1,"/E":"/F"}"#, "<</A[<</B 1 0 R>>2 0 R]/C#23(x)/D 1/E/F>>"),
        (#" { "/A" : [ "u:x" , 1 ] } "#, "<</A[(x) 1]>>"),
    ]

    @Test(arguments: objects) func objectsAreWritten(_ json: String, _ expected: String) {
        #expect(PDFSyntax.text(Array(json.utf8)[...]).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(arguments: [
        "", " ", "[", "]", "{", "}", "[1", "[1,,2]x", "[}", "{]", #"{"A":1}"#, #"{"/A"}"#, #"{"/A":}"#, #"{"/A":1"#,
        #"{1:2}"#, "nul", "1 2", #""text""#, #""b:0""#, #""b:0g""#, #""1 0""#, #""n:/a b""#, #""u:x"#, #""u:\u12""#,
        "1e999", "--", "[1]]", "tru e", "+", ".",
    ])
    func whatIsNoObjectIsNotWritten(_ json: String) {
        #expect(PDFSyntax.text(Array(json.utf8)[...]) == nil)
    }

    @Test func depthIsLimited() {
        let deep = Array(repeating: UInt8(ascii: "["), count: 100_000)
        #expect(PDFSyntax.text(deep[...]) == nil)
    }

    /// qpdf reads what is written as the object it was.
    @Test func qpdfReadsTheSameObject() async throws {
        let value =
            #"{"/A":"b:ff0041","/B":["/x y","u:é(\\","u:(\r)",-0.5,true,null],"/C#d":{"/E":"4 0 R"},"/F":"u:\n","/G":"u:\u0007"}"#
        var pdf = SmallPDF(annotations: [])
        pdf.extra = [String(decoding: try #require(PDFSyntax.text(Array(value.utf8)[...])), as: UTF8.self)]
        let folder = try Folder()
        let dump = try await PDFTools().dump(of: folder.write(pdf.bytes))
        let read = try #require(dump.json(ObjectID(number: 6)))
        #expect(read == (try JSON(parsing: value)))
    }

    // MARK: Parts of an object

    @Test func entriesAreReplacedAndTheOthersKeepTheirText() throws {
        let json = Array(#"{"/A": [1, {"/B": "u:]}\""}], "/C":1.50 ,"/D":"u:\\"}"#.utf8)
        var source = try #require(ObjectSource(json[...]))
        source["C"] = Array("2".utf8)[...]
        source["E"] = Array("null".utf8)[...]
        source["D"] = nil
        #expect(String(decoding: source.json, as: UTF8.self) == #"{"/A":[1, {"/B": "u:]}\""}],"/C":2,"/E":null}"#)
        let items = try #require(ObjectSource.items(source["A"]!))
        #expect(items.map { String(decoding: $0, as: UTF8.self) } == ["1", #"{"/B": "u:]}\""}"#])
        for text in ["", "[]", "{", #"{"/A"}"#, #"{"/A":}"#, #"{"/A":1,,}"#, #"{"/A":]}"#, #"{"/A":"x}"#] {
            #expect(ObjectSource(Array(text.utf8)[...]) == nil, "\(text)")
        }
    }
}

@Suite("The end of a PDF")
struct PDFTailTests {
    private func tail(_ text: String) -> PDFTail? {
        let bytes = Array(text.utf8)
        return PDFTail(length: Int64(bytes.count)) { place, count in
            Array(bytes.dropFirst(Int(place)).prefix(count))
        }
    }

    @Test func theNewestSectionIsFound() throws {
        let table = try #require(tail("%PDF-1.7\nxref\n0 1\ntrailer<<>>\nstartxref\n9\n%%EOF"))
        #expect((table.section, table.kind, table.origin, table.endsLine) == (9, .table, 0, false))
        let stream = try #require(tail("x\n%PDF-1.7\n12 0 obj<<>>\nstartxref\r9\r%%EOF\r"))
        #expect((stream.section, stream.kind, stream.origin, stream.endsLine) == (9, .stream, 2, true))
        #expect(tail("%PDF-1.7\nxref\nstartxref\n1\nstartxref\n9\n%%EOF\n")?.section == 9)
        // qpdf skips white space, too.
        #expect(tail("%PDF-1.7\n\n\nxref\nstartxref\n  9\n%%EOF\n")?.kind == .table)
    }

    @Test(arguments: [
        "", "%PDF-1.7", "xref\nstartxref\n0\n%%EOF", "%PDF-1.7\nxref\n%%EOF", "%PDF-1.7\nxref\nstartxref\n\n%%EOF",
        "%PDF-1.7\nxref\nstartxref\n-9\n%%EOF", "%PDF-1.7\nxref\nstartxref\n0\n%%EOF",
        "%PDF-1.7\nxref\nstartxref\n99\n%%EOF", "%PDF-1.7\nxref\nstartxref\n11\n%%EOF",
        "%PDF-1.7\nxref\nstartxref\n99999999999999999999\n%%EOF", "%PDF-1.7\n12 0 R\nstartxref\n9\n%%EOF",
        "%PDF-1.7\n12 x obj\nstartxref\n9\n%%EOF",
    ])
    func withoutOneThereIsNoUpdate(_ text: String) { #expect(tail(text) == nil) }

    /// Offsets beyond 4 GB need five bytes.
    @Test func sectionsHoldLargeOffsets() throws {
        var references = CrossReferences()
        references.add(ObjectID(number: 7, generation: 2), at: 5_000_000_000)
        references.free(ObjectID(number: 8))
        let end = Array("12 0 obj<<>>\nstartxref\n9\n%%EOF\n".utf8)
        let whole = PDFTail(length: 5_000_000_100) { place, _ in
            place == 0 ? Array("%PDF-1.7".utf8) : place == 9 ? Array("12 0 obj".utf8) : end
        }
        let file = try #require(whole)
        let trailer = try #require(ObjectSource(Array(#"{"/Root":"1 0 R","/Size":9,"/W":[1,2,1]}"#.utf8)[...]))
        let stream = references.section(
            after: file, trailer: trailer, size: 10, as: ObjectID(number: 9), at: 5_000_000_050, digest: UpdateDigest())
        let bytes = try #require(stream)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("/W[1 5 2]") && text.contains("/Index[7 3]") && text.contains("/Length 24"))
        #expect(
            text.contains("/Size 10") && text.contains("/Prev 9") && text.hasSuffix("startxref\n5000000050\n%%EOF\n"))
        let rows: [UInt8] = [1, 1, 0x2A, 0x05, 0xF2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 255, 255]
        #expect(bytes.firstRange(of: rows) != nil)
        let table = references.section(
            after: file, trailer: trailer, size: 10, as: nil, at: 1, digest: UpdateDigest())
        let lines = String(decoding: try #require(table), as: UTF8.self)
        #expect(lines.contains("7 3\n5000000000 00002 n \n0000000000 65535 f \n"))
    }
}

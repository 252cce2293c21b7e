import Annotations
import TestSupport
import Testing

@testable import PDFPages

@Suite("Text strings in all encodings of PDF", .inTurns)
struct PDFTextTests {
    @Test(
        arguments: [
            ([0x4D, 0x61, 0x9D, 0x61], "Maša"), ([0xA0, 0x35], "€5"), ([0x8D, 0x4F, 0x4B, 0x8E], "“OK”"), ([0x85], "–"),
            ([0x83], "…"), ([0x99, 0x69, 0x9E, 0x65, 0x6B], "Žižek"), ([0x95, 0xF3, 0x64, 0x7A], "Łódz"), ([0x18], "˘"),
            ([0xFE, 0xFF, 0x00, 0x41, 0xD8, 0x3D, 0xDE, 0x00], "A😀"), ([0xFE, 0xFF, 0x00, 0x41, 0x00], "A"),
            ([0xFE, 0xFF], ""), ([0xFE], "þ"), ([0xFF, 0xFE, 0x41, 0x00], "A"), ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
            ([0xFE, 0xFF, 0xD8, 0x00], "\u{FFFD}"), ([0xEF, 0xBB, 0xBF, 0xFF], "\u{FFFD}"), ([], ""),
            // A language code: en-US, then text.
            ([0xFE, 0xFF, 0, 0x1B, 0, 0x65, 0, 0x6E, 0, 0x55, 0, 0x53, 0, 0x1B, 0, 0x48], "H"),
            ([0xFE, 0xFF, 0, 0x1B, 0, 0x65, 0, 0x6E, 0, 0x1B, 0, 0x48], "H"),
            ([0xFE, 0xFF, 0, 0x1B, 0, 0x48], "\u{1B}H"), ([0xFE, 0xFF, 0, 0x1B, 0, 0x65, 0, 0x6E], "\u{1B}en"),
        ] as [([UInt8], String)])
    func decoding(_ bytes: [UInt8], _ text: String) {
        #expect(PDFText.decode(bytes) == text)
        var reader = PDFObjectReader(Array("\"b:\(bytes.hexadecimal)\"".utf8)[...])
        #expect(reader.object() == .string(text))
    }

    /// As qpdf prints them, and as they are written again.
    @Test(arguments: ["€5", "“OK”", "Žižek", "Łódz", "A😀", "é", "tab\t", "\u{18}", "(a\\)", "þÿ", "ï»¿x"])
    func whatIsWrittenIsReadBack(_ text: String) async throws {
        var pdf = SmallPDF(annotations: [])
        let json = PDFObject.string(text).json.text
        pdf.extra = ["[\(String(decoding: try #require(PDFSyntax.text(Array(json.utf8)[...])), as: UTF8.self))]"]
        let folder = try Folder()
        let dump = try await PDFTools().dump(of: folder.write(pdf.bytes))
        #expect(dump.object(ObjectID(number: 6)) == .array([.string(text)]))
    }
}

import Testing

@testable import Annotations

@Suite struct VisibleTextTests {
    /// Controls, separators and format characters: they act on a terminal, hide, or change the order of what is shown.
    static let invisible: [Unicode.Scalar] =
        (0..<0x20).compactMap(Unicode.Scalar.init) + (0x7F..<0xA0).compactMap(Unicode.Scalar.init)
        + (0x200B...0x200F).compactMap(Unicode.Scalar.init) + (0x2028...0x202E).compactMap(Unicode.Scalar.init)
        + (0x2060...0x2064).compactMap(Unicode.Scalar.init) + (0x2066...0x206F).compactMap(Unicode.Scalar.init)
        + ["\u{AD}", "\u{61C}", "\u{FEFF}", "\u{FFF9}", "\u{FFFB}", "\u{1D173}", "\u{E0001}", "\u{E0041}"]

    @Test(arguments: invisible) func charactersThatActOrHide(_ scalar: Unicode.Scalar) throws {
        #expect(scalar.isInvisible)
        let text = "a\(scalar)b"
        #expect(!text.isVisible)
        #expect(!Record.isValidID(text))
        // What such an id named before can still be read and changed, except where it breaks a header or a line.
        #expect(Record.isAcceptedID(text) == (scalar.value > 0x20 && scalar.value != 0x7F))
        let json = JSON.string(text).text
        #expect(json.escapingInvisible.isVisible)
        #expect(try JSON(parsing: json.escapingInvisible) == .string(text))
    }

    @Test(arguments: [
        "", "plain", "a b", "é", "e\u{301}", "日本", "Ω", "😀", "مرحبا", "a/../b", "~", "\u{A0}", "\u{3000}", "\u{E000}",
    ])
    func ordinaryText(_ text: String) {
        #expect(text.isVisible)
        #expect(text.escapingInvisible == text)
    }

    @Test(arguments: [
        ("", false), ("n1", true), ("a b", false), (String(repeating: "x", count: 256), true),
        (String(repeating: "x", count: 257), false), (String(repeating: "日", count: 85), true),
        (String(repeating: "日", count: 86), false), ("é/..", true),
    ])
    func idsOfRecords(_ id: String, _ isValid: Bool) {
        #expect(Record.isValidID(id) == isValid)
        #expect(Record.isAcceptedID(id) == isValid)
    }
}

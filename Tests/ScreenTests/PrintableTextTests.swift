import Screen
import Testing

@Suite struct PrintableTextTests {
    /// (stored text, replaced, in JSON between quotes, in XML)
    @Test(arguments: [
        ("plain text", "plain text", "plain text", "plain text"),
        ("\u{1B}]52;c;eA==\u{7}", "␛]52;c;eA==␇", #"\u001b]52;c;eA==\u0007"#, "␛]52;c;eA==␇"),
        ("a\u{0}b\u{8}", "a␀b␈", #"a\u0000b\u0008"#, "a␀b␈"),
        ("x\u{7F}", "x␡", #"x\u007f"#, "x&#x7F;"),
        ("\u{9B}31m\u{85}", "\u{FFFD}31m\u{FFFD}", #"\u009b31m\u0085"#, "&#x9B;31m&#x85;"),
        ("\u{202E}a\u{202C}", "␦a␦", #"\u202ea\u202c"#, "&#x202E;a&#x202C;"),
        ("\u{2066}\u{2069}\u{200E}\u{200F}\u{61C}", "␦␦␦␦␦", #"\u2066\u2069\u200e\u200f\u061c"#, nil),
        ("a\u{2028}\u{2029}b", "a\u{FFFD}\u{FFFD}b", #"a\u2028\u2029b"#, "a&#x2028;&#x2029;b"),
        ("\u{FEFF}\u{200B}\u{E0041}", "␦␦␦", #"\ufeff\u200b\udb40\udc41"#, "&#xFEFF;&#x200B;&#xE0041;"),
        ("two\nlines\tand tabs", "two\nlines\tand tabs", "two\nlines\tand tabs", "two\nlines\tand tabs"),
        ("one\r\ntwo\rthree", "one\ntwo␍three", #"one\u000d"# + "\n" + #"two\u000dthree"#, nil),
        ("می\u{200C}خواهم 👩\u{200D}💻 ❤\u{FE0F} soft\u{AD}hyphen 🇩🇪", nil, nil, nil),
        ("naïve 深層 \u{E000} e\u{301}\u{301}\u{301}\u{301}\u{301}", nil, nil, nil),
    ])
    func whatActsIsReplacedOrEscaped(text: String, replaced: String?, json: String?, xml: String?) {
        func check(_ printable: PrintableText, _ expected: String?) {
            #expect(Array(printable.string.unicodeScalars) == Array((expected ?? text).unicodeScalars), "\(printable)")
        }
        check(PrintableText(replacing: text), replaced)
        check(PrintableText(json: text), json)
        if let xml { check(PrintableText(xml: text), xml) }
    }

    @Test func aCellIsOneLine() {
        #expect(PrintableText(cell: "a\tb\r\nc\u{85}d\u{2028}e\u{1B}").string == "a b c d e␛")
    }

    @Test func literalsAreOursAndWhatIsInterpolatedIsNot() {
        let name = "\u{1B}[2J"
        #expect(("\(name)\r\n" as PrintableText).string == "␛[2J\r\n")
        #expect(("\("a" as PrintableText)," as PrintableText).painted("31").string == "\u{1B}[31ma,\u{1B}[0m")
        #expect(["a", "b" as PrintableText].joined(separator: "\t").string == "a\tb")
    }

    /// The screen and the commands use the same stand-ins.
    @Test func theScreenAgrees() throws {
        for value in [0...0x20, 0x7F...0xA0, 0x600...0x61F, 0x2028...0x202F, 0x2060...0x206F, 0xFFF0...0xFFFD].joined()
        {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let printable = PrintableText(replacing: String(scalar))
            guard printable.string.unicodeScalars.first != scalar else { continue }
            #expect(CleanText(cleaning: String(scalar)).string == printable.string, "\(value)")
        }
    }
}

import TestSupport
import Testing

@testable import postilla

struct TOMLReaderTests {
    @Test func aWholeFile() throws {
        let entries = try TOMLReader.entries(
            of: """
                # what it listens on
                host = "0.0.0.0"   # everywhere
                port=5_000

                jwt-public-key = [ 'RS512:a.pem', # the old one
                    "b.pem",
                ]
                "behind-proxy" = true
                [limits]
                streams-per-token = 0x10
                [ a . 'b.c' ]
                d."e" = -7
                """)
        #expect(
            entries == [
                TOMLEntry(key: "host", words: ["0.0.0.0"], line: 2), TOMLEntry(key: "port", words: ["5000"], line: 3),
                TOMLEntry(key: "jwt-public-key", words: ["RS512:a.pem", "b.pem"], line: 5),
                TOMLEntry(key: "behind-proxy", words: ["true"], line: 8),
                TOMLEntry(key: "limits.streams-per-token", words: ["16"], line: 10),
                TOMLEntry(key: "a.b.c.d.e", words: ["-7"], line: 12),
            ])
    }

    @Test(arguments: [
        (#"a = """#, ""), (#"a = '\n'"#, #"\n"#), (#"a = "\t\"\\\u00e9\U0001F600""#, "\t\"\\é😀"), ("a = +7", "7"),
        ("a = 0b101", "5"), ("a = 0o17", "15"), ("a = false", "false"), ("a = 0", "0"), (#"a = "é""#, "é"),
    ])
    func oneWord(_ text: String, _ word: String) throws {
        #expect(try TOMLReader.entries(of: text).map(\.words) == [[word]])
        #expect(try TOMLReader.entries(of: text + "\r\n").map(\.words) == [[word]])
    }

    @Test(arguments: [
        ("a", 1), ("a =", 1), ("a = b", 1), ("= 1", 1), ("a = 1 2", 1), ("a = 1\na = 2", 2), ("[a\nb = 1", 1),
        ("[[a]]", 1), ("a = {b = 1}", 1), ("a = [1", 1), ("a = [1 2]", 1), ("a = [[1]]", 1), ("a = 1.5", 1),
        ("a = 2026-01-01", 1), ("a = 007", 1), ("a = 1__0", 1), ("a = _1", 1), ("a = 0x-1", 1), ("a = 1e9", 1),
        ("a = 99999999999999999999", 1), (#"a = ""b"#, 1), (#"a = "b"#, 1), ("a = \"b\nc\"", 1), (#"a = "\x""#, 1),
        (#"a = "\u12""#, 1), (#"a = "\ud800""#, 1), (#"a = "\uFFFG""#, 1), ("a = '''b'''", 1), ("a = \"\u{1b}\"", 1),
        ("# \u{7f}", 1), ("a = 1\rb = 2", 1), ("a.b = 1\n[a]\nb = 2", 3), ("é = 1", 1), ("a b = 1", 1),
        ("\n\na = [\n1,\n?]", 5),
    ])
    func whatIsNotTakenIsToldWithItsLine(_ text: String, _ line: Int) {
        #expect { try TOMLReader.entries(of: text) } throws: { ($0 as? TOMLError)?.line == line }
    }

    /// Any file yields entries or a problem, never a crash.
    @Test(arguments: 0..<50) func damagedFilesAreReadOrRefused(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "a", "=", "[", "]", "\"", "'", "\\", "#", "\n", "\r\n", ",", ".", "0x", "1_0", "true", "\\u00e9", "\u{0}",
            " ",
            "{", "é", "-", "limits", "\"\"\"",
        ]
        for _ in 0..<200 {
            let text = (0..<Int.random(in: 0...30, using: &random)).map { _ in random.pick(pieces) }.joined()
            if let entries = try? TOMLReader.entries(of: text) {
                #expect(Set(entries.map(\.key)).count == entries.count)
            }
        }
    }
}

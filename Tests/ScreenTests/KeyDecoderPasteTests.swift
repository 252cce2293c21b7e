import Screen
import Testing

private let begin = "\u{1B}[200~"
private let end = "\u{1B}[201~"

@Suite struct KeyDecoderPasteTests {
    var decoder = KeyDecoder()

    @Test(arguments: [
        ("one line", "one line"), ("a\rb", "a\nb"), ("a\r\nb\n", "a\nb\n"), ("\u{1B}[A", "\u{1B}[A"), ("", ""),
        ("tab\tand \u{7}", "tab\tand \u{7}"),
    ])
    mutating func aMarkedPasteIsOneKey(pasted: String, text: String) {
        #expect(decoder.feed((begin + pasted + end + "q").utf8, at: 0) == [.paste(text), .character("q")])
    }

    @Test mutating func pasteMayComeInPieces() {
        #expect(decoder.feed("\u{1B}[20".utf8, at: 0) == [])
        #expect(decoder.feed("0~half".utf8, at: 1) == [])
        #expect(decoder.feed(" and half\u{1B}[2".utf8, at: 2) == [])
        #expect(decoder.feed("01~".utf8, at: 3) == [.paste("half and half")])
    }

    /// A viewer's keys would send its letters to many places.
    @Test(arguments: [
        (
            "eyJhbGciOiJFUzI1NiJ9.eyJ1c2VyIjoiYW5hIn0.c2ln-mF0_XJl",
            ["<paste:eyJhbGciOiJFUzI1NiJ9.eyJ1c2VyIjoiYW5hIn0.c2ln-mF0_XJl>"]
        ),
        ("jeyJhbGciOiJFUzI1NiJ9.e30.c2ln\n", ["j", "<paste:eyJhbGciOiJFUzI1NiJ9.e30.c2ln\\n>"]),
        ("yJhbGciOiJFUzI1NiJ9.e30.c2ln q", ["<paste:yJhbGciOiJFUzI1NiJ9.e30.c2ln>", "<space>", "q"]),
        ("eyJjjjjjjj", ["e", "y", "J", "j", "j", "j", "j", "j", "j", "j"]),
    ])
    mutating func anUnmarkedTokenIsOneKey(read: String, keys: [String]) throws {
        var found = decoder.feed(read.utf8, at: 0)
        while let deadline = decoder.deadline { found += decoder.timeout(at: deadline) }
        #expect(try found == keys.flatMap { try Key.sequence($0) })
    }

    @Test mutating func anUnmarkedTokenMayComeInPieces() {
        let (one, other) = ("eyJhbGciOiJFUzI1NiJ9.eyJ1c2Vy", "IjoiYW5hIn0.c2lnbmF0dXJl")
        #expect(decoder.feed(one.utf8, at: 0) == [])
        #expect(decoder.feed(other.utf8, at: 5) == [])
        #expect(decoder.timeout(at: 5 + KeyDecoder.escapeDelay) == [.paste(one + other)])
    }

    @Test mutating func anEndMarkInsideThePastedTextDoesNotLetTheRestOutAsKeys() {
        let bytes = begin + "harmless" + end + ":quit\r" + end
        #expect(decoder.feed(bytes.utf8, at: 0) == [.paste("harmless\(end):quit\n")])
    }

    @Test mutating func twoPastesInOneReadAreTwo() {
        let bytes = begin + "a" + end + "\r" + begin + "b" + end
        #expect(decoder.feed(bytes.utf8, at: 0) == [.paste("a"), .enter, .paste("b")])
    }

    @Test mutating func aPasteCutOffIsOverAfterASilence() {
        #expect(decoder.feed((begin + "cut").utf8, at: 0) == [])
        #expect(decoder.deadline == 2_000)
        #expect(decoder.timeout(at: 2_000) == [.paste("cut")])
        #expect(decoder.feed("q".utf8, at: 2_001) == [.character("q")])
    }

    @Test mutating func anEndlessPasteTakesNoMoreThanItsLimit() throws {
        _ = decoder.feed(begin.utf8, at: 0)
        let block = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        for _ in 0..<20 { #expect(decoder.feed(block, at: 1) == []) }
        let keys = decoder.feed(end.utf8, at: 2)
        guard case .paste(let text) = try #require(keys.first) else {
            Issue.record("not a paste: \(keys)")
            return
        }
        #expect(text.utf8.count == KeyDecoder.pasteLimit)
    }

    @Test(arguments: [
        ("two\rlines", "<paste:two\\nlines>"),
        ("two\nlines", "<paste:two\\nlines>"),
        ("a\r\nb\r\n", "<paste:a\\nb\\n>"),
        ("typed\r", "typed<enter>"),
        ("\r", "<enter>"), ("\r\r", "<enter><enter>"),
        ("\r\u{1B}[A", "<enter><up>"),
        ("\u{1B}[Ba\rb\u{1B}[A", "<down><paste:a\\nb><up>"),
    ])
    mutating func aNewLineWithTextBehindItWasPasted(bytes: String, expected: String) throws {
        #expect(try decoder.feed(bytes.utf8, at: 0) == Key.sequence(expected))
    }

    @Test mutating func aLongUnmarkedPasteGoesOnOverSeveralReads() {
        #expect(decoder.feed("first\rsec".utf8, at: 0) == [.paste("first\nsec")])
        #expect(decoder.feed("ond\r".utf8, at: 5) == [.paste("ond\n")], "its final line break is not Enter either")
        #expect(decoder.feed("\r".utf8, at: 100) == [.enter])
    }

    @Test mutating func anUnmarkedPasteCutInsideACharacterKeepsIt() {
        let bytes = Array("a\r漢".utf8)
        #expect(decoder.feed(bytes.dropLast(), at: 0) == [.paste("a\n")])
        #expect(decoder.feed(bytes.suffix(1), at: 1) == [.character("漢")])
    }

    @Test mutating func aBrokenCharacterBeforeANewLineIsPartOfThePaste() {
        #expect(decoder.feed("a\rb".utf8, at: 0) == [.paste("a\nb")])
        #expect(decoder.feed([0xF0, 0x0D], at: 1) == [.paste("\u{FFFD}\n")])
    }
}

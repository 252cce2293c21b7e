import Screen
import Testing

@Suite struct KeyDecoderTimeTests {
    var decoder = KeyDecoder()

    @Test mutating func aLoneEscIsAKeyAfterAShortSilence() {
        #expect(decoder.deadline == nil)
        #expect(decoder.feed([0x1B], at: 100) == [])
        #expect(decoder.deadline == 125)
        #expect(decoder.timeout(at: 124) == [])
        #expect(decoder.timeout(at: 125) == [.escape])
        #expect(decoder.deadline == nil)
    }

    @Test mutating func escAndALetterLaterAreTwoKeys() {
        #expect(decoder.feed([0x1B], at: 0) == [])
        #expect(decoder.feed("j".utf8, at: 30) == [.escape, .character("j")])
    }

    @Test mutating func escAndALetterAtOnceAreAlt() {
        #expect(decoder.feed([0x1B], at: 0) == [])
        #expect(decoder.feed("j".utf8, at: 10) == [.alt("j")])
    }

    @Test mutating func aSequenceCutByASlowLineIsPutTogether() {
        #expect(decoder.feed([0x1B], at: 0) == [])
        #expect(decoder.timeout(at: 25) == [.escape])
        #expect(decoder.feed("[".utf8, at: 200) == [])
        #expect(decoder.deadline == 525)
        #expect(decoder.feed("A".utf8, at: 400) == [.up])
        #expect(decoder.deadline == nil)
    }

    @Test mutating func aLateReaderSeesNoEscInFrontOfAnArrow() {
        #expect(decoder.feed([0x1B], at: 0) == [])
        #expect(decoder.feed("[A".utf8, at: 300) == [.up], "the reader was late, not the input")
    }

    @Test(arguments: [
        ("O", "O"), ("[", "["), ("Oj", "Oj"), ("[m", "[m"), ("Ox", "Ox"), ("[[", "[["), ("OM", "OM"),
    ])
    mutating func keysTypedSoonAfterEscStayKeys(typed: String, expected: String) throws {
        _ = decoder.feed([0x1B], at: 0)
        #expect(decoder.timeout(at: 25) == [.escape])
        var keys = decoder.feed(typed.utf8, at: 200)
        while let deadline = decoder.deadline { keys += decoder.timeout(at: deadline) }
        #expect(try keys == Key.sequence(expected))
    }

    @Test mutating func longAfterEscABracketIsABracket() {
        _ = decoder.feed([0x1B], at: 0)
        #expect(decoder.timeout(at: 25) == [.escape])
        #expect(decoder.feed("[".utf8, at: 526) == [.character("[")])
    }

    @Test mutating func halfACharacterWaitsForItsOtherHalf() {
        #expect(decoder.feed([0xC3], at: 0) == [])
        #expect(decoder.feed([0xA9], at: 10) == [.character("é")])
        #expect(decoder.feed([0xC3], at: 20) == [])
        #expect(decoder.timeout(at: 45) == [.character("\u{FFFD}")])
    }

    @Test mutating func anAnswerThatNeverEndsIsOverAfterAWhile() {
        #expect(decoder.feed("\u{1B}]11;rgb".utf8, at: 0) == [])
        #expect(decoder.timeout(at: 500) == [])
        #expect(decoder.feed("q".utf8, at: 501) == [.character("q")])
    }
}

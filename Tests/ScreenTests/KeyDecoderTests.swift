import Screen
import Testing

/// Feeds one read, followed by silence until everything is resolved.
private func keys(_ bytes: String, _ sequences: [[UInt8]: Key] = [:]) -> [Key] {
    keys(Array(bytes.utf8), sequences)
}

private func keys(_ bytes: [UInt8], _ sequences: [[UInt8]: Key] = [:]) -> [Key] {
    var decoder = KeyDecoder(sequences: sequences)
    var keys = decoder.feed(bytes, at: 0)
    while let deadline = decoder.deadline { keys += decoder.timeout(at: deadline) }
    return keys
}

@Suite struct KeyDecoderTests {
    @Test(arguments: [
        ("a", "a"), ("Z", "Z"), (" ", "<space>"), ("é", "é"), ("漢", "漢"), ("🙂", "🙂"),
        ("\r", "<enter>"), ("\n", "<C-j>"), ("\t", "<tab>"), ("\u{7F}", "<backspace>"), ("\u{8}", "<backspace>"),
        ("\u{1}", "<C-a>"), ("\u{1A}", "<C-z>"), ("\0", "<C-space>"), ("\u{1C}", "<C-\\>"), ("\u{1F}", "<C-_>"),
        ("\u{1B}", "<escape>"), ("\u{1B}\u{1B}", "<escape><escape>"),
        ("\u{1B}x", "<A-x>"), ("\u{1B}é", "<A-é>"), ("\u{1B}\r", "<A-enter>"), ("\u{1B}\u{7F}", "<A-backspace>"),
        ("\u{1B}\u{4}", "<escape><C-d>"), ("\u{1B}O", "<A-O>"), ("\u{1B}[", "<A-[>"), ("\u{1B}]", "<A-]>"),
        ("\u{1B}Px", "<A-P>x"),
    ])
    func charactersAndControls(bytes: String, expected: String) throws {
        #expect(try keys(bytes) == Key.sequence(expected))
    }

    @Test(arguments: [
        ("[A", "<up>"), ("[B", "<down>"), ("[C", "<right>"), ("[D", "<left>"), ("[H", "<home>"), ("[F", "<end>"),
        ("OA", "<up>"), ("OD", "<left>"), ("OH", "<home>"), ("OP", "<f1>"), ("OS", "<f4>"), ("OM", "<enter>"),
        ("Ok", "+"), ("Oc", "<C-right>"), ("[Z", "<S-tab>"), ("[a", "<S-up>"),
        ("[1~", "<home>"), ("[2~", "<insert>"), ("[3~", "<delete>"), ("[4~", "<end>"), ("[5~", "<pageup>"),
        ("[6~", "<pagedown>"), ("[7~", "<home>"), ("[8~", "<end>"),
        ("[11~", "<f1>"), ("[15~", "<f5>"), ("[17~", "<f6>"), ("[21~", "<f10>"), ("[24~", "<f12>"),
        ("[[A", "<f1>"), ("[[E", "<f5>"),
        ("[1;5C", "<C-right>"), ("[1;2A", "<S-up>"), ("[1;8B", "<C-A-S-down>"), ("[3;5~", "<C-delete>"),
        ("[1;2R", "<S-f3>"), ("[15;2~", "<S-f5>"),
        ("[97;5u", "<C-a>"), ("[13;3u", "<A-enter>"), ("[106;3u", "<A-j>"), ("[27;5;109~", "<enter>"),
        ("[105;5u", "<C-i>"), ("[57414u", "<enter>"), ("[57400u", "1"), ("[57419;5u", "<C-up>"),
        ("[97:65;2:1u", "A"), ("[57441;1u", ""),
        ("[<0;11;3M", "<click:2,10>"), ("[<64;1;1M", "<wheelup:0,0>"), ("[<65;4;8M", "<wheeldown:7,3>"),
        ("[<4;11;3M", "<click:2,10>"), ("[<0;11;3m", ""), ("[<35;11;3M", ""), ("[<0;0;0M", ""), ("[<0;1M", ""),
        ("[M !!x", "x"),
    ])
    func sequences(bytes: String, expected: String) throws {
        #expect(try keys("\u{1B}" + bytes) == Key.sequence(expected))
    }

    @Test(arguments: [
        "[?62;22c", "[>41;351;0c", "[24;80R", "[0n", "[I", "[O", "[?2026;2$y", "[8;24;80t", "[1;5", "[99~",
        "]11;rgb:0000/0000/0000\u{7}", "]11;rgb:ffff/ffff/ffff\u{1B}\\", "P>|XTerm(351)\u{1B}\\",
        "P1+r544e=787465726D\u{1B}\\", "_Gi=31;OK\u{1B}\\", "]52;c;cm0gLXJm", "[201~",
        "[11111111111111111111111111111111111111111111111111111111111111111111111111111111",
    ])
    func whatTerminalsAnswerIsNoKey(bytes: String) {
        #expect(keys("\u{1B}" + bytes) == [])
    }

    @Test func keysAfterAnAnswerAreRead() {
        #expect(keys("\u{1B}]11;rgb:0/0/0\u{1B}\\q") == [.character("q")])
        #expect(keys("\u{1B}]11;rgb:0/0/0\u{7}q") == [.character("q")])
        #expect(keys("\u{1B}]11;rgb:0/0\u{1B}[A") == [.up])
        #expect(keys("\u{1B}[?1;2cq") == [.character("q")])
    }

    @Test func aSequenceCutByAControlCharacterLosesOnlyItself() {
        #expect(keys("\u{1B}[1\u{1B}[B") == [.down])
        #expect(keys("\u{1B}[1\u{4}") == [.control("d")])
    }

    @Test(arguments: [
        ([0xFF], 1), ([0xC3], 1), ([0xC3, 0x28], 2), ([0xE2, 0x82], 2), ([0xED, 0xA0, 0x80], 3), ([0xC0, 0x80], 2),
        ([0xF5, 0x80, 0x80, 0x80], 4),
    ])
    func bytesThatAreNoTextAreShownAsSuch(bytes: [UInt8], count: Int) {
        let keys = keys(bytes)
        #expect(keys.count == count)
        #expect(keys.contains(.character("\u{FFFD}")))
        #expect(keys.allSatisfy { $0 == .character("\u{FFFD}") || $0 == .character("(") })
    }

    @Test func theTerminalsOwnDescriptionComesFirst() {
        let own: [[UInt8]: Key] = [
            Array("\u{1B}[A".utf8): .pageUp, Array("\u{1B}?x".utf8): .function(20), Array("q".utf8): .up,
        ]
        #expect(keys("\u{1B}[A", own) == [.pageUp])
        #expect(keys("\u{1B}?x", own) == [.function(20)])
        #expect(keys("\u{1B}?y", own) == [.alt("?"), .character("y")])
        #expect(keys("q", own) == [.character("q")], "text that is not an escape sequence is kept")
    }
}

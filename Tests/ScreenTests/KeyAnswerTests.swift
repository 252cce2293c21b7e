import Screen
import Testing

/// Answers of the terminal that a slow line cuts, and keys that it joins.
@Suite struct KeyAnswerTests {
    private static let answers: [(bytes: String, report: TerminalReport?)] = [
        ("\u{1B}]11;rgb:1e1e/2a2a/ffff\u{1B}\\", .background(RGB(30, 42, 255))),
        ("\u{1B}]11;rgb:1e1e/2a2a/ffff\u{7}", .background(RGB(30, 42, 255))),
        ("\u{1B}]10;rgba:ff/ff/ff/ff\u{1B}\\", .text(.white)),
        ("\u{1B}[?62;4;22c", .attributes([62, 4, 22])), ("\u{1B}[?6c", .attributes([6])),
        ("\u{1B}_Gi=31;OK\u{1B}\\", .graphics(isUnderstood: true)),
        ("\u{1B}_Gi=31;ENOTSUP:no such thing\u{1B}\\", .graphics(isUnderstood: false)),
        ("\u{1B}[24;80R", nil), ("\u{1B}[?0u", .keyboard), ("\u{1B}P>|XTerm(351)\u{1B}\\", nil),
    ]
    private static let delays: [KeyDecoder.Milliseconds] = [0, 1, 24, 25, 26, 200, 499, 500, 501, 2_000, 4_000]

    /// Feeds the parts with a pause between them, as the loop does: what is due by then is told first.
    private func keys(
        _ decoder: inout KeyDecoder, _ parts: [[UInt8]], pause: KeyDecoder.Milliseconds,
        from start: KeyDecoder.Milliseconds = 0
    ) -> [Key] {
        var keys: [Key] = []
        var now = start
        for part in parts {
            while let deadline = decoder.deadline, deadline <= now { keys += decoder.timeout(at: deadline) }
            keys += decoder.feed(part, at: now)
            now += pause
        }
        return keys
    }

    private func rest(of decoder: inout KeyDecoder) -> [Key] {
        var keys: [Key] = []
        while let deadline = decoder.deadline { keys += decoder.timeout(at: deadline) }
        return keys
    }

    /// An awaited answer never runs as commands, wherever and however long it is cut. Only what a person can have typed
    /// before the pause is told: Esc, or Esc and the key that followed at once.
    @Test(arguments: answers.indices, delays)
    func anAwaitedAnswerIsNeverKeys(index: Int, pause: KeyDecoder.Milliseconds) {
        let (text, report) = Self.answers[index]
        let bytes = Array(text.utf8)
        for cut in 1..<bytes.count {
            var decoder = KeyDecoder()
            decoder.awaitReport(at: 0)
            var told = keys(&decoder, [Array(bytes[..<cut]), Array(bytes[cut...])], pause: pause)
            told += rest(of: &decoder)
            let typed: [Key] =
                switch cut {
                case 1 where pause >= KeyDecoder.escapeDelay: [.escape]
                case 2 where pause >= KeyDecoder.splitWindow: [.alt(Character(Unicode.Scalar(bytes[1])))]
                default: []
                }
            #expect(told == typed, "cut at \(cut), \(pause) ms")
            #expect(decoder.takeReports() == [report].compactMap { $0 }, "cut at \(cut), \(pause) ms")
            #expect(decoder.feed("j".utf8, at: 60_000) == [.character("j")])
        }
    }

    /// A line that is slow all the time.
    @Test(arguments: answers.indices, [0, 10, 200, 450])
    func anAnswerByteByByteIsNotKeys(index: Int, pause: Int) {
        let bytes = Array(Self.answers[index].bytes.utf8)
        var decoder = KeyDecoder()
        decoder.awaitReport(at: 0)
        var told: [Key] = []
        var now: KeyDecoder.Milliseconds = 0
        for byte in bytes {
            // Longer than the terminal's answer is awaited in all.
            decoder.awaitReport(at: now)
            while let deadline = decoder.deadline, deadline <= now { told += decoder.timeout(at: deadline) }
            told += decoder.feed([byte], at: now)
            now += KeyDecoder.Milliseconds(pause)
        }
        told += rest(of: &decoder)
        #expect(told == (pause >= 25 ? [.escape] : []))
    }

    /// After a broken answer, keys are keys again, and none is lost.
    @Test(arguments: ["j", ":", "q", "a note", "<up>", "<esc>", "gg", "<A-x>"])
    func keysAfterABrokenAnswerAreKeys(typed: String) throws {
        for (text, _) in Self.answers {
            let bytes = Array(text.utf8)
            for cut in 3..<bytes.count - 2 {
                var decoder = KeyDecoder()
                decoder.awaitReport(at: 0)
                _ = decoder.feed(bytes[..<cut], at: 0)
                _ = rest(of: &decoder)
                let wanted = try Key.sequence(typed)
                var told: [Key] = []
                for key in wanted { told += decoder.feed(key.typedBytes, at: 1_000) }
                told += rest(of: &decoder)
                #expect(told == wanted, "\(text.debugDescription) cut at \(cut)")
            }
        }
    }

    /// Without a query there is no answer: these are keys, told once no byte has followed for a while.
    @Test(arguments: [
        ("\u{1B}]", "<A-]>"), ("\u{1B}P", "<A-P>"), ("\u{1B}_", "<A-_>"), ("\u{1B}[", "<A-[>"), ("\u{1B}O", "<A-O>"),
    ])
    func twoKeysThatMayBeginASequenceWaitForTheSplitWindow(bytes: String, keys: String) throws {
        var decoder = KeyDecoder()
        #expect(decoder.feed(bytes.utf8, at: 0) == [])
        #expect(decoder.timeout(at: KeyDecoder.splitWindow - 1) == [])
        #expect(try decoder.timeout(at: KeyDecoder.splitWindow) == Key.sequence(keys))
    }

    @Test(arguments: [
        ("\u{1B}:help", "<A-:>help"), ("\u{1B}a text", "<A-a><space>text"), ("\u{1B}]x", "<A-]>x"),
        ("\u{1B}Px", "<A-P>x"), ("\u{1B}_x", "<A-_>x"), ("\u{1B}_", "<A-_>"), ("\u{1B}\u{1B}:", "<esc><A-:>"),
    ])
    func joinedKeysAreKeys(bytes: String, expected: String) throws {
        var decoder = KeyDecoder()
        var told = decoder.feed(bytes.utf8, at: 0)
        told += rest(of: &decoder)
        #expect(try told == Key.sequence(expected))
    }

    /// A slow line may cut any key after its second byte, too.
    @Test(arguments: ["\u{1B}[A", "\u{1B}[1;5C", "\u{1B}OA", "\u{1B}[<0;3;4m", "\u{1B}[200~x\u{1B}[201~", "\u{1B}[3~"])
    func aCutKeyIsNotTyped(text: String) {
        let bytes = Array(text.utf8)
        var decoder = KeyDecoder()
        let whole = decoder.feed(bytes, at: 0) + rest(of: &decoder)
        for cut in 1..<bytes.count {
            var decoder = KeyDecoder()
            var told = keys(&decoder, [Array(bytes[..<cut]), Array(bytes[cut...])], pause: 300)
            told += rest(of: &decoder)
            #expect(told == (cut == 1 ? [.escape] : []) + whole, "cut at \(cut)")
        }
    }
}

extension Key {
    /// What a terminal sends for the keys used here.
    fileprivate var typedBytes: [UInt8] {
        switch self {
        case .up: Array("\u{1B}[A".utf8)
        case .escape: [0x1B]
        case .alt(let character): [0x1B] + Array(String(character).utf8)
        case .character(let character): Array(String(character).utf8)
        default: []
        }
    }
}

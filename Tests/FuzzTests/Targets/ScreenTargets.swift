import Screen

extension FuzzTarget {
    static let screens: [FuzzTarget] = [
        FuzzTarget("keys", ["a\u{1b}[1;5A\u{1b}[200~paste\u{1b}[201~\u{1b}OPé\u{1b}]0;t\u{7}"]) { bytes in
            let (first, second) = halves(bytes)
            var decoder = KeyDecoder()
            _ = decoder.feed(first, at: 0)
            _ = decoder.feed(second, at: 1)
            _ = decoder.timeout(at: 10_000)
        },
        FuzzTarget("keys-of-an-answer", ["\u{1b}]11;rgb:0/0/0\u{1b}\\j", "\u{1b}[?62;4c", "\u{1b}_Gi=31;OK\u{1b}\\"]) {
            bytes in
            let (first, second) = halves(bytes)
            for pause: KeyDecoder.Milliseconds in [1, 100, 1_000] {
                var decoder = KeyDecoder()
                decoder.awaitReport(at: 0)
                _ = decoder.feed(first, at: 0)
                while let deadline = decoder.deadline, deadline <= pause { _ = decoder.timeout(at: deadline) }
                _ = decoder.feed(second, at: pause)
                for _ in 0..<4 { if let deadline = decoder.deadline { _ = decoder.timeout(at: deadline) } }
                try hold(decoder.feed("q".utf8, at: 60_000).last == .character("q"), "a key is lost")
            }
        },
        FuzzTarget("leaving-text", ["a\u{1b}[201~\nb\r\u{2067}c\u{2069}\u{202e}\u{1F3F4}\u{E0067}\u{E007F}"]) { bytes in
            let text = LeavingText(String(decoding: bytes, as: UTF8.self))
            try hold(
                text.string.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0 == "\t" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                }, "a control character")
            try hold(LeavingText(text.string).removed == 0, "cleaned again, it loses more")
        },
        FuzzTarget("key-notation", ["gg<C-x><lt>é<enter>"]) {
            _ = try? Key.sequence(String(decoding: $0, as: UTF8.self))
        },
        FuzzTarget("clean-text", ["a\u{1b}[2Jb\u{202e}c\u{9b}d\te\u{300}\u{301}\u{302}\u{303}\u{304}"]) { bytes in
            for line in CleanText.lines(cleaning: String(decoding: bytes, as: UTF8.self)) {
                try hold(
                    line.string.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) },
                    "a control character")
            }
        },
    ]
}

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

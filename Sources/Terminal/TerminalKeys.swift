internal import Screen

/// The key sequences in the open terminal's description; `KeyDecoder` knows the others.
enum TerminalKeys {
    /// Call after `newterm`.
    static func sequences() -> [[UInt8]: Key] {
        var sequences: [[UInt8]: Key] = [:]
        for (name, key) in named {
            let bytes = TerminalModes.capability(name)
            if !bytes.isEmpty { sequences[bytes] = key }
        }
        for number in 1...12 {
            let bytes = TerminalModes.capability("kf\(number)")
            if !bytes.isEmpty { sequences[bytes] = .function(number) }
        }
        return sequences
    }

    private static let named: [(String, Key)] = [
        ("kcuu1", .up), ("kcud1", .down), ("kcub1", .left), ("kcuf1", .right), ("khome", .home), ("kend", .end),
        ("kpp", .pageUp), ("knp", .pageDown), ("kich1", .insert), ("kdch1", .delete), ("kcbt", .backTab),
        ("kent", .enter), ("kUP", .named(.up, .shift)), ("kDN", .named(.down, .shift)),
        ("kri", .named(.up, .shift)), ("kind", .named(.down, .shift)), ("kLFT", .named(.left, .shift)),
        ("kRIT", .named(.right, .shift)),
    ]
}

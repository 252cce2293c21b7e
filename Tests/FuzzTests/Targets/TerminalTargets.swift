extension FuzzTarget {
    /// The path of untrusted text from a message to the terminal's bytes.
    static let terminal = FuzzTarget("terminal", terminalSeeds, opensTerminal: true) { try HostilePlay($0).run() }

    private static let terminalSeeds = [
        strangers(at: "jjs⑤e⑹⑼O\r⑼\tVj⑼"), strangers(at: "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾"),
        strangers(at: ":requests\r⑴⑼:who\r⑭⑼?⑼o⑵T⑩⑪"), strangers(at: "/⑹\r⑺jk⑻f⑲⑼n⑬\r"),
        strangers(at: "\t\u{1B}[B\u{1B}[<0;9;9MV$y⑦⑺⑻⑥"), strangers(at: " j e⑹⑨⑧⑬\r⑼⑼:outline\r⑼:palette\r⑹"),
    ]

    /// Sequences of every family, as record, name, title, claim, error and paste.
    private static func strangers(at play: String) -> String {
        play + "\n"
            + [
                "\u{1B}[2Jgone", "\u{1B}]0;title\u{7}", "\u{9B}31m", "a\rb\u{8}c", "\u{202E}txet", "\u{1B}[6n",
                "e\u{301}\u{302}\u{303}\u{304}\u{305}", "\u{1F468}\u{200D}\u{1F469}", "日本語", "\u{1B}P1$r\u{1B}\\",
                "\u{1B}]52;c;cGFzdGU=\u{7}", "\u{E}\u{F}\u{0}\u{7F}", "\u{1B}[201~", "line\nline", "plain words",
            ].joined(separator: "\u{1F}")
    }
}

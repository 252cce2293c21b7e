/// A viewer setting, with its name in `config.toml`.
enum Preference: String, CaseIterable {
    case theme, marks, strike, mouse, view, followCursor = "follow-cursor", flash, announce, plain, author, remember,
        delay, editor
    case notify, onNew = "on-new", onMention = "on-mention", onTokenNeeded = "on-token-needed",
        onRun = "on-run"

    /// The default value, as written in the file.
    var standard: String {
        switch self {
        case .theme: "auto"
        case .marks: "colors"
        case .strike: "dim"
        case .mouse, .followCursor, .flash, .announce: "true"
        case .plain, .remember: "false"
        case .view: "auto"
        case .delay: "1s"
        case .author, .editor: ""
        case .notify: "off"
        case .onNew, .onMention, .onTokenNeeded, .onRun: ""
        }
    }

    var meaning: String {
        switch self {
        case .theme:
            "Colours: auto (fit the terminal), terminal (its own sixteen), dark, light, high-contrast or mono; NO_COLOR means mono"
        case .marks: "Marked words: colors, or brackets around them as well"
        case .strike: "Words struck out: dim, or combining (a line through each letter, if your font draws it)"
        case .mouse: "Clicks and the wheel; to select text with the mouse, hold Shift"
        case .view: "View of a page: auto (layout if there is room), reading or layout"
        case .followCursor: "Page and list move together"
        case .flash: "Highlight what others add or change for a second or two"
        case .announce: "In plain mode, announce changes by others between commands"
        case .plain: "Always use plain mode, as with --plain"
        case .author: "Author of new annotations if the token names none; if empty, you are asked once"
        case .remember: "Keep tokens between runs, as with --remember"
        case .delay: "How long an edit waits for further edits before it is sent, from 0s to 60s"
        case .notify:
            "Notices on the desktop when others write or a token is needed: off, osc9 or osc777, as the terminal knows"
        case .onNew: "Command run when others add or change something; gets one line of JSON on standard input"
        case .onMention: "Command run when a comment mentions you; gets one line of JSON on standard input"
        case .onTokenNeeded: "Command run when a token is needed; gets one line of JSON on standard input"
        case .onRun: "Command that :run WORDS runs; gets the words and the current annotation's id the same way"
        case .editor: "Command that edits texts; if empty, VISUAL, then EDITOR"
        }
    }

    /// Whether the value is a command: a list of words.
    var isCommand: Bool { [.onNew, .onMention, .onTokenNeeded, .onRun].contains(self) }

    /// Whether the value is true or false, written without quotes.
    var isSwitch: Bool { ["true", "false"].contains(standard) }

    func line(command words: [String]) -> String {
        "\(rawValue) = [\(words.map(\.tomlText).joined(separator: ", "))]"
    }

    func line(_ value: String) -> String { "\(rawValue) = \(isSwitch ? value : value.tomlText)" }
}

extension String {
    /// The text as a basic string of TOML.
    var tomlText: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2) + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}

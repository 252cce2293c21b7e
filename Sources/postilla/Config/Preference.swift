/// One thing a person can set about the viewer, by its name in `config.toml`.
enum Preference: String, CaseIterable {
    case theme, mouse, view, flash, announce, plain, author, remember, delay, editor

    /// What it is when nothing says otherwise, as it stands in the file.
    var standard: String {
        switch self {
        case .theme: "terminal"
        case .mouse, .flash, .announce: "true"
        case .plain, .remember: "false"
        case .view: "auto"
        case .delay: "1s"
        case .author, .editor: ""
        }
    }

    var meaning: String {
        switch self {
        case .theme: "terminal (its own sixteen colours), light, dark, or none; NO_COLOR is none"
        case .mouse: "clicks and the wheel; selecting with the mouse then needs Shift"
        case .view: "of a page: auto (laid out where there is room), reading, or layout"
        case .flash: "what others have just added or changed stands out for a second or two"
        case .announce: "without a screen: whether changes of others are told between two commands"
        case .plain: "without a screen always, as with --plain"
        case .author: "your name on new annotations, for tokens that name none; else you are asked once"
        case .remember: "keep tokens between runs, as with --remember"
        case .delay: "how long an edit waits for further ones before it is sent, from 0s to 60s"
        case .editor: "the command that edits texts; else VISUAL, then EDITOR"
        }
    }

    /// true and false stand without quotes.
    var isSwitch: Bool { ["true", "false"].contains(standard) }

    /// `theme = "terminal"`
    func line(_ value: String) -> String { "\(rawValue) = \(isSwitch ? value : value.tomlText)" }
}

extension String {
    /// As a basic string of TOML.
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

import FoundationEssentials

/// Colours of a terminal's own sixteen, where they are wanted.
struct Paint {
    enum Style: String {
        case plain = ""
        /// New to the reader.
        case fresh = "1"
        /// Waits, or is kept back.
        case attention = "33"
        /// A conflict, a refusal, something broken.
        case trouble = "31"
        case heading = "2"
    }

    let isOn: Bool

    init(_ choice: ColorChoice) {
        switch choice {
        case .always: isOn = true
        case .never: isOn = false
        case .auto:
            let environment = ProcessInfo.processInfo.environment
            isOn =
                Output.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        }
    }

    /// - Parameter text: cleaned before.
    func callAsFunction(_ text: String, _ style: Style) -> String {
        isOn && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

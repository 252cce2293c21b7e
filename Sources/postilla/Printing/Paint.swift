import FoundationEssentials
import Screen

/// Text in the terminal's 16 colours, if enabled.
struct Paint {
    enum Style {
        case plain
        /// New to the reader.
        case fresh
        /// Waiting or parked.
        case attention
        /// A conflict, a rejection or an error.
        case trouble
        case heading

        /// SGR parameters; nil for none.
        fileprivate var parameters: StaticString? {
            switch self {
            case .plain: nil
            case .fresh: "1"
            case .attention: "33"
            case .trouble: "31"
            case .heading: "2"
            }
        }
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

    func callAsFunction(_ text: PrintableText, _ style: Style) -> PrintableText {
        guard isOn, let parameters = style.parameters else { return text }
        return text.painted(parameters)
    }
}

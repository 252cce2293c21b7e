/// The reason why the terminal cannot be used.
package struct TerminalError: Error, Hashable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case outputIsNoTerminal
        case inputIsNoTerminal
        case noType
        case unknownType(String)
        /// It cannot position the cursor or clear the screen.
        case tooSimple(String)
        case systemCall(String, errno: Int32)
    }

    package let reason: Reason

    package init(reason: Reason) {
        self.reason = reason
    }

    package var description: String {
        let why =
            switch reason {
            case .outputIsNoTerminal: "standard output is not a terminal"
            case .inputIsNoTerminal: "no terminal for keyboard input"
            case .noType: "TERM is not set"
            case .unknownType(let type): "TERM is \(type.debugDescription), which is unknown on this machine"
            case .tooSimple(let type): "TERM is \(type.debugDescription), which cannot position the cursor"
            case .systemCall(let call, let errno): "\(call) failed (error \(errno))"
            }
        return "no usable terminal: \(why); run postilla in a terminal, with TERM set (such as xterm-256color)"
    }
}

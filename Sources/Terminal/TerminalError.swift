/// Why no screen can be shown here.
package struct TerminalError: Error, Hashable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case outputIsNoTerminal
        case inputIsNoTerminal
        case noType
        case unknownType(String)
        /// It cannot place the cursor.
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
            case .inputIsNoTerminal: "there is no terminal to read keys from"
            case .noType: "TERM is not set"
            case .unknownType(let type): "TERM is \(type.debugDescription), which this machine has no description of"
            case .tooSimple(let type): "TERM is \(type.debugDescription), which cannot place a cursor"
            case .systemCall(let call, let errno): "\(call) failed (error \(errno))"
            }
        return "no usable terminal: \(why); run it in a terminal, with TERM set to its kind (such as xterm-256color)"
    }
}

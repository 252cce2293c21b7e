import Annotations
package import Screen

/// A notice that the terminal shows on the desktop.
package struct DesktopNotice: Hashable, Sendable {
    package enum Form: String, Hashable, Sendable {
        /// OSC 9, of iTerm2: also in kitty, WezTerm, ghostty, Windows Terminal.
        case osc9
        /// OSC 777, of rxvt: also in foot, Konsole, ghostty.
        case osc777
    }

    let bytes: [UInt8]
    private static let maxColumns = 120

    /// - Parameter text: Clean, so that it cannot end the control sequence.
    /// It begins with the program's name: a number first would be a command of ConEmu (`9;4;...`), and the text begins
    /// with a document's title.
    package init(_ text: CleanText, _ form: Form) {
        let text = text.truncated(to: Self.maxColumns).string
        switch form {
        case .osc9: bytes = Array("\u{1B}]9;postilla: \(text)\u{7}".utf8)
        // A semicolon would begin another field.
        case .osc777: bytes = Array("\u{1B}]777;notify;postilla;\(text.replacing(scalars: ";", with: ","))\u{7}".utf8)
        }
    }
}

extension TerminalDevice {
    package func notify(_ notice: DesktopNotice) { if isInUse { Self.write(notice.bytes, to: output) } }
}

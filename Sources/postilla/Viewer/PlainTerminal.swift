import Glibc
import Screen
import Terminal

/// Standard input and output as they are: a line-mode terminal or pipes. The only mode it changes is input echo.
final class PlainTerminal: ViewerTerminal {
    /// nil if the input is not a terminal.
    private let usual: termios?
    private var isHidden = false

    init() {
        var mode = termios()
        usual = tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
    }

    deinit { hideInput(false) }

    /// Whether the input is interactive; prompts are shown only to people.
    var isInteractive: Bool { usual != nil }

    func hideInput(_ hides: Bool) {
        guard var mode = usual, hides != isHidden else { return }
        isHidden = hides
        if hides {
            mode.c_lflag &= ~tcflag_t(ECHO)
            // Echo the newline anyway, so that the next output starts on a new line.
            mode.c_lflag |= tcflag_t(ECHONL)
        }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    func redraw() {}

    /// Copying needs a control sequence.
    func copy(_ text: LeavingText) -> Bool { false }

    func useMouse(_ isOn: Bool) {}
    func notify(_ notice: DesktopNotice) {}

    /// The shell's own keys suspend the program.
    func suspend() {}

    func released<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try body()
    }
}

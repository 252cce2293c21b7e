import Glibc

/// Standard input and output as they are: a terminal that echoes lines, or pipes. The only thing that is ever changed is
/// whether what is typed is seen.
final class PlainTerminal: ViewerTerminal {
    /// nil: not a terminal.
    private let usual: termios?
    private var isHidden = false

    init() {
        var mode = termios()
        usual = tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
    }

    deinit { hideInput(false) }

    /// Whether somebody types: a prompt is for them alone.
    var isInteractive: Bool { usual != nil }

    func hideInput(_ hides: Bool) {
        guard var mode = usual, hides != isHidden else { return }
        isHidden = hides
        if hides {
            mode.c_lflag &= ~tcflag_t(ECHO)
            // The new line is seen all the same: what is said next begins on a line of its own.
            mode.c_lflag |= tcflag_t(ECHONL)
        }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    func redraw() {}

    /// That takes a control sequence.
    func copy(_ text: String) -> Bool { false }

    /// The shell's own keys stop it.
    func suspend() {}

    func released<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try body()
    }
}

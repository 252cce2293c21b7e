import Screen
import Terminal

/// The terminal operations other than drawing.
protocol ViewerTerminal: AnyObject {
    func redraw()
    /// Copies text to the clipboard; returns false where that is not possible.
    func copy(_ text: LeavingText) -> Bool
    /// Switches reports of the mouse.
    func useMouse(_ isOn: Bool)
    /// Shows a notice on the desktop.
    func notify(_ notice: DesktopNotice)
    /// Suspends the program until the shell resumes it.
    func suspend()
    /// Lets another program use the terminal while `body` runs.
    func released<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
}

extension TerminalDevice: ViewerTerminal {}

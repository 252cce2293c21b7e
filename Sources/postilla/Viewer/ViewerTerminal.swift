import Terminal

/// What the program asks of its terminal besides being drawn on it.
protocol ViewerTerminal: AnyObject {
    func redraw()
    /// Asks it to put text on the clipboard; false where that is not possible.
    func copy(_ text: String) -> Bool
    /// Stops the program until its shell continues it.
    func suspend()
    /// Lets another program have the terminal for as long as `body` runs.
    func released<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
}

extension TerminalDevice: ViewerTerminal {}

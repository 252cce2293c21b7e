/// What a terminal says of itself when it is asked. Anything else it answers is dropped.
package enum TerminalReport: Hashable, Sendable {
    /// Primary device attributes (ECMA-48, DA): every terminal answers this, so it ends the wait for other answers.
    case attributes([Int])
    /// To a query in the graphics protocol of kitty.
    case graphics(isUnderstood: Bool)
}

package import Annotations

/// An event for which the user may have set a command. Says what happened, never the text of an annotation or a token.
package enum HookEvent: Hashable, Sendable {
    /// Others added or changed records.
    ///
    /// - Parameter author: The only person who did, if there is one.
    case new([Record.ID], author: String?)
    /// Comments of others name the user who had not been named in them before.
    ///
    /// - Parameter author: The only person who wrote them, if there is one.
    case mention([Record.ID], author: String?)
    case tokenNeeded
    /// The user ran it.
    ///
    /// - Parameters:
    ///   - record: The current annotation.
    ///   - page: Counted from 0.
    case run(words: String, record: Record.ID?, page: Int)
}

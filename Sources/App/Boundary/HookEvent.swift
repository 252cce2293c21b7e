package import Annotations

/// An event for which the user may have set a command. Says what happened, never the text of an annotation or a token.
package enum HookEvent: Hashable, Sendable {
    /// Others added or changed records.
    ///
    /// - Parameter author: The only person who did, if there is one.
    case new([Record.ID], author: String?)
    case tokenNeeded
}

import App

/// The options that `open`, `demo` and the bare command pass to the viewer.
struct ViewerOptions: Sendable {
    enum Start: Sendable {
        case library
        /// The layer that the source's token names on this server; without a token the user is prompted.
        case server(String)
        /// A PDF of the person.
        case file(String)
    }

    var start: Start
    var source: TokenSource
    var folders: Folders
    var preferences = Preferences()
    /// The `--read-only` flag: editing keys are off, whatever the token allows.
    var isReadOnly = false
    /// The `--private` flag: changes to a PDF that are not in it are kept in memory only.
    var isPrivate = false
    /// nil if it is not a private session.
    var session: PrivateSession?
    /// The value of `--author`.
    var author: String?
    /// The `--remember` flag: the token is stored between runs once the server has accepted it.
    var remembersToken = false
    /// The `--plain` flag: lines instead of a screen.
    var isPlain = false
    /// The command line that others use to join.
    var invitation: String?
    /// The `--insecure-http` flag: the token may be sent to another machine over plain HTTP.
    var allowsInsecureHTTP = false
    /// The debug log of `--log`.
    var log: DebugLog?
}

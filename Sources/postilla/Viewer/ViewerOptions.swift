import App

/// What `open`, `demo` and the bare command hand to the viewer.
struct ViewerOptions: Sendable {
    enum Start: Sendable {
        case library
        /// The layer that the source's token names on this server; without a token a person is asked for one.
        case server(String)
        /// A PDF on this disk, shown without sync.
        case file(String)
    }

    var start: Start
    var source: TokenSource
    var folders: Folders
    var preferences = Preferences()
    /// `--read-only`: keys that edit are off, whatever the token allows.
    var isReadOnly = false
    /// `--author`
    var author: String?
    /// `--remember`: the token is kept between runs once the server has accepted it.
    var remembersToken = false
    /// `--plain`: lines instead of a screen.
    var isPlain = false
    /// The line that others type to join.
    var invitation: String?
    /// `--insecure-http`: the token may travel over plain http to another machine.
    var allowsInsecureHTTP = false
}

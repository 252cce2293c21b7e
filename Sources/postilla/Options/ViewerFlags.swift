import ArgumentParser

/// How the viewer is to behave.
struct ViewerFlags: ParsableArguments {
    @Flag(help: "Turn keys that edit off, whatever the token allows.")
    var readOnly = false

    @Flag(
        help: """
            Keep the token for the next time, once the server has accepted it: in the secret store of this machine, else \
            in a file that only you can read. :forget-token removes it.
            """)
    var remember = false

    @Flag(help: "Without a screen: a line in, sentences out, for screen readers, dumb terminals and pipes.")
    var plain = false

    @Option(help: ArgumentHelp("Your name on new annotations, for tokens that name none.", valueName: "name"))
    var author: String?

    /// Together with the person's settings.
    ///
    /// - Throws: ``CommandFailure`` that says all that is wrong with them.
    func apply(to options: inout ViewerOptions) throws {
        let preferences = try Preferences.use()
        let name = preferences.text(.author)
        options.preferences = preferences
        options.isReadOnly = readOnly
        options.author = author ?? (name.isEmpty ? nil : name)
        options.remembersToken = remember || preferences.isOn(.remember)
        options.isPlain = plain || preferences.isOn(.plain)
    }
}

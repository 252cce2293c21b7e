import ArgumentParser

/// The options for the viewer's behaviour.
struct ViewerFlags: ParsableArguments {
    @Flag(help: "Open read-only, even if the token allows editing.")
    var readOnly = false

    @Flag(
        help: """
            Once the server has accepted the token, keep it for the next run: in the secret store of this machine, or \
            in a file that only you can read. :forget-token removes it.
            """)
    var remember = false

    @Flag(
        name: .customLong("private"),
        help: """
            With a PDF: write nothing to a disk but the PDF itself. Changes are in memory until :w writes them, and are \
            lost when the window is left, closed or killed.
            """)
    var isPrivate = false

    @Flag(help: "Plain mode: commands in, sentences out; for screen readers, dumb terminals and pipes.")
    var plain = false

    @Option(help: ArgumentHelp("Author of new annotations, if the token names none.", valueName: "name"))
    var author: String?

    @Option(
        help: ArgumentHelp("Settings file to use instead of the usual one.", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var config: String?

    /// Applies the flags together with the user's settings.
    ///
    /// - Throws: ``CommandFailure`` that names every problem with them.
    func apply(to options: inout ViewerOptions) throws {
        let preferences = try Preferences.use(file: config)
        let name = preferences.text(.author)
        options.preferences = preferences
        options.isReadOnly = readOnly
        options.author = author ?? (name.isEmpty ? nil : name)
        options.remembersToken = remember || preferences.isOn(.remember)
        options.isPrivate = isPrivate
        options.isPlain = plain || preferences.isOn(.plain)
    }
}

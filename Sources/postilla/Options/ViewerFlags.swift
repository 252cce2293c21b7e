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

    @Option(help: ArgumentHelp("Your name on new annotations, for tokens that name none.", valueName: "name"))
    var author: String?
}

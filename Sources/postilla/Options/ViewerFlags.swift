import ArgumentParser

/// How the viewer is to behave.
struct ViewerFlags: ParsableArguments {
    @Flag(help: "Turn keys that edit off, whatever the token allows.")
    var readOnly = false

    @Option(help: ArgumentHelp("Your name on new annotations, for tokens that name none.", valueName: "name"))
    var author: String?
}

import ArgumentParser

/// The folder with the data on this machine.
struct DataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Data folder (default: POSTILLA_DATA or $XDG_DATA_HOME/postilla).", valueName: "dir"),
        completion: .directory)
    var dataDir: String?

    /// - Throws: ``CommandFailure`` if the environment names no place.
    func folders() throws -> Folders { try Folders(dataDirectory: dataDir) }
}

import ArgumentParser

struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Put a PDF on a server, as a backend does.")

    @Argument(help: ArgumentHelp("The PDF.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Its id on the server; without it the server draws one.", valueName: "id"))
    var documentId: String?

    @Option(help: ArgumentHelp("Its title; without it the file's name.", valueName: "text"))
    var title: String?

    @Flag(help: "Replace the document of this id.")
    var overwrite = false

    @OptionGroup var options: BackendOptions

    func run() async throws {
        let document = try await options.backend().upload(
            file, documentID: documentId, title: title, overwrite: overwrite)
        Output.line(document)
    }
}

import ArgumentParser

struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Upload a PDF to a server, as a backend would.")

    @Argument(help: ArgumentHelp("PDF to upload.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Id of the document (default: chosen by the server).", valueName: "id"))
    var documentId: String?

    @Option(help: ArgumentHelp("Title (default: the file's name).", valueName: "text"))
    var title: String?

    @Flag(help: "Replace an existing document with this id.")
    var overwrite = false

    @OptionGroup var options: BackendOptions

    func run() async throws {
        let document = try await options.backend().upload(
            file, documentID: documentId, title: title, overwrite: overwrite)
        Output.line(document)
    }
}

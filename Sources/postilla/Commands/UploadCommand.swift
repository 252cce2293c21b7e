import Annotations
import ArgumentParser
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import SyncProtocol

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

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("The file with the backend's secret.", valueName: "file"))
    var apiTokenFile: String

    func run() async throws {
        let backend = Backend(
            server: try server.serverURL(), secret: try PrivateFile.read(apiTokenFile).trimmed)
        let document = try await backend.upload(file, documentID: documentId, title: title, overwrite: overwrite)
        Output.line(document)
    }
}

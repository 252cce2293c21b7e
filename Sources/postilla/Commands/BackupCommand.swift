import ArgumentParser
import DocumentEngine

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy all that a server keeps, while it runs.",
        discussion: """
            Give it the options the server was started with (--data, --store, --config). A second copy to the same folder \
            takes only what is new. To restore, start a server with the copy as its --data. A server on PostgreSQL is \
            copied with PostgreSQL's own tools.
            """)

    @Argument(help: ArgumentHelp("Where the copy goes.", valueName: "folder"))
    var folder: String

    @OptionGroup var server: ServeOptions

    func run() throws {
        let place = try ServePlace(try server.settings())
        guard place.postgres == nil else {
            throw CommandFailure(
                "the server keeps everything in PostgreSQL: copy that database with pg_dump or pg_basebackup", .usage)
        }
        do {
            let report = try Backup(of: place.folder, database: place.database, to: folder).make()
            Output.message(
                "\(report.documents) document(s), \(report.files) file(s), \(report.copiedFiles) of them new: \(folder)"
            )
        } catch { throw CommandFailure("\(error)") }
    }
}

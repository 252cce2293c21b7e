import ArgumentParser
import DocumentEngine

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy all of a server's data while it runs.",
        discussion: """
            Use the options the server was started with (--data, --store, --config). A second backup to the same \
            folder copies only what is new. To restore, start a server with the copy as its --data. Back up a server \
            on PostgreSQL with PostgreSQL's own tools.
            """)

    @Argument(help: ArgumentHelp("Folder for the copy.", valueName: "folder"))
    var folder: String

    @OptionGroup var server: ServeOptions

    func run() throws {
        let place = try ServePlace(try server.settings())
        guard place.postgres == nil else {
            throw CommandFailure(
                "the server stores its data in PostgreSQL; use pg_dump or pg_basebackup", .usage)
        }
        do {
            let report = try Backup(of: place.folder, database: place.database, to: folder).make()
            Output.message(
                "\(report.documents) document(s), \(report.files) file(s) (\(report.copiedFiles) new): \(folder)"
            )
        } catch { throw CommandFailure("\(error)") }
    }
}

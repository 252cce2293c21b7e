import ArgumentParser
import DocumentEngine

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy all of a server's data while it runs.",
        discussion: """
            Use the options the server was started with (--data, --store, --config). The folder must be outside the \
            server's data and must not contain it. A second backup to the same folder copies only what is new. \
            postilla restore puts a backup in place. Back up a server on PostgreSQL with PostgreSQL's own tools.

            Examples:
              postilla backup /mnt/backup/postilla --data /var/lib/postilla
            """)

    @Argument(help: ArgumentHelp("Folder for the copy.", valueName: "folder"), completion: .directory)
    var folder: String

    @OptionGroup var server: ServePlaceOptions

    func run() throws {
        let place = try ServePlace(try server.settings())
        guard place.postgres == nil else {
            throw CommandFailure(
                "the server stores its data in PostgreSQL; back it up with pg_dump or pg_basebackup", .usage)
        }
        do {
            let report = try Backup(of: place.folder, database: place.database, to: folder).make()
            Output.message(
                "\(report.documents) document(s), \(report.files) file(s) (\(report.copiedFiles) new): \(folder)"
            )
        } catch { throw CommandFailure(copying: error) }
    }
}

extension CommandFailure {
    /// The failure of a backup or of its restore.
    init(copying error: any Error) {
        self.init("\(error)", (error as? BackupError)?.isUsage == true ? .usage : .failed)
    }
}

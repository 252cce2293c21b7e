import Annotations
import ArgumentParser
import DocumentEngine

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in place as a server's data.",
        discussion: """
            Stop the server, and use the options it is started with (--data, --store, --config). First, every byte of \
            the backup is verified; if it is damaged, nothing changes. The backup itself is only read. If restore is \
            interrupted, the server has the old data, or does not start; run the same command again.

            With --replace, existing data is moved aside to a folder beside it, whose path is printed, and never \
            deleted. When the server starts, clients reload every layer and send the edits that the backup lacks. \
            Restore a server on PostgreSQL with PostgreSQL's own tools.

            Examples:
              postilla restore /mnt/backup/postilla --data /var/lib/postilla --replace
            """)

    @Argument(help: ArgumentHelp("Folder with the backup.", valueName: "folder"), completion: .directory)
    var folder: String

    @OptionGroup var server: ServePlaceOptions

    @Flag(help: "Move existing data aside.")
    var replace = false

    func run() throws {
        let place = try ServePlace(try server.settings())
        guard place.postgres == nil else {
            throw CommandFailure(
                """
                the server stores its data in PostgreSQL; restore it with pg_restore, or start a copy made with \
                pg_basebackup
                """, .usage)
        }
        do {
            let report = try Restore(
                of: folder, to: place.folder, database: place.database, replacing: replace, now: .now
            ).make()
            Output.message("\(report.documents) document(s), \(report.files) file(s): \(place.folder)")
            for path in report.movedAside { Output.message("The earlier data is now in \(path)") }
        } catch { throw CommandFailure(copying: error) }
    }
}

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

            Tokens that were revoked since the backup stay revoked. Documents and layers that were deleted or overwritten \
            since are listed first; --deleted says what becomes of them: return, or stay as they are now. Deletions of \
            single annotations are undone. If the existing data cannot be read, start the server with \
            --refuse-tokens-issued-before.

            With --replace, existing data is moved aside to a folder beside it, whose path is printed, and never \
            deleted. When the server starts, clients reload every layer and send the edits that the backup lacks. \
            Restore a server on PostgreSQL with PostgreSQL's own tools.

            Examples:
              postilla restore /mnt/backup/postilla --data /var/lib/postilla --replace
              postilla restore /mnt/backup/postilla --data /var/lib/postilla --replace --deleted stay
            """)

    @Argument(help: ArgumentHelp("Folder with the backup.", valueName: "folder"), completion: .directory)
    var folder: String

    @OptionGroup var server: ServePlaceOptions

    @Flag(help: "Move existing data aside.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "What becomes of documents and layers that were deleted or overwritten since the backup: return or stay.",
            valueName: "answer"), completion: .list(["return", "stay"]))
    var deleted: DeletedAnswer?

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
            var restore = Restore(
                of: folder, to: place.folder, database: place.database, replacing: replace, deleted: deleted, now: .now)
            restore.found = { changes in for change in changes.list { Output.message("\(change)") } }
            let report = try restore.make()
            Output.message("\(report.documents) document(s), \(report.files) file(s): \(place.folder)")
            for path in report.movedAside { Output.message("The earlier data is now in \(path)") }
            if let uncertainty = report.uncertainty { Output.message(Self.sentence(for: uncertainty, now: .now)) }
        } catch { throw CommandFailure(copying: error) }
    }

    private static func sentence(for uncertainty: Restore.Uncertainty, now: Timestamp) -> String {
        // Tokens that were issued in this second, too.
        let end = Timestamp(milliseconds: (now.milliseconds / 1000 + 1) * 1000)
        func day(_ time: Timestamp) -> String { String(time.iso8601.prefix(10)) }
        return """
            What was revoked or deleted from \(day(uncertainty.since)) to \(day(now)) may be valid again, because \
            \(uncertainty.reason). To refuse every token issued until now, start the server with \
            --refuse-tokens-issued-before \(end.iso8601)
            """
    }
}

extension DeletedAnswer: ExpressibleByArgument {}

import Annotations
import ArgumentParser
import Instant
import InstantCore

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print each change to a layer as a JSON line.",
        discussion: """
            The first line marks the start; no later change is missed:
              {"event":"ready","document":…,"layer":…,"user":…,"generation":…,"revision":n,"records":n}
            Then one line for each record that is created, updated or deleted on the server:
              {"event":"created|updated","id":…,"generation":…,"revision":n,"author":…,"record":{…}}
              {"event":"deleted","id":…,"generation":…,"revision":n}
            A server that is restored from a backup, or a layer that is deleted and made again, begins another \
            generation, whose revisions start again at a lower number. A line for each record that differs comes \
            first, with the last revision of the earlier generation; a record that the backup lacks is rolled back, \
            not deleted. The last line names the new generation:
              {"event":"rolled-back","id":…,"generation":…,"revision":n}
              {"event":"rolled-back|recreated","generation":…,"revision":n,"records":n}
            With --since, the changes after an earlier event come before the first line, each record once: as updated, \
            even if it is new, or deleted. It takes generation and revision of that event, for the same layer and \
            token; the revision alone will do while the layer has had one generation. If the server no longer knows \
            what changed since then, nothing is printed, and the exit code is 1.

            author is the user who made the change; it is not known for deletions. Comments are records too. Rapid \
            changes to one record are combined.

            Runs until it is interrupted (130) or its output is closed. It reconnects automatically and then reports \
            what has changed since. When a new token is needed, the token's source is read again; without a token for \
            a minute, the command exits with 3.

            Examples:
              postilla watch | jq -c 'select(.event=="created") | .record.content.text'
              postilla watch --since a31f80c2be5d9174.1204
              postilla watch --token-command 'fetch-token review' >> changes.ndjson
            """)

    @Argument(help: ArgumentHelp("Address of the server (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @Option(
        help: ArgumentHelp("First print what changed after this event.", valueName: "generation.revision"),
        transform: WatchStart.init(parsing:))
    var since: WatchStart?

    @OptionGroup var layer: LayerOptions

    func validate() throws {
        guard !layer.offline else { throw ValidationError("watch needs the server; remove --offline.") }
    }

    func run() async throws {
        Output.leaveWhenUnread()
        let session = try await LayerSession.open(layer, server: target, reads: true)
        var watch = LayerWatch(session, since: since)
        do { try await watch.run() } catch { throw CommandFailure(reading: error) }
    }
}

import Annotations
import ArgumentParser
import Instant
import InstantCore

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Write one JSON line for each change of a layer, as it happens.",
        discussion: """
            The first line says that what follows misses nothing:
              {"event":"ready","document":…,"layer":…,"user":…,"revision":n,"records":n}
            Then, for each record that the server holds anew, changed or no more:
              {"event":"created|updated","id":…,"revision":n,"author":…,"record":{…}}
              {"event":"deleted","id":…,"revision":n}
            author is the user who made the change; the server does not tell who deleted. Comments are records too. \
            Changes of one record that come faster than they can be told are told as one.

            Goes on until it is interrupted (130) or nobody reads it any more. A connection that breaks is made again, \
            and what happened meanwhile is told then. The token's source is asked again when a new one is needed; when \
            it has none for a minute, the command ends with 3.

            Examples:
              postilla watch | jq -c 'select(.event=="created") | .record.content.text'
              postilla watch --token-command 'fetch-token review' >> changes.ndjson
            """)

    @Argument(help: ArgumentHelp("The server's address (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @OptionGroup var layer: LayerOptions

    func validate() throws {
        guard !layer.offline else { throw ValidationError("--offline leaves the server alone: nothing would change.") }
    }

    func run() async throws {
        Output.leaveWhenUnread()
        let session = try await LayerSession.open(layer, server: target)
        var watch = LayerWatch(session)
        do { try await watch.run() } catch { throw CommandFailure(reading: error) }
    }
}

// The executable: reads the command line, wires the modules together and turns failures into messages and exit codes.
// The behaviour is in the modules.

import Annotations
import ArgumentParser
import Glibc
import InstantCore

@main
struct Postilla: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postilla",
        abstract: "Read and edit PDF annotations in layers on a server, in the terminal.",
        discussion: """
            Without a command, opens the library of layers on this machine. To try it out, run: postilla demo

            In the examples, server and token come from POSTILLA_SERVER and POSTILLA_TOKEN_FILE. Data goes to standard \
            output, messages to standard error.

            Exit codes: 0 done, 1 failed, 3 authentication, 4 not permitted, 5 server unreachable, 6 conflict, 7 local \
            copy not current, 8 stored here and not confirmed, 64 usage or no usable terminal, 130 interrupted.
            """,
        version: Version.current,
        subcommands: [
            LibraryCommand.self, OpenCommand.self, DemoCommand.self, ListCommand.self, ShowCommand.self,
            CommentsCommand.self, AddCommand.self, EditCommand.self, ReplyCommand.self, StateCommand.self,
            DeleteCommand.self, WriteCommand.self, SaveFileCommand.self, WatchCommand.self, SyncCommand.self,
            ApplyCommand.self,
            OutboxCommand.self, ConflictsCommand.self, ExportCommand.self, ImportCommand.self, MergeCommand.self,
            DiffCommand.self, StorageCommand.self, TokenCommand.self, AuthCommand.self, UploadCommand.self,
            DocumentsCommand.self, ServeCommand.self,
            BackupCommand.self, RestoreCommand.self, ConfigCommand.self, EngineCommand.self,
        ],
        defaultSubcommand: LibraryCommand.self)

    @MainActor static func main() async {
        StandardStreams.open()
        _ = TokenOptions.inherited
        // Writing to a closed pipe (`postilla list | head`) returns an error instead of killing the process silently.
        signal(SIGPIPE, SIG_IGN)
        // Before ArgumentParser, whose casts make the runtime look through every conformance of the program.
        if CommandLine.arguments.dropFirst() == ["--version"] { return Output.line(Version.current) }
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Output.error(failure.message)
            ExitStatus.leave(failure.status)
        } catch let failure as LocalStoreError {
            Output.error("\(failure)")
            ExitStatus.leave(.failed)
        } catch is CancellationError {
            ExitStatus.leave(.interrupted)
        } catch {
            // Prints the library's text with control characters replaced: an argument may be another person's text.
            let status = exitCode(for: error)
            var text = fullMessage(for: error)
            if let shell = HelpCompletion.shell(in: Array(CommandLine.arguments.dropFirst())), status.isSuccess {
                text = HelpCompletion.added(
                    to: text, shell: shell,
                    commands: configuration.subcommands.compactMap { $0.configuration.commandName })
            }
            if !text.isEmpty { status.isSuccess ? Output.line(text) : Output.failure(Self.ownVoice(text)) }
            Glibc.exit(status.rawValue)
        }
    }

    /// Begins a usage error like all other errors.
    private static func ownVoice(_ text: String) -> String {
        text.dropping(prefix: "Error: ").map { "postilla: " + $0 } ?? text
    }
}

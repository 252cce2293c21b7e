import ArgumentParser
import Glibc

@main
struct Crash: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Crash",
        abstract: "Kills the real client and server at random moments, and checks that nothing confirmed is lost.",
        subcommands: [CyclesCommand.self, WindowsCommand.self, FilesCommand.self, WriterCommand.self],
        defaultSubcommand: CyclesCommand.self)
}

/// A failure, in one sentence.
struct CrashProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

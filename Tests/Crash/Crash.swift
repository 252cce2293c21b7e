import ArgumentParser
import Glibc

@main
struct Crash: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Crash",
        abstract: "Kills the real client and the real server at random moments, and looks whether all is there.",
        subcommands: [CyclesCommand.self, WriterCommand.self], defaultSubcommand: CyclesCommand.self)
}

/// A failure, in one sentence.
struct CrashProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

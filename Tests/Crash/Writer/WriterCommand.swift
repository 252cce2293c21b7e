import ArgumentParser
import Foundation
import Instant

/// The child process: a client that edits until it is killed and reports its promises.
struct WriterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "writer", abstract: "Edit one layer until killed. Started by the cycles.", shouldDisplay: false)

    @Argument(help: "The server's address.") var server: String
    @Option(help: "The user who edits.") var user: String
    @Option(help: "The data folder.") var data: String
    @Option(help: "The number of this launch, which makes its texts unique.") var launch = 1
    @Option(help: "The seed of the edits.") var seed: UInt64 = 0
    @Flag(help: "Whether edits and downloads may fail.") var bearsFailures = false
    @Flag(help: .hidden) var lies = false

    func run() async throws {
        guard let url = URL(string: server) else { throw ValidationError("\(server) is not an address") }
        let client = try InstantClient(serverURL: url, dataDirectory: URL(fileURLWithPath: data))
        let writer = Writer(
            client: client, user: user, launch: launch, seed: seed, lies: lies, bearsFailures: bearsFailures)
        try await writer.run(Self.inputs())
    }

    /// The lines of standard input, read on a separate thread; the program exits at their end.
    private static func inputs() -> AsyncStream<Order> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() {
                    if let order = Order(line: line) { continuation.yield(order) }
                }
                continuation.finish()
            }
        }
    }
}

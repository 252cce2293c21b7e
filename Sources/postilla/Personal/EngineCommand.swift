import ArgumentParser
import Crypto
import Dispatch
import DocumentEngine
import FoundationEssentials
import Glibc
import Logging
import PDFPages
import UnixSignals

/// Runs the engine of a person's own PDFs. Other commands start it when they need it; it ends by itself.
struct EngineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine", abstract: "Run the engine for PDFs on this machine (started by other commands).",
        shouldDisplay: false)

    @OptionGroup var data: DataOptions

    @Option(help: ArgumentHelp("Time after the last connection until the engine ends.", valueName: "time"))
    var idle = DurationArgument(seconds: 30)

    @Option(help: ArgumentHelp("Serve one command that only reads from this folder, and remove it.", valueName: "dir"))
    var reading: String?

    func run() async throws {
        PrivateSession.leave()
        let reading = reading.map(ReadingFolder.init(path:))
        defer { reading?.remove() }
        let folder = try reading?.engine ?? EngineFolder(data.folders())
        EngineProcessState.makeOwn()
        try folder.make()
        guard let hold = try await EngineHold.take(folder, runtime: reading?.runtime) else { return }
        defer { withExtendedLifetime(hold) {} }
        let key = try EngineKey(folder.key)
        let server = try Server(try await options(folder, hold, key))
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        let obeying = Task {
            for await signal in signals where signal != .sighup { await server.stop() }
        }
        defer { obeying.cancel() }
        try await server.run { _ in
            hold.listens()
            Output.json(#"{"engine":"ready"}"#)
            // Apart: no client waits for it.
            DispatchQueue.global(qos: .utility).async {
                RuntimeFolders(folder).removeOrphans()
                PDFTools.removeLeftScratchFolders()
            }
        }
    }

    /// How long an engine may take to end when no client can find it any more, in seconds.
    private static let secondsToEnd = 3

    private func options(_ folder: EngineFolder, _ hold: EngineHold, _ key: EngineKey) async throws -> Server.Options {
        let place = hold.place
        var personal = PersonalOptions(
            socket: place.socket, keptFolder: folder.kept, memoryFolder: place.states,
            issuer: try await TokenIssuer(privateKeyPEM: key.privatePEM), version: Postilla.configuration.version)
        personal.instance = hold.record.instance
        personal.limits = EngineProcessState.limits
        personal.user = OwnFileSession.login
        personal.idle = .seconds(idle.seconds)
        personal.isInMemory = place.isInMemory
        personal.forget = { [place] document, edits in
            RuntimeFolders.forget(in: place, losing: edits == .keep ? .nothing : nil) { $0.isExactly(document) }
        }
        personal.isInPlace = { hold.isInPlace }
        personal.place = [place.socket, place.lock, folder.lock]
        personal.lostPlace = {
            // What is not in the files is on disk already; a file that hangs must not hold up the next engine.
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.secondsToEnd)) { _exit(1) }
        }
        var options = Server.Options(
            dataFolder: place.database, keys: [try await VerificationKey(pem: key.publicPEM)], secrets: [])
        options.personal = personal
        // Its machine may run on a battery. Streams to the same machine end with their process.
        options.timeEvery = .seconds(20)
        // A folder in memory is small.
        options.service.freeDiskBytes = 1 << 20
        options.service.stopSeconds = 5
        let log = EngineLog(folder.log)
        options.logger = Logger(label: "postilla.engine") { _ in
            LogLines(.text, level: .notice, now: { .now }, write: { log.write($0, to: STDERR_FILENO) })
        }
        return options
    }
}

/// The key with which the engine signs the tokens of local processes; no other program ever opens it.
struct EngineKey {
    let privatePEM: String
    let publicPEM: String

    /// Reads the key, or makes it with the first engine.
    init(_ path: String) throws {
        if access(path, F_OK) != 0 {
            try PrivateFile.write(P256.Signing.PrivateKey().pemRepresentation + "\n", to: path)
        }
        if let warning = PrivateFile.warning(ifOpen: path) { throw CommandFailure(warning) }
        privatePEM = try PrivateFile.read(path)
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: privatePEM) else {
            throw CommandFailure("\(path) is damaged; remove it, and a new key is made")
        }
        publicPEM = key.publicKey.pemRepresentation
    }
}

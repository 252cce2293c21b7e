import ArgumentParser
import Crypto
import DocumentEngine
import FoundationEssentials
import Glibc
import Instant
import Logging
import UnixSignals

/// Runs the engine of a person's own PDFs. Other commands start it when they need it; it ends by itself.
struct EngineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine", abstract: "Run the engine for PDFs on this machine (started by other commands).",
        shouldDisplay: false)

    @OptionGroup var data: DataOptions

    @Option(help: ArgumentHelp("Time after the last connection until the engine ends.", valueName: "time"))
    var idle = DurationArgument(seconds: 30)

    func run() async throws {
        OpenFiles.allowAll()
        let place = try EnginePlace(data.folders())
        PrivateSession.leave(place)
        try place.make()
        // Released by the kernel when the process ends, however it ends.
        guard let lock = try EngineLock(place) else { return }
        defer { withExtendedLifetime(lock) {} }
        let key = try EngineKey(place.key)
        let server = try Server(try await options(place, key))
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        let obeying = Task {
            for await signal in signals where signal != .sighup { await server.stop() }
        }
        defer { obeying.cancel() }
        try await server.run { _ in Output.json(#"{"engine":"ready"}"#) }
    }

    private func options(_ place: EnginePlace, _ key: EngineKey) async throws -> Server.Options {
        var personal = PersonalOptions(
            socket: place.socket, keptFolder: place.kept, memoryFolder: place.states,
            issuer: try await TokenIssuer(privateKeyPEM: key.privatePEM), version: Postilla.configuration.version)
        personal.user = OwnFileSession.login
        personal.idle = .seconds(idle.seconds)
        personal.isInMemory = place.isInMemory
        personal.forget = { [place] in Self.forget($0, place, losing: $1) }
        var options = Server.Options(
            dataFolder: place.database, keys: [try await VerificationKey(pem: key.publicPEM)], secrets: [])
        options.personal = personal
        // A folder in memory is small.
        options.service.freeDiskBytes = 1 << 20
        options.service.stopSeconds = 5
        options.logger = Logger(label: "postilla.engine") { _ in
            LogLines(.text, level: .notice, now: { .now }, write: Output.logLine)
        }
        return options
    }

    /// Removes the clients' copies of a document.
    ///
    /// - Returns: false if one of them has unsent edits that are to be kept, or is in use.
    private static func forget(
        _ document: String, _ place: EnginePlace, losing edits: PersonalOptions.UnsentEdits
    ) -> Bool {
        let url = URL(filePath: place.layers)
        guard FileManager.default.fileExists(atPath: place.layers) else { return true }
        do throws(InstantError) {
            for entry in try InstantClient.listCacheEntries(in: url) where entry.documentIdentifier == document {
                try InstantClient.remove(entry, in: url, losing: edits == .keep ? .nothing : nil)
                UndoStore.removeAll(of: entry.identity, in: place.undo)
            }
            return true
        } catch { return false }
    }
}

/// One engine for each place.
final class EngineLock: Sendable {
    private let descriptor: CInt

    /// Waits for an engine that is ending.
    ///
    /// - Returns: nil if another engine serves the place.
    init?(_ place: EnginePlace) throws {
        let descriptor = open(place.lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("cannot open \(place.lock): \(String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw CommandFailure("cannot lock \(place.lock): \(String(cString: strerror(errno)))")
            }
            if UnixSocket.isListening(place.socket) { return nil }
            usleep(10_000)
        }
    }

    deinit { close(descriptor) }
}

/// The key with which the engine signs the tokens of local processes; nobody else ever opens it.
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

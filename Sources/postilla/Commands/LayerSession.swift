import Annotations
import FoundationEssentials
import Instant
import InstantCore

/// A layer for the length of one command: opened with a token, brought up to date, read.
struct LayerSession {
    /// Kept alive: descriptors do not retain it.
    let client: InstantClient
    let descriptor: InstantDocumentDescriptor
    private let token: String

    /// - Throws: ``CommandFailure`` without a token, or when it is none of ours.
    init(server: String, source: TokenSource, options: ServerOptions) async throws {
        guard let token = try await source.token(refused: nil, document: nil, layer: nil) else {
            throw CommandFailure(
                "a token is needed: give --token-file, --token-command, --token-url or --token-stdin", .authentication)
        }
        guard let url = URL(string: server) else { throw CommandFailure("\(server) is not an address", .usage) }
        self.token = token
        do throws(InstantError) {
            client = try InstantClient(
                serverURL: url, dataDirectory: URL(filePath: try Self.folder(options)),
                allowsInsecureHTTP: options.insecureHttp)
            descriptor = try client.documentDescriptor(forJWT: token)
        } catch { throw CommandFailure(error) }
    }

    private static func folder(_ options: ServerOptions) throws(InstantError) -> String {
        do { return try Folders(dataDirectory: options.dataDir).data } catch {
            throw InstantError(.couldNotWriteToDisk, (error as? CommandFailure)?.message ?? "\(error)")
        }
    }

    /// One cycle, both ways, unless another process sees to that. Gives up on a server that does not answer after 10 s.
    func synchronize() async throws {
        let events = descriptor.events
        descriptor.delayForSyncingLocalChanges = nil
        guard descriptor.status.connection != .elsewhere else {
            return Output.message(
                "Another program on this machine keeps the layer in step; this is the copy they share.")
        }
        descriptor.reauthenticate(withJWT: token)
        descriptor.sync()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Self.outcome(of: events) }
            group.addTask {
                try await Task.sleep(for: .seconds(10))
                throw CommandFailure("the server did not answer within 10 s", .unreachable)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func outcome(of events: AsyncStream<InstantEvent>) async throws {
        for await event in events {
            switch event {
            case .didFinishSync: return
            case .didFailSync(let error), .didFailReauthentication(let error): throw CommandFailure(error)
            case .didFailAuthentication(let need) where need != .noneYet:
                throw CommandFailure("\(need)", .authentication)
            case .didLoseAccess(let why): throw CommandFailure(why, .notPermitted)
            default: break
            }
        }
        throw CancellationError()
    }
}

extension CommandFailure {
    init(_ error: InstantError) {
        let status: ExitStatus =
            switch error.kind {
            case .invalidJWT, .userIDMismatch, .authenticationFailed: .authentication
            case .accessDenied: .notPermitted
            case .requestFailed: .unreachable
            default: .failed
            }
        self.init(error.message, status)
    }
}

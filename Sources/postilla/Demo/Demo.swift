import Annotations
import Dispatch
import Glibc

/// Everything in the demo except the viewer: keys, tokens, a server and its samples.
struct Demo {
    let folder: DemoFolder
    /// The server's address.
    let server: String

    /// Creates the demo and keeps the server running while `body` runs.
    static func run(_ folders: Folders, _ body: @escaping @Sendable (Demo) async throws -> Void) async throws {
        let folder = try DemoFolder(folders)
        let samples = try Samples.all()
        try folder.makeSecrets()
        try await folder.writeTokens(now: .now)
        try await DemoServer(folder: folder).run { server in
            let backend = try Backend(
                server: server, secret: try PrivateFile.secret(folder.apiToken, otherwise: .failed))
            for sample in samples {
                let recent = try folder.recent(sample.path, now: .now)
                try await backend.uploadIfMissing(recent, documentID: sample.documentID)
            }
            try await body(Demo(folder: folder, server: server))
        }
    }
}

/// Ctrl-C, SIGTERM or a hang-up.
enum Interruption {
    /// - Returns: The sources; cancel them to stop reporting signals.
    static func watch(_ tell: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { tell(number) }
            source.resume()
            return source
        }
    }

    static func wait() async {
        let (signals, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let sources = watch { continuation.yield($0) }
        for await _ in signals { break }
        for source in sources { source.cancel() }
    }
}

import Annotations

/// Everything of the demo but the viewer: keys, tokens, a server, the samples on it.
struct Demo {
    let folder: DemoFolder
    /// The server's address.
    let server: String

    /// Makes it, and keeps the server running for as long as `body` does.
    static func run(_ folders: Folders, _ body: @escaping @Sendable (Demo) async throws -> Void) async throws {
        let folder = try DemoFolder(folders)
        let samples = try Samples.all()
        try folder.makeSecrets()
        try await folder.writeTokens(now: .now)
        try await DemoServer(folder: folder).run { server in
            let backend = Backend(server: server, secret: try PrivateFile.secret(folder.apiToken, otherwise: .failed))
            for sample in samples {
                try await backend.uploadIfMissing(sample.path, documentID: sample.documentID)
            }
            try await body(Demo(folder: folder, server: server))
        }
    }
}

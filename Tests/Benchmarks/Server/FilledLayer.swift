import EngineSupport
import Foundation
import TestSupport

/// A filled layer on the server, and its copy on this machine.
struct FilledLayer {
    let command: [String]
    let environment: [String: String]
    /// From an empty folder to the last record and the PDF on this machine.
    let firstSync: Duration

    /// Uploads a PDF, posts remarks until there are this many records, including those of the PDF itself, and opens the
    /// layer once.
    ///
    /// - Parameter pages: The number of pages, from the first, that the remarks are on.
    static func fill(
        _ backend: Backend, document: String, pdf: String, count: Int, pages: Int = 109, folder: URL
    ) async throws -> FilledLayer {
        try backend.upload(pdf, as: document)
        let own = try await backend.count(document: document)
        try await backend.post(Array(Remark.all(count, pages: pages).prefix(count - own)), document: document)
        return try open(backend, document: document, count: count, folder: folder)
    }

    /// Opens a layer of this many records on a terminal for the first time, and waits until all of it is stored.
    static func open(_ backend: Backend, document: String, count: Int, folder: URL) throws -> FilledLayer {
        let home = folder.appendingPathComponent("home-\(document)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let command = try backend.openCommand(document: document, user: "reader", home: home)
        let environment = ["HOME": home.path]
        let start = ContinuousClock.now
        let terminal = try VirtualTerminal(running: command, environment: environment)
        try terminal.wait(until: "\(document) is here", seconds: 120) {
            $0.recordCount == count && $0.text.contains("synced")
        }
        let end = ContinuousClock.now
        terminal.waitForIdle(milliseconds: 1_000)
        terminal.send(text: "q")
        _ = try terminal.waitForExit()
        return FilledLayer(command: command, environment: environment, firstSync: end - start)
    }
}

extension VirtualTerminal {
    /// The number of records by the title of Postilla's list, such as `Annotations 976 · 24 links hidden`, with those
    /// that are hidden.
    var recordCount: Int? {
        for row in 0..<size.rows {
            guard let title = line(row).firstMatch(of: #/ ?Annotations (\d+)(.*)/#), let listed = Int(title.1) else {
                continue
            }
            return title.2.matches(of: #/(\d+) [a-z ]*hidden/#).reduce(listed) { $0 + (Int($1.1) ?? 0) }
        }
        return nil
    }
}

extension Backend {
    /// Returns the command that a person types, with their own token in a file.
    func openCommand(document: String, user: String, home: URL) throws -> [String] {
        let token = home.appendingPathComponent("token")
        try ServerProcess.writePrivately(try server.mint.token(document: document, user: user), to: token)
        return [
            postilla, "open", server.address, "--token-file", token.path, "--author", user, "--data-dir",
            home.appendingPathComponent("data").path,
        ]
    }
}

import EngineSupport
import Foundation
import TestThreads
import Testing

/// A machine without a usable libpq: only a server that uses PostgreSQL notices.
@Suite(.onOwnThreads)
struct LibpqStories {
    private let folder: Folder
    private let arguments: [String]
    private let environment: [String: String]

    init() throws {
        folder = try Folder()
        let key = try folder.write("key.pub.pem", TokenMint().publicKeyPEM)
        arguments = ["serve", "--check", "--port", "0", "--data", folder.path + "/data", "--jwt-public-key", key]
        // The dynamic loader looks here first, and stops at a file that is no library.
        let libraries = try folder.makeFolder("lib")
        try folder.write("lib/libpq.so.5", "no library")
        environment = ["HOME": folder.path, "LD_LIBRARY_PATH": libraries]
    }

    @Test func everythingElseWorks() throws {
        #expect(try Program.run(["--version"], environment: environment).status == 0)
        let run = try Program.run(arguments, environment: environment)
        #expect(run.status == 0, "\(run.messages)")
    }

    @Test func aServerThatUsesPostgreSQLSaysWhatIsMissing() throws {
        let run = try Program.run(
            arguments + ["--store", "postgres://nobody@127.0.0.1:1/none"], environment: environment)
        #expect(run.status == 1)
        #expect(run.messages.contains("libpq cannot be loaded"), "\(run.messages)")
        #expect(run.messages.contains("libpq.so.5: file too short"), "the loader's reason: \(run.messages)")
        #expect(run.messages.contains("libpq5 on Debian"), "\(run.messages)")
    }
}

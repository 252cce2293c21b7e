import Foundation
import Glibc
import Testing

/// Another account for the files that this thread opens, since root may do everything.
enum OtherUser {
    private static let nobody: uid_t = 65534

    /// Runs the body as the owner of these folders and what is in them: as nobody if this process is root's.
    static func withFiles(of folders: [String], _ body: () throws -> Void) throws {
        guard geteuid() == 0 else { return try body() }
        for folder in folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                #expect(chown("\(folder)/\(name)", nobody, nobody) == 0)
            }
            #expect(chown(folder, nobody, nobody) == 0)
        }
        try setUser(nobody)
        defer { try? setUser(0) }
        try body()
    }

    /// Only for the thread, and only where files are concerned (setfsuid(2)).
    private static func setUser(_ user: uid_t) throws {
        typealias Function = @convention(c) (uid_t) -> CInt
        // Swift's Glibc does not declare it.
        let symbol = try #require(dlsym(nil, "setfsuid"))
        _ = unsafeBitCast(symbol, to: Function.self)(user)
    }
}

import Foundation

/// A file system of its own with few bytes. Only root may make one, so tests with it run where that is allowed.
final class TinyDisk {
    let folder: TemporaryFolder
    var path: String { folder.path }

    static let isAllowed = (try? TinyDisk(kilobytes: 64)) != nil

    init(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path])
    }

    deinit { try? Self.run(["umount", "-l", folder.path]) }

    /// Makes it larger, or read-only (`ro`).
    func remount(_ option: String) throws { try Self.run(["mount", "-o", "remount,\(option)", folder.path]) }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
    }
}

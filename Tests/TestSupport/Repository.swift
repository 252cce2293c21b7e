import Foundation

/// The package's files that tests read, located relative to this file.
package enum Repository {
    /// The absolute path of the package's root folder.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    package static func text(_ path: String) throws -> String {
        try String(contentsOf: URL(fileURLWithPath: root + "/" + path), encoding: .utf8)
    }

    /// Whether this run rewrites expected results instead of comparing with them (`RECORD_SNAPSHOTS=1`).
    package static let isRecording = ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"

    /// Returns the path of a program of this build: all are in one folder.
    package static func program(_ name: String) -> String {
        let beside = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent(name).path
        let built = beside.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
        return built ?? root + "/.build/debug/" + name
    }

    package static func write(_ text: String, to path: String) throws {
        try text.write(to: URL(fileURLWithPath: root + "/" + path), atomically: true, encoding: .utf8)
    }

    /// Returns the files below a folder, as sorted paths relative to the root.
    package static func files(below folder: String, suffix: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: root + "/" + folder)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(suffix) }.sorted().map { folder + "/" + $0 }
    }

    /// Real files next to the package on some machines, never part of it: path by name.
    package static let samples: [(name: String, path: String)] = {
        let folder = root + "/../shared/samples"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { ($0, folder + "/" + $0) }
    }()
}

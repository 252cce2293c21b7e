import Children
import Foundation
import Glibc
import TestSupport

/// `Resources/disk-faults.c`: a library that makes one operation of a program fail on its way to the disk.
struct DiskFaults {
    /// What happens to the chosen operation.
    enum Kind: String, CaseIterable {
        case ioOnce = "EIO"
        case ioOn = "EIO until repaired"
        case fullOnce = "ENOSPC"
        case fullOn = "ENOSPC until there is room"
        case short = "short write"
        case shortThenFull = "short write, then ENOSPC until there is room"

        fileprivate var code: CInt { [.ioOnce, .ioOn].contains(self) ? EIO : ENOSPC }

        /// The value of `enum action` in the library.
        fileprivate var action: UInt64 {
            switch self {
            case .ioOnce, .fullOnce: 0
            case .ioOn, .fullOn: 1
            case .short: 2
            case .shortThenFull: 3
            }
        }

        var isFullDisk: Bool { code == ENOSPC }

        /// The kinds to try on an operation. Most are writes, so of the kinds that are alike each write gets another one.
        static func kinds(of operation: String, number: Int) -> [Kind] {
            switch operation {
            case "fsync", "fdatasync", "rename": [.ioOnce, .ioOn, .fullOnce]
            case "create", "mkdir", "ftruncate", "fallocate", "posix_fallocate": [.ioOnce, .fullOnce, .fullOn]
            default: [.ioOnce, .fullOn, [.ioOn, .fullOnce, .short, .shortThenFull][number % 4]]
            }
        }
    }

    struct Fault: CustomStringConvertible {
        /// The operation that fails, counted from 1 by all processes that share the control file.
        var at: Int
        var kind: Kind

        var description: String { "operation \(at): \(kind.rawValue)" }
    }

    private let folder: URL
    private let library: URL

    /// - Parameters:
    ///   - library: The compiled library.
    ///   - folder: For the control file, the log and the disk; created.
    init(library: URL, folder: URL) throws {
        (self.library, self.folder) = (library, folder)
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        try Data(count: Place.allCases.count * 8).write(to: control)
    }

    static func compile(into folder: URL) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = folder.appendingPathComponent("disk-faults.so")
        let compiler = try ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: [
                "cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", library.path,
                Repository.root + "/Resources/disk-faults.c",
            ])
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw Failure("cc cannot compile Resources/disk-faults.c") }
        return library
    }

    private var control: URL { folder.appendingPathComponent("control") }
    private var logFile: URL { folder.appendingPathComponent("failures.log") }
    private var disk: URL { folder.appendingPathComponent("disk") }
    /// The files of the watched folder as a power failure would leave them.
    var filesOnDisk: URL { disk.appendingPathComponent("files") }

    /// The environment of a program whose operations below a folder are counted.
    ///
    /// - Parameter hasDisk: Whether ``filesOnDisk`` follows what it syncs; for one folder only.
    func environment(watching watched: String, hasDisk: Bool, traces: Bool = false) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["LD_PRELOAD"] = library.path
        environment["DISK_FAULTS"] = control.path
        environment["DISK_FAULTS_FOLDER"] = watched
        environment["DISK_FAULTS_LOG"] = logFile.path
        environment["DISK_FAULTS_DISK"] = hasDisk ? disk.path : nil
        environment["DISK_FAULTS_TRACE"] = traces ? "1" : nil
        return environment
    }

    /// The members of `struct control`.
    private enum Place: Int, CaseIterable {
        case at, action, error, count, failed, isDown
    }

    func arm(_ fault: Fault) throws {
        try set(.action, fault.kind.action)
        try set(.error, UInt64(fault.kind.code))
        try set(.at, UInt64(fault.at))
    }

    /// Ends a lasting fault. One that has not happened yet still may.
    func heal() throws { try set(.isDown, 0) }

    /// From now on nothing fails.
    func disarm() throws {
        try set(.at, 0)
        try heal()
    }

    var isDown: Bool { get throws { try value(.isDown) != 0 } }
    var operations: Int { get throws { Int(try value(.count)) } }
    var failures: Int { get throws { Int(try value(.failed)) } }

    /// A line for each failed operation, or with tracing for every one: its number, name, path and end.
    var log: [String] {
        ((try? String(contentsOf: logFile, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    private func value(_ place: Place) throws -> UInt64 {
        let data = try Data(contentsOf: control)
        return data.dropFirst(place.rawValue * 8).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func set(_ place: Place, _ value: UInt64) throws {
        let file = try FileHandle(forWritingTo: control)
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(place.rawValue * 8))
        try file.write(contentsOf: withUnsafeBytes(of: value.littleEndian) { Data($0) })
    }
}

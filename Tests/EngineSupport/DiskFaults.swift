import Children
package import Foundation
import Glibc

/// `Resources/disk-faults.c`: a library that makes one operation of a program fail on its way to the disk.
package struct DiskFaults {
    /// What happens to the chosen operation.
    package enum Kind: String, CaseIterable {
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

        package var isFullDisk: Bool { code == ENOSPC }

        /// The kinds to try on an operation, given as name and path. Most are writes to a log, which take turns.
        package static func kinds(of operation: String, number: Int) -> [Kind] {
            if operation.hasPrefix("pwrite"), operation.hasSuffix("-wal") {
                return [allCases[number / 3 % allCases.count]]
            }
            switch String(operation.prefix { $0 != " " }) {
            case "fsync", "fdatasync", "rename": return [.ioOnce, .ioOn, .fullOnce]
            case "create", "mkdir", "ftruncate", "fallocate", "posix_fallocate": return [.ioOnce, .fullOnce, .fullOn]
            default: return [.ioOnce, .fullOn, [.ioOn, .fullOnce, .short, .shortThenFull][number % 4]]
            }
        }
    }

    package struct Fault: CustomStringConvertible {
        /// The operation that fails, counted from 1 by all processes that share the control file.
        package var at: Int
        package var kind: Kind

        package init(at: Int, kind: Kind) { (self.at, self.kind) = (at, kind) }

        package var description: String { "operation \(at): \(kind.rawValue)" }
    }

    private let folder: URL
    private let library: URL

    /// - Parameters:
    ///   - library: The compiled library.
    ///   - folder: For the control file, the log and the disk; created.
    package init(library: URL, folder: URL) throws {
        (self.library, self.folder) = (library, folder)
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        try Data(count: Place.allCases.count * 8).write(to: control)
    }

    package static func compile(into folder: URL) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = folder.appendingPathComponent("disk-faults.so")
        let compiler = try ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: [
                "cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", library.path,
                URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Resources/disk-faults.c",
            ])
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw ServerTrouble("cc cannot compile Resources/disk-faults.c") }
        return library
    }

    private var control: URL { folder.appendingPathComponent("control") }
    private var logFile: URL { folder.appendingPathComponent("failures.log") }
    private var disk: URL { folder.appendingPathComponent("disk") }
    /// The files of the watched folder as a power failure would leave them.
    package var filesOnDisk: URL { disk.appendingPathComponent("files") }

    /// The environment of a program whose operations below a folder are counted.
    ///
    /// - Parameters:
    ///   - hasDisk: Whether ``filesOnDisk`` follows what it syncs; for one folder only.
    ///   - only: The operations that count, as a name and the end of a path: `fdatasync -wal`; nil: all.
    package func environment(
        watching watched: String, hasDisk: Bool, only: String? = nil, traces: Bool = false
    ) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["DISK_FAULTS_ONLY"] = only
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

    package func arm(_ fault: Fault) throws {
        try set(.action, fault.kind.action)
        try set(.error, UInt64(fault.kind.code))
        try set(.at, UInt64(fault.at))
    }

    /// Ends a lasting fault. One that has not happened yet still may.
    package func heal() throws { try set(.isDown, 0) }

    /// Replaces the files of a folder by those on the disk. The programs that use it must have been killed.
    package func failPower(in watched: URL) throws {
        let files = FileManager.default
        try? files.removeItem(at: watched)
        guard files.fileExists(atPath: filesOnDisk.path) else { return }
        try files.copyItem(at: filesOnDisk, to: watched)
        try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: watched.path)
        // All pages are on the disk now.
        let pages = disk.appendingPathComponent("pages")
        for path in try files.subpathsOfDirectory(atPath: filesOnDisk.path) {
            let file = filesOnDisk.appendingPathComponent(path)
            let values = try file.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            guard values.isRegularFile == true else { continue }
            try Data(repeating: 2, count: ((values.fileSize ?? 0) + 4095) / 4096).write(
                to: pages.appendingPathComponent(path))
        }
    }

    /// From now on nothing fails.
    package func disarm() throws {
        try set(.at, 0)
        try heal()
    }

    package var isDown: Bool { get throws { try value(.isDown) != 0 } }
    package var operations: Int { get throws { Int(try value(.count)) } }
    package var failures: Int { get throws { Int(try value(.failed)) } }

    /// A line for each failed operation, or with tracing for every one: its number, name, path and end.
    package var log: [String] {
        ((try? String(contentsOf: logFile, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// Of a program that traces: the name and path of each operation, in order.
    package var operationNames: [String] {
        log.map { line in
            line.split(separator: " ", omittingEmptySubsequences: false).dropFirst().dropLast().joined(separator: " ")
        }
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

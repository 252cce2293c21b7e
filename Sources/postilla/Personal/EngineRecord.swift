import Annotations
import DocumentEngine
import Glibc

/// What an engine writes beside its lock: which process it is, and where clients find it. Only the lock says whether it runs.
struct EngineRecord: Hashable, Sendable {
    /// The engine's folder in the data folder, by device and inode. A copied folder has a copy of the record, which is that
    /// of another engine.
    var device: UInt64
    var inode: UInt64
    /// In the engine's PID namespace.
    var pid: pid_t
    /// In clock ticks since the machine was started; 0: unknown.
    var start: UInt64
    /// The kernel's random id of this run of the machine.
    var boot: String
    /// The engine's mount namespace; 0: unknown.
    var mounts: UInt64
    var version: String
    /// Absolute.
    var runtime: String
    /// A random word of this run.
    var instance: String

    /// - Parameters:
    ///   - runtime: where the engine is.
    ///   - folder: the engine's folder in the data folder.
    init(ofThisProcess runtime: String, folder: stat, version: String, instance: String) {
        (device, inode) = (UInt64(folder.st_dev), UInt64(folder.st_ino))
        let here = Here.now
        let process = ProcessIdentity(pid: getpid())
        (pid, start, boot, mounts) = (process.pid, process.start, here.boot, here.mounts)
        (self.runtime, self.version, self.instance) = (runtime, version, instance)
    }

    /// Where a process runs.
    struct Here: Hashable, Sendable {
        var boot: String
        var mounts: UInt64

        static var now: Here {
            let boot = (try? PrivateFile.read("/proc/sys/kernel/random/boot_id").trimmed) ?? ""
            var status = stat()
            return Here(boot: boot, mounts: stat("/proc/self/ns/mnt", &status) == 0 ? UInt64(status.st_ino) : 0)
        }
    }

    /// Whether the engine was started on another machine, or where other folders may be at its paths.
    func isElsewhere(_ here: Here) -> Bool {
        !boot.isExactly(here.boot) || (mounts != here.mounts && mounts != 0 && here.mounts != 0)
    }

    /// Whether it was written for this folder.
    func isOf(_ folder: stat) -> Bool { device == UInt64(folder.st_dev) && inode == UInt64(folder.st_ino) }

    // MARK: As JSON

    private static let format: Int64 = 1

    var json: JSON {
        [
            "format": .number(JSONNumber(Self.format)), "pid": .number(JSONNumber(Int64(pid))),
            "start": .string("\(start)"),
            "device": .string("\(device)"), "inode": .string("\(inode)"), "boot": .string(boot),
            "mounts": .string("\(mounts)"), "version": .string(version),
            "runtime": .string(runtime), "instance": .string(instance),
        ]
    }

    /// - Returns: nil for anything that ``json`` did not write.
    init?(_ json: JSON) {
        guard json["format"]?.integer == Self.format, let pid = json["pid"]?.integer.flatMap(pid_t.init(exactly:)),
            let start = json["start"]?.string.flatMap(UInt64.init), let boot = json["boot"]?.string,
            let device = json["device"]?.string.flatMap(UInt64.init),
            let inode = json["inode"]?.string.flatMap(UInt64.init),
            let mounts = json["mounts"]?.string.flatMap(UInt64.init), let version = json["version"]?.string,
            let runtime = json["runtime"]?.string, runtime.utf8.first == UInt8(ascii: "/"),
            !runtime.utf8.contains(0), let instance = json["instance"]?.string, !instance.isEmpty
        else { return nil }
        (self.pid, self.start, self.boot, self.mounts) = (pid, start, boot, mounts)
        (self.device, self.inode) = (device, inode)
        (self.version, self.runtime, self.instance) = (version, runtime, instance)
    }

    /// Reads the record of a folder that has been checked. Blocks.
    ///
    /// - Returns: nil if there is none, or one that cannot be read.
    /// - Throws: ``CommandFailure`` if another account could have written it.
    static func read(_ path: String) throws -> EngineRecord? {
        guard let bytes = try OwnFolder.read(path), let json = try? JSONReader.parse(bytes) else { return nil }
        return EngineRecord(json)
    }
}

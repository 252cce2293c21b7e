import Foundation
import Glibc

/// A separate file system with few bytes. Only root can create one, so its tests run only where that is allowed.
package final class TinyDisk: Sendable {
    package let path: String

    package static let isAllowed = (try? TinyDisk(kilobytes: 64)) != nil

    package init(kilobytes: Int) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("postilla-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try mount(flags: 0, "size=\(kilobytes)k")
    }

    deinit {
        _ = umount2(path, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(atPath: path)
    }

    package func grow(toKilobytes kilobytes: Int) throws { try mount(flags: UInt(MS_REMOUNT), "size=\(kilobytes)k") }

    package func makeReadOnly() throws { try mount(flags: UInt(MS_REMOUNT) | UInt(MS_RDONLY), "") }

    /// A child process that another test starts inherits open files until its exec, so the disk is busy for that time.
    private func mount(flags: UInt, _ options: String) throws {
        for _ in 0..<6000 {
            if Glibc.mount("tmpfs", path, "tmpfs", flags, options) == 0 { return }
            let code = errno
            guard code == EBUSY else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
            poll(nil, 0, 10)
        }
        throw POSIXError(.EBUSY)
    }
}

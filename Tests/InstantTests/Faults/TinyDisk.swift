import Foundation
import Glibc

/// A separate file system with few bytes. Only root can create one, so its tests run only where that is allowed.
final class TinyDisk {
    let folder: TemporaryFolder
    var path: String { folder.path }

    static let isAllowed = (try? TinyDisk(kilobytes: 64)) != nil

    init(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        try mount(flags: 0, "size=\(kilobytes)k")
    }

    deinit {
        _ = umount2(path, Int32(MNT_DETACH))
    }

    func grow(toKilobytes kilobytes: Int) throws { try mount(flags: UInt(MS_REMOUNT), "size=\(kilobytes)k") }

    func makeReadOnly() throws { try mount(flags: UInt(MS_REMOUNT) | UInt(MS_RDONLY), "") }

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

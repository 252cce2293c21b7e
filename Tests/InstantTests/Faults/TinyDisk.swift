import Foundation
import Glibc

/// A file system of its own with few bytes. Only root may make one, so tests with it run where that is allowed.
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

    /// A program that another test starts has this one's open files until it runs: for that moment the disk is busy.
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

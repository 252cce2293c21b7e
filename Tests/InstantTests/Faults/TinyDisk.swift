import Foundation

#if canImport(Glibc)
    import Glibc
#endif

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
        #if canImport(Glibc)
            _ = umount2(path, Int32(MNT_DETACH))
        #endif
    }

    func grow(toKilobytes kilobytes: Int) throws { try mount(flags: UInt(MS_REMOUNT), "size=\(kilobytes)k") }

    func makeReadOnly() throws { try mount(flags: UInt(MS_REMOUNT) | UInt(MS_RDONLY), "") }

    private func mount(flags: UInt, _ options: String) throws {
        #if canImport(Glibc)
            guard Glibc.mount("tmpfs", path, "tmpfs", flags, options) == 0 else { throw POSIXError(.EPERM) }
        #else
            throw POSIXError(.ENOTSUP)
        #endif
    }
}

import Glibc

/// What a folder's file system means for locks and for what must survive a crash (statfs(2), `linux/magic.h`).
package enum FileSystemKind: Hashable, Sendable {
    /// A disk of this machine.
    case disk
    case memory
    /// Shared with other machines, or served by a program that answers locks for this mount only. Locks there do not keep
    /// two engines apart. The value is its name.
    case remote(String)

    package var isRemote: Bool { if case .remote = self { true } else { false } }

    /// - Parameter type: the member `f_type` of `struct statfs`.
    package init(type: UInt32) {
        self =
            switch type {
            // tmpfs, ramfs.
            case 0x0102_1994, 0x8584_58F6: .memory
            case 0x6969: .remote("NFS")
            case 0xFF53_4D42, 0xFE53_4D42, 0x517B: .remote("SMB")
            case 0x00C3_6400: .remote("Ceph")
            case 0x5346_414F, 0x6B41_4653: .remote("AFS")
            case 0x7375_7245: .remote("Coda")
            case 0x564C: .remote("NCP")
            case 0x0BD0_0BD0: .remote("Lustre")
            case 0x4750_4653: .remote("GPFS")
            case 0x0116_1970: .remote("GFS2")
            case 0x7461_636F: .remote("OCFS2")
            case 0x1983_0326: .remote("BeeGFS")
            case 0x2003_0528: .remote("OrangeFS")
            case 0x0102_1997: .remote("9p")
            case 0x6573_5546: .remote("FUSE, such as sshfs")
            case 0x786F_4256: .remote("a shared folder of VirtualBox")
            case 0xBACB_ACBC: .remote("a shared folder of VMware")
            default: .disk
            }
    }

    /// The kind of the nearest folder that exists. Blocks.
    package init(of path: String) {
        typealias Function = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> CInt
        // Swift's Glibc does not declare it.
        guard let function = dlsym(nil, "statfs").map({ unsafeBitCast($0, to: Function.self) }) else {
            self = .disk
            return
        }
        var path = path
        // Larger than struct statfs, whose first member is the type, as a word.
        var status = [Int](repeating: 0, count: 64)
        while function(path, &status) != 0 {
            guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
                self = .disk
                return
            }
            path = String(path[..<slash])
        }
        self.init(type: UInt32(truncatingIfNeeded: status[0]))
    }
}

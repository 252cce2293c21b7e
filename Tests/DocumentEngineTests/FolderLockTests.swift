import Foundation
import Testing

@testable import DocumentEngine

struct FolderLockTests {
    @Test func aFolderIsOneServersUntilItIsLetGo() throws {
        let folder = try TemporaryFolder()
        let lock = try FolderLock(folder: folder.path)
        #expect(throws: StoreError.folder(folder.path, "another server is using it")) {
            try FolderLock(folder: folder.path)
        }
        lock.release()
        lock.release()
        _ = try FolderLock(folder: folder.path)
    }

    /// Between fork and exec, a child process that any part of this program starts has copies of all open descriptors.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func aCopyInAProcessThatIsBeingStartedDoesNotKeepIt() throws {
        let folder = try TemporaryFolder()
        let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
        let lock = try FolderLock(folder: path)
        let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        let copy = dup(try #require(held))
        defer { close(copy) }
        lock.release()
        _ = try FolderLock(folder: path)
    }
}

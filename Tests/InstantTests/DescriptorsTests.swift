import Foundation
import Glibc
import Synchronization
import TestThreads
import Testing

@testable import Instant

/// Closing a file descriptor twice closes a file or socket that another thread opened in between.
@Suite(.serialized, .onDatabaseThreads, .timeLimit(.minutes(15))) struct DescriptorsTests {
    @Test func aLockThatIsHeldTakesNothingFromOthers() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/lock"
        let lock = try #require(FileLock(path: path))
        expectNothingLost { if FileLock(path: path) != nil { Issue.record("the lock is held twice") } }
        withExtendedLifetime(lock) {}
    }

    @Test func aFileThatIsBeingFetchedTakesNothingFromOthers() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file.part"
        let part = try PartFile(path: path)
        expectNothingLost {
            do {
                _ = try PartFile(path: path)
                Issue.record("the file is written twice")
            } catch {
                if !(error is PartFile.Busy) { Issue.record(error) }
            }
        }
        withExtendedLifetime(part) {}
    }

    /// Opens and closes files on another thread; each must stay open until that thread closes it.
    private func expectNothingLost(while body: () -> Void) {
        let other = Other()
        Thread.detachNewThread { other.work() }
        other.wait()
        defer { other.end() }
        for _ in 0..<100_000 where other.lost == 0 { body() }
        #expect(other.lost == 0)
    }

    private final class Other: Sendable {
        private let isOver = Atomic<Bool>(false)
        private let found = Atomic<Int>(0)
        private let isThere = DispatchSemaphore(value: 0)
        private let isGone = DispatchSemaphore(value: 0)

        var lost: Int { found.load(ordering: .relaxed) }

        func wait() { isThere.wait() }

        func end() {
            isOver.store(true, ordering: .relaxed)
            isGone.wait()
        }

        func work() {
            isThere.signal()
            while !isOver.load(ordering: .relaxed) {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                for _ in 0..<20 where fcntl(descriptor, F_GETFD) < 0 { found.add(1, ordering: .relaxed) }
                close(descriptor)
            }
            isGone.signal()
        }
    }
}

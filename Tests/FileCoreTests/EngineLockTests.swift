import FileCore
import Testing

@Suite("The lock of an engine")
struct EngineLockTests {
    @Test func nothingIsReadBeforeBothLocksAreHeld() {
        var lock = EngineLock()
        #expect(lock.handle(.asked) == [.takeLock])
        #expect(lock.handle(.tookEarlierLock(true)) == [])
        #expect(lock.handle(.tookLock(true)) == [.takeEarlierLock])
        #expect(lock.handle(.tookEarlierLock(true)) == [.serve])
        #expect(lock.state == .serving)
    }

    @Test func aBusyFolderIsLeftAsItIs() {
        var lock = EngineLock()
        _ = lock.handle(.asked)
        #expect(lock.handle(.tookLock(false)) == [.refuse(isEarlier: false)])
        #expect(lock.handle(.tookLock(true)) == [])
    }

    @Test func anEngineOfAnEarlierVersionIsNotJoined() {
        var lock = EngineLock()
        _ = lock.handle(.asked)
        _ = lock.handle(.tookLock(true))
        #expect(lock.handle(.tookEarlierLock(false)) == [.releaseLocks, .refuse(isEarlier: true)])
    }

    @Test(arguments: 1...3)
    func aLostLockEndsTheEngine(steps: Int) {
        var lock = EngineLock()
        for input in [EngineLock.Input.asked, .tookLock(true), .tookEarlierLock(true)].prefix(steps) {
            _ = lock.handle(input)
        }
        #expect(lock.handle(.lost) == [.releaseLocks, .end])
        #expect(lock.handle(.lost) == [])
    }
}

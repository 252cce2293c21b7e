import CPty
import CTerminal
import Glibc
import Screen
import TestSupport
import Testing

/// The terminal's state after the crash of a child process that does what a device does.
@Suite struct GuardTests {
    private static let takeOver: @convention(c) (Int32) -> Void = { terminal in
        _ = ct_guard(terminal)
        var mode = termios()
        tcgetattr(terminal, &mode)
        cfmakeraw(&mode)
        tcsetattr(terminal, TCSANOW, &mode)
        let on: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h"
        write(terminal, on.utf8Start, on.utf8CodeUnitCount)
        let off: StaticString = "\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"
        ct_guard_text(off.utf8Start, off.utf8CodeUnitCount)
    }

    private func leftBehind(_ body: @convention(c) (Int32) -> Void) throws -> (status: Int32, left: [String]) {
        let terminal = try VirtualTerminal(rows: 5, columns: 20)
        let end = try #require(terminal.programEnd)
        let child = cpty_fork(body, end)
        var status: Int32 = 0
        #expect(waitpid(child, &status, 0) == child)
        terminal.pump()
        return (status, terminal.whatIsLeftBehind)
    }

    @Test func withoutTheGuardTheTerminalWouldBeUnusable() throws {
        let (_, left) = try leftBehind { terminal in
            GuardTests.takeOver(terminal)
            ct_unguard()
            raise(SIGKILL)
        }
        #expect(left.contains("alternate screen") && left.contains("echo off") && left.contains("pastes marked"))
    }

    @Test func aCrashRestoresTheTerminalAndIsStillACrash() throws {
        let (status, left) = try leftBehind { terminal in
            GuardTests.takeOver(terminal)
            UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        }
        #expect(status & 0x7F == SIGSEGV)
        #expect(left == [])
    }

    @Test func anAbortRestoresTheTerminalToo() throws {
        let (status, left) = try leftBehind { terminal in
            GuardTests.takeOver(terminal)
            abort()
        }
        #expect(status & 0x7F == SIGABRT)
        #expect(left == [])
    }

    @Test func aFailedCheckRestoresTheTerminalToo() throws {
        let (status, left) = try leftBehind { terminal in
            GuardTests.takeOver(terminal)
            raise(SIGILL)
        }
        #expect(status & 0x7F == SIGILL)
        #expect(left == [])
    }

    @Test func restoringTwiceDoesNoHarm() throws {
        let (status, left) = try leftBehind { terminal in
            GuardTests.takeOver(terminal)
            ct_restore()
            ct_restore()
        }
        #expect(status == 0)
        #expect(left == [])
    }
}

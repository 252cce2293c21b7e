import Glibc

/// What the shell sees. Documented in the man page; scripts rely on the numbers.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    /// No token, or one that is invalid, expired, revoked or refused.
    case authentication = 3
    case notPermitted = 4
    case unreachable = 5
    case conflict = 6
    /// Wrong words on the command line, or no usable terminal (sysexits: EX_USAGE).
    case usage = 64
    case interrupted = 130

    static func leave(_ status: ExitStatus) -> Never { exit(status.rawValue) }
}

/// A command that cannot go on: what and why, and what to do, in a sentence; never a token in it.
struct CommandFailure: Error, CustomStringConvertible {
    var message: String
    var status: ExitStatus

    init(_ message: String, _ status: ExitStatus = .failed) {
        self.message = message
        self.status = status
    }

    var description: String { message }
}

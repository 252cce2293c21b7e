import Glibc
import SyncProtocol

/// The exit codes. They are documented in the man page, and scripts rely on the numbers.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    /// `diff` cannot compare; as diff(1).
    case differencesUnknown = 2
    /// No token, or one that is invalid, expired, revoked or rejected.
    case authentication = 3
    case notPermitted = 4
    case unreachable = 5
    case conflict = 6
    /// The local copy could not be brought up to date, because another process on this machine holds it.
    case stale = 7
    /// Stored on this machine, and not confirmed by the server. Trying again would do it twice.
    case unconfirmed = 8
    /// Invalid arguments, or no usable terminal (sysexits: EX_USAGE).
    case usage = 64
    /// `serve --check`: stored data is damaged; the server starts, and serves the rest (sysexits: EX_DATAERR).
    case damaged = 65
    case interrupted = 130

    static func leave(_ status: ExitStatus) -> Never { exit(status.rawValue) }
}

/// A failure that ends a command. The message gives the cause and the remedy, and never contains a token.
struct CommandFailure: Error, CustomStringConvertible {
    var message: String
    var status: ExitStatus
    /// Why the engine cannot open a PDF; nil: it is about something else.
    var problem: FileProblem?

    init(_ message: String, _ status: ExitStatus = .failed) {
        self.message = message
        self.status = status
    }

    var description: String { message }
}

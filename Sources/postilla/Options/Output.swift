import Dispatch
import Glibc
import Screen
import SystemPackage

/// Data goes to standard output, messages to standard error. Names, titles and claims are other people's text, and a
/// pipe or a file may be shown on a terminal later: only ``PrintableText`` is written.
enum Output {
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func data(_ text: PrintableText) { write(text, to: STDOUT_FILENO) }

    /// Writes a line of data.
    static func line(_ text: String) { data(PrintableText(replacing: text) + "\n") }

    /// Writes one line of JSON.
    static func json(_ text: String) { data(PrintableText(json: text) + "\n") }

    /// Writes a prompt; the answer follows on the same line.
    static func prompt(_ text: String) { write(PrintableText(replacing: text), to: STDERR_FILENO) }

    static func message(_ text: String) { write(PrintableText(replacing: text) + "\n", to: STDERR_FILENO) }

    /// Writes one whole log line: lines of several threads do not mix.
    static func logLine(_ line: PrintableText) { write(line, to: STDERR_FILENO) }

    static func error(_ text: String) { message("postilla: " + text) }

    /// Exits silently as soon as the reader of the output closes it. A program that only waits would not notice
    /// otherwise.
    static func leaveWhenUnread() {
        DispatchQueue(label: "postilla.output").async {
            // With no events requested, only an error or a hang-up ends the poll.
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&output, 1, -1) < 0, errno == EINTR {}
            ExitStatus.leave(.failed)
        }
    }

    private static func write(_ text: PrintableText, to descriptor: Int32) {
        do { try FileDescriptor(rawValue: descriptor).writeAll(text.string.utf8) } catch {
            // An unread message is not a reason to stop.
            if descriptor == STDERR_FILENO { return }
            // The reader has closed the pipe (`| head`): exit silently.
            if error as? Errno != .brokenPipe { Self.error("cannot write to standard output: \(error)") }
            ExitStatus.leave(.failed)
        }
    }
}

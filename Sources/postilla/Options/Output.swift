import Dispatch
import Glibc
import Screen
import SystemPackage

/// Data goes to standard output, messages to standard error. Names, titles and claims are other people's text, and what
/// is written into a pipe or a file is shown on a terminal later: nothing is written but ``PrintableText``.
enum Output {
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func data(_ text: PrintableText) { write(text, to: STDOUT_FILENO) }

    /// Lines of data for a person or a pipe.
    static func line(_ text: String) { data(PrintableText(replacing: text) + "\n") }

    /// One line of JSON.
    static func json(_ text: String) { data(PrintableText(json: text) + "\n") }

    /// A question to a person, whose answer follows it on the line.
    static func prompt(_ text: String) { write(PrintableText(replacing: text), to: STDERR_FILENO) }

    static func message(_ text: String) { write(PrintableText(replacing: text) + "\n", to: STDERR_FILENO) }

    /// One line of a log, whole: lines of several threads do not mix.
    static func logLine(_ line: PrintableText) { write(line, to: STDERR_FILENO) }

    static func error(_ text: String) { message("postilla: " + text) }

    /// Ends the program, without a word, as soon as nobody reads its output any more: one that waits for something to
    /// tell would else not notice.
    static func leaveWhenUnread() {
        DispatchQueue(label: "postilla.output").async {
            // No event is asked for: only an error or a hang-up wakes it.
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&output, 1, -1) < 0, errno == EINTR {}
            ExitStatus.leave(.failed)
        }
    }

    private static func write(_ text: PrintableText, to descriptor: Int32) {
        do { try FileDescriptor(rawValue: descriptor).writeAll(text.string.utf8) } catch {
            // A message that nobody reads is no reason to stop.
            if descriptor == STDERR_FILENO { return }
            // Nobody reads any more (`| head`): there is nothing left to say.
            if error as? Errno != .brokenPipe { Self.error("cannot write to standard output: \(error)") }
            ExitStatus.leave(.failed)
        }
    }
}

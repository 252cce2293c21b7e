import Dispatch
import Glibc
import Screen
import Synchronization
import SystemPackage

/// Data goes to standard output, messages to standard error. Names, titles and claims are other people's text, and a
/// pipe or a file may be shown on a terminal later: only ``PrintableText`` is written.
enum Output {
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether standard output is this file, which the shell has then emptied already, unless it appends.
    static func goes(to path: String) -> Bool {
        var (here, there) = (stat(), stat())
        return fstat(STDOUT_FILENO, &here) == 0 && here.st_mode & S_IFMT == S_IFREG && stat(path, &there) == 0
            && here.st_dev == there.st_dev && here.st_ino == there.st_ino
    }

    static func data(_ text: PrintableText) { write(text, to: STDOUT_FILENO) }

    /// Writes a line of data.
    static func line(_ text: String) { data(PrintableText(replacing: text) + "\n") }

    /// Writes one line of JSON.
    static func json(_ text: String) { data(PrintableText(json: text) + "\n") }

    /// Like ``json(_:)``, for a command that has something to do before it ends.
    ///
    /// - Throws: The error to pass to ``leave(because:)``.
    static func answer(_ json: String) throws(Errno) { try put(PrintableText(json: json) + "\n") }

    /// Writes the id of the record that a command has made.
    ///
    /// - Parameter leaves: Whether to end silently if the reader of the output has closed it. Otherwise that is a failure, too.
    /// - Throws: ``CommandFailure`` with the id: a second try would make the record twice.
    static func made(_ id: String, leaves: Bool) throws(CommandFailure) {
        do { try put(PrintableText(replacing: id) + "\n") } catch {
            if leaves, error == .brokenPipe { leaveUnread() }
            throw CommandFailure("\(id) is stored, but cannot be written to standard output: \(error)")
        }
    }

    private static func put(_ text: PrintableText) throws(Errno) { try writeAll(text.string, to: STDOUT_FILENO) }

    /// Writes a prompt; the answer follows on the same line.
    static func prompt(_ text: String) { write(PrintableText(replacing: text), to: STDERR_FILENO) }

    /// Writes a notice, which `--quiet` leaves out.
    static func message(_ text: String) {
        guard !isQuiet.load(ordering: .relaxed) else { return }
        failure(text)
    }

    /// Writes a message that ``silenceNotices()`` does not silence.
    static func failure(_ text: String) { write(PrintableText(replacing: text) + "\n", to: STDERR_FILENO) }

    /// Writes one whole log line: lines of several threads do not mix.
    static func logLine(_ line: PrintableText) { write(line, to: STDERR_FILENO) }

    /// Shows a text in the last line of a terminal until the next one, or until it is removed with nil. `--quiet` leaves it
    /// out.
    static func status(_ text: String?) {
        guard !isQuiet.load(ordering: .relaxed) else { return }
        try? writeAll("\r\u{1B}[K" + (text.map { PrintableText(cell: $0).string } ?? ""), to: STDERR_FILENO)
    }

    static func error(_ text: String) { failure("postilla: " + text) }

    /// Warns of a danger, such as a key that others can read.
    static func warning(_ text: String) { failure("postilla: warning: " + text) }

    private static let isQuiet = Atomic(false)

    static func silenceNotices() { isQuiet.store(true, ordering: .relaxed) }

    /// Exits silently as soon as the reader of the output closes it. A program that only waits would not notice
    /// otherwise.
    static func leaveWhenUnread() {
        DispatchQueue(label: "postilla.output").async {
            // With no events requested, only an error or a hang-up ends the poll.
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&output, 1, -1) < 0, errno == EINTR {}
            leaveUnread()
        }
    }

    /// Ends as a program does that knows nothing of closed pipes (`| head`): silently, by the signal.
    private static func leaveUnread() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        exit(128 + SIGPIPE)
    }

    static func writeAll(_ text: String, to descriptor: Int32) throws(Errno) {
        var text = text
        let problem: Errno? = text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                switch count {
                case 0...: rest = rest.dropFirst(count)
                case _ where errno == EINTR: break
                case _ where errno == EAGAIN:
                    // Another program that has the same output open may have made it non-blocking for all.
                    var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&output, 1, -1)
                default: return Errno(rawValue: errno)
                }
            }
            return nil
        }
        if let problem { throw problem }
    }

    private static func write(_ text: PrintableText, to descriptor: Int32) {
        do { try writeAll(text.string, to: descriptor) } catch {
            // An unread message is not a reason to stop.
            if descriptor == STDERR_FILENO { return }
            leave(because: error)
        }
    }

    /// Ends the program because standard output cannot be written.
    static func leave(because problem: Errno) -> Never {
        if problem == .brokenPipe { leaveUnread() }
        Self.error("cannot write to standard output: \(problem)")
        ExitStatus.leave(.failed)
    }
}

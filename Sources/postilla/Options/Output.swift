import Dispatch
import Screen

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Data goes to standard output, messages to standard error. What a person reads on a terminal is cleaned first:
/// names, titles and claims are other people's text.
enum Output {
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Data, as it is.
    static func data(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// A line of data for a person or a pipe: cleaned only where a terminal would act on it.
    static func line(_ text: String) { data((isTerminal ? clean(text) : text) + "\n") }

    /// JSON, on a terminal with the characters escaped that it might act on; they stand in strings only.
    static func json(_ text: String) {
        guard isTerminal else { return data(text) }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x80...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        data(escaped)
    }

    /// A question to a person, whose answer follows it on the line.
    static func prompt(_ text: String) { write(clean(text), to: STDERR_FILENO) }

    static func message(_ text: String) { write(clean(text) + "\n", to: STDERR_FILENO) }

    /// One line of a log, which is clean already and whole: lines of several threads do not mix.
    static func logLine(_ line: String) { write(line, to: STDERR_FILENO) }

    static func error(_ text: String) { message("postilla: " + text) }

    /// Line by line, so that new lines stay and nothing else of the kind does.
    static func clean(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { CleanText(cleaning: String($0)).string }.joined(separator: "\n")
    }

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

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                #else
                    let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
                #endif
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    // A message that nobody reads is no reason to stop.
                    if descriptor == STDERR_FILENO { return }
                    // Nobody reads any more (`| head`): there is nothing left to say.
                    if errno != EPIPE { error("cannot write the output: \(String(cString: strerror(errno)))") }
                    ExitStatus.leave(.failed)
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}

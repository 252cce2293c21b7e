import Annotations
import Dispatch
import DocumentEngine
import Glibc
import InstantCore
import Screen
import Synchronization
import SystemPackage

/// The log of `--log FILE`: one line for each event, with its time, the process and facts that name no person's words.
///
/// Callers pass names of cases, numbers, states, and paths of requests. Texts, tokens, typed characters and the contents of
/// records have no way into it. The file is only for this user, and at most twice ``maxBytes`` long with its predecessor
/// `FILE.1`. A line that cannot be written is lost: the log never ends the program.
final class DebugLog: Sendable {
    static let maxBytes = 4 << 20

    private struct State {
        var descriptor: Int32
        var size: Int
        /// Whether the file could not be replaced, so that nothing more is written.
        var isFull = false
    }

    private let path: String
    private let place: FilePlace
    private let limit: Int
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "postilla.log")

    /// - Parameter limit: The length in bytes at which the file becomes `FILE.1`.
    /// - Throws: ``CommandFailure`` if the path is not that of a regular file of this user, or of none yet.
    init(_ path: String, limit: Int = maxBytes) throws {
        (self.path, self.limit) = (path, limit)
        do throws(FilePlace.Problem) { place = try FilePlace(of: path, keepsLast: true) } catch {
            throw CommandFailure("cannot log to \(path): \(error.reason)", .usage)
        }
        let (descriptor, size) = try Self.open(place, path)
        state = Mutex(State(descriptor: descriptor, size: size))
    }

    deinit { close(state.withLock(\.descriptor)) }

    /// Notes an event. Returns at once.
    ///
    /// - Parameter facts: Pairs of a name and a value, without blanks.
    func note(_ event: String, _ facts: KeyValuePairs<String, String> = [:]) {
        let all = [event] + facts.map { "\($0.key)=\(Self.word($0.value))" }
        let line = "\(Timestamp.now.iso8601) \(getpid()) \(all.joined(separator: " "))\n"
        queue.async { [self] in write(PrintableText(replacing: String(line.dropLast(scalars: 1))).string + "\n") }
    }

    func note(_ request: SentRequest) {
        note(
            "request",
            [
                "method": request.method, "path": request.path, "outcome": request.outcome ?? "pending",
                "ms": request.milliseconds.map { "\($0)" } ?? "-",
            ])
    }

    /// Waits until everything noted is written.
    func flush() { queue.sync {} }

    /// Characters of a value.
    private static let maxWord = 200

    private static func word(_ text: String) -> String {
        let word = String(
            String.UnicodeScalarView(text.unicodeScalars.prefix(maxWord).map { $0.properties.isWhitespace ? "_" : $0 }))
        return word.isEmpty ? "-" : word
    }

    private func write(_ line: String) {
        state.withLock { state in
            if state.size + line.utf8.count > limit, !state.isFull { rotate(&state) }
            guard !state.isFull else { return }
            do {
                try FileDescriptor(rawValue: state.descriptor).writeAll(line.utf8)
                state.size += line.utf8.count
            } catch { state.isFull = true }
        }
    }

    /// Another process with the same log may have done it already.
    private func rotate(_ state: inout State) {
        var (mine, there, old) = (stat(), stat(), stat())
        let here = place.here
        let isMine =
            fstat(state.descriptor, &mine) == 0 && lstat(here, &there) == 0 && mine.st_ino == there.st_ino
            && mine.st_dev == there.st_dev
        let isOthers = lstat(here + ".1", &old) == 0 && old.st_uid != geteuid()
        if isMine, isOthers || rename(here, here + ".1") != 0 {
            state.isFull = true
            return
        }
        guard let (descriptor, size) = try? Self.open(place, path) else {
            state.isFull = true
            return
        }
        close(state.descriptor)
        (state.descriptor, state.size) = (descriptor, size)
    }

    /// - Parameter path: for messages.
    private static func open(_ place: FilePlace, _ path: String) throws -> (descriptor: Int32, size: Int) {
        // A pipe must not make the program wait, and a link must not lead elsewhere.
        let flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = Glibc.open(place.here, flags, 0o600)
        let number = errno
        guard descriptor >= 0 else {
            let isOther = [ELOOP, ENXIO, EISDIR].contains(number)
            throw CommandFailure(
                "cannot log to \(path): \(isOther ? notRegular : String(cString: strerror(number)))", .usage)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CommandFailure("cannot log to \(path): \(notRegular)", .usage)
        }
        guard !isPDF(descriptor) else {
            close(descriptor)
            throw CommandFailure("cannot log to \(path): it is a PDF", .usage)
        }
        guard status.st_uid == geteuid(), fchmod(descriptor, 0o600) == 0 else {
            close(descriptor)
            throw CommandFailure("cannot log to \(path): it belongs to another user", .usage)
        }
        return (descriptor, Int(status.st_size))
    }

    /// Whether the file is one by its first bytes, as PDF programs look for them.
    private static func isPDF(_ descriptor: Int32) -> Bool {
        var start = [UInt8](repeating: 0, count: 1024)
        let count = pread(descriptor, &start, start.count, 0)
        return count > 0 && String(decoding: start[..<count], as: UTF8.self).contains(scalars: "%PDF-")
    }

    private static let notRegular = "it is not a regular file; name a file that exists or can be created"
}

extension DebugLog {
    /// Notes what the program was started as: the names of the command and of its options, never their values.
    func noteStart(_ arguments: [String] = CommandLine.arguments) {
        let commands = Set(Postilla.configuration.subcommands.compactMap { $0.configuration.commandName })
        let command = arguments.dropFirst().first { commands.contains($0) } ?? "library"
        let options = arguments.prefix { $0 != "--" }.filter { $0.begins(with: "--") }
            .map { String($0.dropFirst(scalars: 2).prefix { $0.isLetter || $0 == "-" }) }
        note(
            "start",
            [
                "version": Postilla.configuration.version, "command": command,
                "options": options.joined(separator: ","),
            ])
    }
}

private import CPty
private import CVTerm
private import Glibc
package import Screen

/// A headless terminal: libvterm behind a pty, with a program on it or, for tests of the device, without one. Only one
/// thread may use it. It never sleeps; it waits in `poll` for the given condition.
package final class VirtualTerminal {
    package private(set) var size: Size
    /// All bytes sent to the terminal.
    package private(set) var output: [UInt8] = []
    /// The time of the last read.
    package private(set) var lastRead: ContinuousClock.Instant?
    /// Whether the program has closed its end or exited.
    package private(set) var isClosed = false
    /// The reply to the query of kitty's graphics protocol; nil for none, as with most terminals.
    package var graphicsAnswer: String?
    /// The reply to the query of its colours; nil for none.
    package var ground: Ground?
    /// The program's process; nil without one.
    package let process: Int32?
    /// The end that a program would use as standard input and output; nil with a program.
    package let programEnd: Int32?

    private let master: Int32
    private let emulator: OpaquePointer
    private let screen: OpaquePointer
    private let modes = UnsafeMutablePointer<cv_modes>.allocate(capacity: 1)
    private var status: Int32?
    private var isHungUp = false

    /// Creates a terminal without a program.
    package init(rows: Int = 24, columns: Int = 80) throws {
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        guard cpty_open(Int32(rows), Int32(columns), &ends.master, &ends.slave) == 0 else {
            throw VirtualTerminalError(what: "cannot open a pseudo-terminal: error \(errno)")
        }
        (master, programEnd, process) = (ends.master, ends.slave, nil)
        size = Size(rows: rows, columns: columns)
        (emulator, screen) = Self.emulator(size, modes)
    }

    /// Creates a terminal with a program on it.
    ///
    /// - Parameters:
    ///   - arguments: The program's path and its arguments.
    ///   - environment: The whole environment except `TERM`, `LANG` and `PATH`, which it may replace.
    package init(
        running arguments: [String], environment: [String: String] = [:], directory: String? = nil, rows: Int = 24,
        columns: Int = 80
    ) throws {
        let everyone = [
            "TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin",
            "SWIFT_BACKTRACE": "enable=no",
        ]
        let variables = everyone.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var master: Int32 = -1
        let process = Self.withCStrings(arguments) { arguments in
            Self.withCStrings(variables) { variables in
                cpty_spawn(arguments[0], arguments, variables, directory, Int32(rows), Int32(columns), &master)
            }
        }
        guard process > 0 else { throw VirtualTerminalError(what: "cannot start a process: error \(errno)") }
        (self.master, programEnd, self.process) = (master, nil, process)
        size = Size(rows: rows, columns: columns)
        (emulator, screen) = Self.emulator(size, modes)
    }

    deinit {
        if let process, status == nil {
            kill(process, SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
        if let programEnd { close(programEnd) }
        if !isHungUp { close(master) }
        vterm_free(emulator)
        modes.deallocate()
    }

    package var bytesRead: Int { output.count }

    // MARK: What the person does

    package func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    package func send(text: String) {
        send(Array(text.utf8))
    }

    package func resize(rows: Int, columns: Int) {
        size = Size(rows: rows, columns: columns)
        vterm_set_size(emulator, Int32(rows), Int32(columns))
        _ = cpty_resize(master, Int32(rows), Int32(columns))
    }

    package var processID: Int32 { process ?? 0 }

    package func signal(_ number: Int32) {
        // After its end, the number may belong to another process.
        if let process, status == nil { kill(process, number) }
    }

    /// Hangs up, as a closed window or a broken ssh connection does. Nothing is shown afterwards.
    package func hangUp() {
        guard !isHungUp else { return }
        pump()
        isHungUp = true
        isClosed = true
        close(master)
    }

    // MARK: What the terminal shows

    package func cell(_ row: Int, _ column: Int) -> VirtualCell {
        var cell = cv_cell()
        _ = cv_get_cell(screen, Int32(row), Int32(column), &cell)
        var attributes: Attributes = []
        if cell.bold != 0 { attributes.insert(.bold) }
        if cell.underline != 0 { attributes.insert(.underline) }
        if cell.italic != 0 { attributes.insert(.italic) }
        if cell.reverse != 0 { attributes.insert(.reverse) }
        let values = withUnsafeBytes(of: cell.characters) { Array($0.bindMemory(to: UInt32.self)) }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: values.prefix(Int(cell.count)).compactMap(Unicode.Scalar.init))
        return VirtualCell(
            text: String(text), width: Int(cell.width), attributes: attributes, foreground: Int(cell.foreground),
            background: Int(cell.background))
    }

    /// Returns one row, without trailing blanks.
    package func line(_ row: Int) -> String {
        var line = ""
        var column = 0
        while column < size.columns {
            let cell = cell(row, column)
            line += cell.text.isEmpty ? " " : cell.text
            column += max(1, cell.width)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// All rows, one per line.
    package var text: String {
        (0..<size.rows).map(line).joined(separator: "\n")
    }

    package var cursor: Position {
        var row: Int32 = 0
        var column: Int32 = 0
        cv_cursor(emulator, &row, &column)
        return Position(row: Int(row), column: Int(column))
    }

    package var isCursorVisible: Bool { modes.pointee.is_cursor_visible != 0 }
    package var isAlternateScreen: Bool { modes.pointee.is_alternate != 0 }
    package var reportsMouse: Bool { modes.pointee.mouse != 0 }

    /// Whether bracketed paste is on, according to the last sequence that set it.
    package var marksPastes: Bool {
        let mark = Array("\u{1B}[?2004".utf8)
        let starts = output.indices.dropLast(mark.count).filter { output[$0...].starts(with: mark) }
        return starts.last.map { output[$0 + mark.count] == UInt8(ascii: "h") } ?? false
    }

    /// The terminal modes that were not reset for the shell; empty when all were.
    package var whatIsLeftBehind: [String] {
        var found: [String] = []
        if isAlternateScreen { found.append("alternate screen") }
        if !isCursorVisible { found.append("cursor hidden") }
        if marksPastes { found.append("pastes marked") }
        if reportsMouse { found.append("mouse reported") }
        var mode = termios()
        if tcgetattr(master, &mode) == 0 {
            if mode.c_lflag & tcflag_t(ECHO) == 0 { found.append("echo off") }
            if mode.c_lflag & tcflag_t(ICANON) == 0 { found.append("not line by line") }
            if mode.c_lflag & tcflag_t(ISIG) == 0 { found.append("Ctrl-C without signal") }
            if mode.c_oflag & tcflag_t(ONLCR) == 0 { found.append("new lines not translated") }
        }
        return found
    }

    // MARK: Waiting

    /// Reads the program's output, waiting at most `milliseconds` for it. Returns false if none arrived.
    @discardableResult
    package func pump(milliseconds: Int = 0) -> Bool {
        var hasRead = false
        var block = [UInt8](repeating: 0, count: 65_536)
        while !isClosed {
            var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, hasRead ? 0 : Int32(milliseconds)) > 0 else { return hasRead }
            let count = read(master, &block, block.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else {
                isClosed = true
                return hasRead
            }
            lastRead = .now
            hasRead = true
            let before = output.count
            output += block[..<count]
            answerForGraphics(behind: before)
            answerForColors(behind: before)
            block.withUnsafeBytes { bytes in
                _ = vterm_input_write(emulator, bytes.bindMemory(to: CChar.self).baseAddress, count)
            }
            answer()
        }
        return hasRead
    }

    /// Waits until the condition holds.
    ///
    /// - Throws: An error that shows the screen, when the condition does not hold within `seconds` or the program exits
    ///   first.
    package func wait(
        until what: String = "the condition holds", seconds: Int = 20, _ condition: (VirtualTerminal) -> Bool
    ) throws {
        let end = Self.now + Int64(seconds) * 1_000
        pump()
        while !condition(self) {
            if isClosed { throw failure("the program ended before \(what)") }
            if Self.now > end { throw failure("timed out after \(seconds) s, waiting until \(what)") }
            pump(milliseconds: 50)
        }
    }

    package func wait(forText text: String, seconds: Int = 20) throws {
        try wait(until: "\(text.debugDescription) is shown", seconds: seconds) { $0.text.contains(text) }
    }

    /// Waits until the program has written nothing for `milliseconds`.
    package func waitForIdle(milliseconds: Int = 60) {
        while pump(milliseconds: milliseconds), !isClosed {}
    }

    /// Waits for the program to exit. Returns its exit status, or 128 plus the number of the signal that ended it.
    ///
    /// - Parameter number: A signal to send repeatedly until then.
    package func waitForExit(seconds: Int = 20, repeating number: Int32? = nil) throws -> Int {
        guard let process else { throw VirtualTerminalError(what: "there is no program on this terminal") }
        let end = Self.now + Int64(seconds) * 1_000
        while status == nil {
            if let number {
                signal(number)
            } else if isClosed {
                _ = poll(nil, 0, 5)
            } else {
                pump(milliseconds: 20)
            }
            var status: Int32 = 0
            if waitpid(process, &status, WNOHANG) == process { self.status = status }
            if self.status == nil, Self.now > end { throw failure("the program did not end within \(seconds) s") }
        }
        pump()
        let status = status ?? 0
        return Int(status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
    }

    // MARK: -

    private func failure(_ what: String) -> VirtualTerminalError {
        let rule = String(repeating: "-", count: size.columns)
        return VirtualTerminalError(what: "\(what); the screen:\n\(rule)\n\(text)\n\(rule)")
    }

    /// Sends the terminal's replies to queries.
    private func answer() {
        var bytes = [CChar](repeating: 0, count: 1_024)
        let count = vterm_output_read(emulator, &bytes, bytes.count)
        if count > 0 { send(bytes[..<count].map { UInt8(bitPattern: $0) }) }
    }

    /// Replies to the graphics query before libvterm's reply to the query after it.
    private func answerForGraphics(behind start: Int) {
        let question = Array("\u{1B}_Gi=31,".utf8)
        guard let graphicsAnswer, output[max(0, start - question.count + 1)...].firstRange(of: question) != nil else {
            return
        }
        send(text: "\u{1B}_Gi=31;\(graphicsAnswer)\u{1B}\\")
    }

    private func answerForColors(behind start: Int) {
        let question = Array("\u{1B}]11;?".utf8)
        guard let ground, output[max(0, start - question.count + 1)...].firstRange(of: question) != nil else { return }
        func code(_ color: RGB) -> String {
            [color.red, color.green, color.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                .joined(separator: "/")
        }
        send(text: "\u{1B}]10;rgb:\(code(ground.text))\u{1B}\\\u{1B}]11;rgb:\(code(ground.background))\u{7}")
    }

    private static func emulator(
        _ size: Size, _ modes: UnsafeMutablePointer<cv_modes>
    ) -> (OpaquePointer, OpaquePointer) {
        guard let emulator = vterm_new(Int32(size.rows), Int32(size.columns)),
            let screen = vterm_obtain_screen(emulator)
        else { fatalError("no memory for a terminal") }
        modes.initialize(to: cv_modes())
        vterm_set_utf8(emulator, 1)
        cv_note_modes(screen, modes)
        vterm_screen_enable_altscreen(screen, 1)
        vterm_screen_reset(screen, 1)
        return (emulator, screen)
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// One cell of a virtual terminal.
package struct VirtualCell: Equatable {
    package var text: String
    package var width: Int
    package var attributes: Attributes
    /// -1 for the terminal's default, 0 to 255 for a palette colour, else 0x1000000 and RGB.
    package var foreground: Int
    package var background: Int
}

package struct VirtualTerminalError: Error, CustomStringConvertible {
    let what: String

    package var description: String { what }
}

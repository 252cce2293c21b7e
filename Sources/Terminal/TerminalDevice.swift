private import CNcurses
private import CTerminal
private import Glibc
package import Screen

/// A terminal in full-screen mode. Made and used on one thread, the main one; ncurses knows of no other. Keys are
/// read as bytes by `TerminalLoop`, not by ncurses, which here only draws.
package final class TerminalDevice {
    package struct Options: Sendable {
        /// False never sends a colour (`NO_COLOR`).
        package var usesColor = true
        /// Clicks and the wheel are reported; selecting text with the mouse then needs Shift.
        package var usesMouse = false
        /// `TERM` unless given.
        package var type: String?

        package init() {}
    }

    /// Descriptors of its own: whoever closes 0 and 1 does not harm it.
    let input: Int32
    let output: Int32
    /// Gives numbers of signals, one byte each.
    let signals: Int32
    /// What this terminal sends for its keys.
    let sequences: [[UInt8]: Key]

    private let screen: OpaquePointer
    private let window: UnsafeMutablePointer<WINDOW>
    private let file: Files
    private let modes: TerminalModes
    private var pen: Pen
    private var shown: Canvas?
    private var cursorIsVisible: Bool?
    /// On the screen or on its way there.
    var picture: PictureSending?
    private var isReleased = false
    private var isClosed = false

    /// Takes over the terminal: other screen, raw keys, marked pastes. Signals that concern a terminal, SIGTERM, SIGHUP
    /// and SIGINT among them, are from now on events of the loop.
    ///
    /// - Parameters:
    ///   - input: where keys come from. When it is not a terminal, keys are read from the controlling one.
    ///   - output: has to be a terminal.
    package init(input: Int32 = 0, output: Int32 = 1, options: Options = Options()) throws(TerminalError) {
        guard isatty(output) == 1 else { throw TerminalError(reason: .outputIsNoTerminal) }
        let type = try Self.usableType(options.type, output: output)
        file = try Self.openFiles(input: input, output: output)
        (self.input, self.output) = (fileno(file.input), fileno(file.output))

        signals = ct_watch_signals()
        guard signals >= 0, ct_guard(self.output) == 0 else {
            let error = errno
            Self.giveUp(file)
            throw TerminalError(reason: .systemCall("sigaction", errno: error))
        }
        let isUTF8 = Self.useLocale()
        guard let screen = newterm(type, file.output, file.input), let window = cn_stdscr() else {
            Self.giveUp(file)
            throw TerminalError(reason: .unknownType(type))
        }
        self.screen = screen
        self.window = window
        raw()
        noecho()
        nonl()
        leaveok(window, false)
        scrollok(window, false)
        modes = TerminalModes(usesMouse: options.usesMouse)
        sequences = TerminalKeys.sequences()
        pen = Pen(usesColor: options.usesColor, isUTF8: isUTF8)
        modes.guarding.withUnsafeBufferPointer { ct_guard_text($0.baseAddress, $0.count) }
        Self.write(modes.on, to: self.output)
    }

    deinit {
        close()
    }

    package var size: Size {
        Size(rows: Int(cn_rows(window)), columns: Int(cn_columns(window)))
    }

    /// Shows a canvas: sends what differs from what is shown, nothing at all when nothing does.
    package func draw(_ canvas: Canvas) {
        guard !isClosed, !isReleased else { return }
        if let shown, shown.size != canvas.size { redraw() }
        var isOther = shown == nil || canvas.cursor != shown?.cursor
        for row in 0..<min(canvas.size.rows, size.rows) {
            guard let changed = canvas.changedColumns(inRow: row, since: shown) else { continue }
            isOther = true
            let cells = pen.cells(of: canvas, row: row, columns: changed)
            mvwadd_wchnstr(window, Int32(row), Int32(changed.lowerBound), cells, Int32(cells.count))
        }
        guard isOther else { return }
        shown = canvas
        show(cursor: canvas.cursor)
        wnoutrefresh(window)
        doupdate()
    }

    /// Sends everything again at the next `draw`: something else has written on the screen.
    package func redraw() {
        guard !isClosed else { return }
        shown = nil
        cursorIsVisible = nil
        werase(window)
        clearok(window, true)
    }

    /// Takes note of the terminal's size; true when it is another one.
    package func noteSize() -> Bool {
        var rows: Int32 = 0
        var columns: Int32 = 0
        guard !isClosed, ct_window_size(output, &rows, &columns) == 0, rows > 0, columns > 0 else { return false }
        guard Size(rows: Int(rows), columns: Int(columns)) != size else { return false }
        resizeterm(rows, columns)
        redraw()
        return true
    }

    /// Gives the terminal back as it was, for as long as `body` runs: an editor, a shell.
    package func released<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let canvas = shown
        release()
        defer {
            takeBack()
            if let canvas { draw(canvas) }
        }
        return try body()
    }

    /// Asks the terminal to put text on the clipboard (OSC 52). Whether it does, it does not tell.
    ///
    /// - Returns: false when the text is longer than terminals take; nothing is sent then.
    package func copy(_ text: String) -> Bool {
        guard !isClosed, !isReleased, let request = ClipboardRequest(text) else { return false }
        Self.write(request.bytes, to: output)
        return true
    }

    package func suspend() { suspend(stop: ct_stop) }

    /// Ctrl-Z: gives the terminal back and stops, with all of the process group, until continued.
    ///
    /// - Parameter stop: what stops; only tests have their own.
    package func suspend(stop: () -> Void) {
        released { stop() }
    }

    /// The program was continued: a shell has had the terminal.
    package func takeBack() {
        guard !isClosed else { return }
        isReleased = false
        _ = ct_watch_signals()
        reset_prog_mode()
        redraw()
        _ = noteSize()
        Self.write(modes.on, to: output)
    }

    /// Gives the terminal back for good, to be called before the program writes what it has to keep: until `close`,
    /// SIGTERM and SIGHUP do not end it. A terminal that goes away reads as its end first and sends SIGHUP then.
    package func giveBack() {
        release()
        ct_unwatch_keys()
    }

    /// Gives the terminal back for good, and the signals, too. More than once does no harm.
    package func close() {
        guard !isClosed else { return }
        release()
        isClosed = true
        delscreen(screen)
        Self.giveUp(file)
    }

    var isInUse: Bool { !isClosed && !isReleased }

    private func release() {
        guard isInUse else { return }
        hidePicture()
        Self.write(modes.off, to: output)
        endwin()
        ct_lend_signals()
        isReleased = true
    }

    /// Where ncurses has left the terminal's cursor, seen or not.
    var cursor: Position { Position(row: Int(getcury(window)), column: Int(getcurx(window))) }

    private func show(cursor: Position?) {
        if cursorIsVisible != (cursor != nil) {
            cursorIsVisible = cursor != nil
            curs_set(cursor == nil ? 0 : 1)
        }
        guard let cursor, Area(size).contains(cursor) else { return }
        wmove(window, Int32(cursor.row), Int32(cursor.column))
    }

    /// What ncurses wants instead of descriptors.
    private typealias Files = (input: UnsafeMutablePointer<FILE>, output: UnsafeMutablePointer<FILE>)

    private static func openFiles(input: Int32, output: Int32) throws(TerminalError) -> Files {
        let keys = isatty(input) == 1 ? fcntl(input, F_DUPFD_CLOEXEC, 0) : open("/dev/tty", O_RDONLY | O_CLOEXEC)
        guard keys >= 0 else { throw TerminalError(reason: .inputIsNoTerminal) }
        let screen = fcntl(output, F_DUPFD_CLOEXEC, 0)
        guard screen >= 0, let reader = fdopen(keys, "r"), let writer = fdopen(screen, "w") else {
            throw TerminalError(reason: .systemCall("dup", errno: errno))
        }
        return (reader, writer)
    }

    /// Everything but ncurses, as it was.
    private static func giveUp(_ file: Files) {
        ct_unguard()
        ct_unwatch_signals()
        fclose(file.output)
        fclose(file.input)
    }

    private static func usableType(_ given: String?, output: Int32) throws(TerminalError) -> String {
        guard let type = given ?? getenv("TERM").map({ String(cString: $0) }), !type.isEmpty else {
            throw TerminalError(reason: .noType)
        }
        var found: Int32 = 0
        // Unlike newterm, this neither writes nor ends the program.
        guard setupterm(type, output, &found) == OK, found == 1 else {
            throw TerminalError(reason: .unknownType(type))
        }
        guard cn_capability("cup") != nil, cn_capability("clear") != nil else {
            throw TerminalError(reason: .tooSimple(type))
        }
        return type
    }

    /// Whether the locale says UTF-8. Where none is set at all, as in containers, UTF-8 is assumed.
    private static func useLocale() -> Bool {
        let isSet = ["LC_ALL", "LC_CTYPE", "LANG"].contains { (name: String) in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
        if setlocale(LC_CTYPE, isSet ? "" : "C.UTF-8") == nil { setlocale(LC_CTYPE, "C.UTF-8") }
        return String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8"
    }

    /// Writes past ncurses, which is idle between two draws.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

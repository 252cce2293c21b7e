private import CNcurses
private import CTerminal
private import Glibc
package import Screen

/// A terminal in full-screen mode. Create and use it on the main thread only, because ncurses is not thread-safe.
/// ncurses only draws; `TerminalLoop` reads keys as bytes.
package final class TerminalDevice {
    package struct Options: Sendable {
        /// Whether links are sent as such (OSC 8). Terminals that do not know them ignore them, but very old ones do
        /// not.
        package var usesLinks = false
        /// Whether to send colours; false for `NO_COLOR`.
        package var usesColor = true
        /// Whether clicks and the wheel are reported; selecting text with the mouse then needs Shift.
        package var usesMouse = false
        /// The terminal type; `TERM` if nil.
        package var type: String?

        package init() {}
    }

    /// Duplicated descriptors, so that closing 0 and 1 does not affect them.
    let input: Int32
    let output: Int32
    /// Delivers signal numbers, one byte each.
    let signals: Int32
    /// The byte sequences of this terminal's keys.
    let sequences: [[UInt8]: Key]

    /// Whether the locale has UTF-8.
    package let isUTF8: Bool
    private let screen: OpaquePointer
    private let window: UnsafeMutablePointer<WINDOW>
    private let file: Files
    private var modes: TerminalModes
    private var usesMouse: Bool
    private let usesLinks: Bool
    private var resetsMouse = false
    private var distinguishesKeys = false
    private var pen: Pen
    /// Whether the last canvas needs more colour pairs than the terminal has. Then beginning anew would not help.
    private var isOverfull = false
    private var shown: Canvas?
    private var cursorIsVisible: Bool?
    /// The picture on the screen or being sent.
    var picture: PictureSending?
    private var isReleased = false
    private var isClosed = false
    /// Called before the program stops and after it continues, while the terminal is released.
    package var onStop: (_ isStopping: Bool) -> Void = { _ in }
    /// Called before a query is sent: its answer is not keys.
    var onQuery: (() -> Void)?

    /// Takes over the terminal: alternate screen, raw keys, bracketed paste. Signals that concern a terminal, including
    /// SIGTERM, SIGHUP and SIGINT, become events of the loop.
    ///
    /// - Parameters:
    ///   - input: source of keys; if it is not a terminal, the controlling terminal is used.
    ///   - output: must be a terminal.
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
        isUTF8 = Self.useLocale()
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
        usesMouse = options.usesMouse
        usesLinks = options.usesLinks
        modes = TerminalModes(usesMouse: usesMouse)
        sequences = TerminalKeys.sequences()
        pen = Pen(usesColor: options.usesColor, isUTF8: isUTF8)
        modes.guarding.withUnsafeBufferPointer { ct_guard_text($0.baseAddress, $0.count) }
        Self.write(modes.on, to: self.output)
    }

    deinit {
        close()
    }

    /// Queries text colour and background (OSC 10 and 11). Terminals that do not know the query ignore it.
    func askForColors() {
        ask(Array("\u{1B}]10;?\u{1B}\\\u{1B}]11;?\u{1B}\\".utf8))
    }

    /// Switches reports of clicks and the wheel, also for after a suspension.
    package func useMouse(_ isOn: Bool) {
        usesMouse = isOn
        // What resets the terminal after a crash resets the mouse anyway, if it was on once.
        resetsMouse = true
        modesChanged()
    }

    /// Asks the terminal whether it tells all keys apart (kitty's keyboard protocol).
    package func askForKeyboard() {
        ask(Array("\u{1B}[?u".utf8))
    }

    /// Sends a query. Its answer comes with the keys.
    func ask(_ query: [UInt8]) {
        guard isInUse else { return }
        onQuery?()
        Self.write(query, to: output)
    }

    /// Makes a terminal that knows kitty's keyboard protocol tell all keys apart.
    package func distinguishKeys() {
        guard !distinguishesKeys else { return }
        distinguishesKeys = true
        modesChanged()
    }

    private func modesChanged() {
        guard isInUse else { return }
        Self.write(modes.off, to: output)
        modes = TerminalModes(
            usesMouse: usesMouse, resetsMouse: resetsMouse, distinguishesKeys: distinguishesKeys)
        modes.guarding.withUnsafeBufferPointer { ct_guard_text($0.baseAddress, $0.count) }
        Self.write(modes.on, to: output)
    }

    package var colorDepth: ColorDepth { ColorDepth(count: pen.palette.count) }

    package var size: Size {
        Size(rows: Int(cn_rows(window)), columns: Int(cn_columns(window)))
    }

    /// Shows a canvas, sending only differences from the last one.
    package func draw(_ canvas: Canvas) {
        guard !isClosed, !isReleased else { return }
        if let shown, shown.size != canvas.size { redraw() }
        var isOther = shown == nil || canvas.cursor != shown?.cursor
        pen.lacksColors = false
        if put(canvas) { isOther = true }
        // Pages in colours have used up the pairs. Begun anew, this canvas needs only its own, which may be too many too.
        if pen.lacksColors, !isOverfull {
            pen.forgetColors()
            redraw()
            isOther = put(canvas) || isOther
        }
        isOverfull = pen.lacksColors
        let links = usesLinks ? canvas.linksToSend(since: shown) : []
        guard isOther || !links.isEmpty else { return }
        // ncurses sends only what differs, so the cells of a link are blanks for a moment.
        for link in links {
            let blanks = pen.cells(of: Canvas(size: canvas.size), row: link.row, columns: link.columns)
            mvwadd_wchnstr(window, Int32(link.row), Int32(link.columns.lowerBound), blanks, Int32(blanks.count))
        }
        shown = canvas
        show(cursor: canvas.cursor)
        wnoutrefresh(window)
        doupdate()
        for link in links { send(link, of: canvas) }
    }

    /// Puts what differs from the shown canvas into the window.
    ///
    /// - Returns: whether anything does.
    private func put(_ canvas: Canvas) -> Bool {
        var isOther = false
        for row in 0..<min(canvas.size.rows, size.rows) {
            guard let changed = canvas.changedColumns(inRow: row, since: shown) else { continue }
            isOther = true
            let cells = pen.cells(of: canvas, row: row, columns: changed)
            mvwadd_wchnstr(window, Int32(row), Int32(changed.lowerBound), cells, Int32(cells.count))
        }
        return isOther
    }

    /// Sends the cells of a link between the marks of its beginning and end (OSC 8), or without them if it is none any
    /// longer.
    private func send(_ link: LinkToSend, of canvas: Canvas) {
        let cells = pen.cells(of: canvas, row: link.row, columns: link.columns)
        mvwadd_wchnstr(window, Int32(link.row), Int32(link.columns.lowerBound), cells, Int32(cells.count))
        if let target = link.target { Self.write(Array("\u{1B}]8;;".utf8) + target.bytes + Self.stringEnd, to: output) }
        show(cursor: canvas.cursor)
        wnoutrefresh(window)
        doupdate()
        if link.target != nil { Self.write(Array("\u{1B}]8;;".utf8) + Self.stringEnd, to: output) }
    }

    private static let stringEnd = Array("\u{1B}\\".utf8)

    /// Sends everything again at the next `draw`, after other output on the screen.
    package func redraw() {
        guard !isClosed else { return }
        shown = nil
        cursorIsVisible = nil
        werase(window)
        clearok(window, true)
    }

    /// Updates the terminal's size; returns whether it changed.
    package func noteSize() -> Bool {
        var rows: Int32 = 0
        var columns: Int32 = 0
        guard !isClosed, ct_window_size(output, &rows, &columns) == 0, rows > 0, columns > 0 else { return false }
        guard Size(rows: Int(rows), columns: Int(columns)) != size else { return false }
        resizeterm(rows, columns)
        redraw()
        return true
    }

    /// Restores the terminal while `body` runs an editor or a shell.
    package func released<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let canvas = shown
        release()
        defer {
            takeBack()
            if let canvas { draw(canvas) }
        }
        return try body()
    }

    /// Asks the terminal to put text on the clipboard (OSC 52). The terminal does not confirm it.
    ///
    /// - Returns: false if the text is longer than terminals accept; nothing is sent then.
    package func copy(_ text: LeavingText) -> Bool {
        guard !isClosed, !isReleased, let request = ClipboardRequest(text) else { return false }
        Self.write(request.bytes, to: output)
        return true
    }

    package func suspend() { suspend(stop: ct_stop) }

    /// Stops this process, and the rest of its process group unless it leads the group; returns when continued.
    package static func stopProcess() { ct_stop() }

    /// Handles Ctrl-Z: restores the terminal and stops until continued.
    ///
    /// - Parameter stop: the function that stops; only tests replace it.
    package func suspend(stop: () -> Void) {
        released {
            onStop(true)
            stop()
            onStop(false)
        }
    }

    /// Takes over the terminal again after another program used it.
    package func takeBack() {
        guard !isClosed else { return }
        isReleased = false
        _ = ct_watch_signals()
        reset_prog_mode()
        redraw()
        _ = noteSize()
        Self.write(modes.on, to: output)
    }

    /// Restores the terminal for good; call it before the program saves its data. Until `close`, SIGTERM and SIGHUP do
    /// not end the program. When a terminal goes away, its input ends first and SIGHUP follows.
    package func giveBack() {
        release()
        ct_unwatch_keys()
    }

    /// Restores the terminal and the signals for good. Repeated calls have no effect.
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

    /// Where ncurses left the terminal's cursor, visible or not.
    var cursor: Position { Position(row: Int(getcury(window)), column: Int(getcurx(window))) }

    private func show(cursor: Position?) {
        if cursorIsVisible != (cursor != nil) {
            cursorIsVisible = cursor != nil
            curs_set(cursor == nil ? 0 : 1)
        }
        guard let cursor, Area(size).contains(cursor) else { return }
        wmove(window, Int32(cursor.row), Int32(cursor.column))
    }

    /// The files that ncurses takes instead of descriptors.
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

    /// Undoes everything except ncurses' part.
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
        // Unlike newterm, setupterm neither writes nor ends the program.
        guard setupterm(type, output, &found) == OK, found == 1 else {
            throw TerminalError(reason: .unknownType(type))
        }
        guard cn_capability("cup") != nil, cn_capability("clear") != nil else {
            throw TerminalError(reason: .tooSimple(type))
        }
        return type
    }

    /// Sets the locale and returns whether it is UTF-8, which is assumed if none is set, as in containers.
    private static func useLocale() -> Bool {
        let isSet = ["LC_ALL", "LC_CTYPE", "LANG"].contains { (name: String) in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
        if setlocale(LC_CTYPE, isSet ? "" : "C.UTF-8") == nil { setlocale(LC_CTYPE, "C.UTF-8") }
        return String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8"
    }

    /// Writes directly, which is safe because ncurses is idle between draws.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another program that has the terminal open, too, may have made it non-blocking for all.
                var terminal = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&terminal, 1, -1)
                continue
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

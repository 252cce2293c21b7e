internal import CTerminal
private import Glibc
package import Screen

/// An event that the loop delivers to the program.
package enum TerminalEvent<Message: Sendable>: Sendable {
    case key(Key)
    case message(Message)
    case resized(Size)
    /// The terminal's answer to a query.
    case report(TerminalReport)
    /// The requested time has come.
    case timer
    /// SIGINT, SIGTERM or SIGHUP: save and quit.
    case quitRequested(signal: Int32)
    /// The terminal is gone; drawing has no effect.
    case terminalGone
}

extension TerminalEvent: Equatable where Message: Equatable {}

/// Waits on the main thread for keys, signals, messages from other threads and timers, and delivers them in order, all
/// pending ones before the next drawing. Sleeps in the kernel while idle.
///
/// A slow terminal does not delay keys: drawing waits until the output is writable, and then shows the current state.
package final class TerminalLoop<Message: Sendable> {
    package enum Step: Sendable {
        case goOn, quit
    }

    /// Accepts messages from any thread.
    package let mailbox: Mailbox<Message>

    private let device: TerminalDevice
    private var decoder: KeyDecoder
    private var needsDrawing = true
    private var isGone = false
    /// The size last reported to the program.
    private var size: Size
    /// Limits in rounds and milliseconds, so that a flood of events does not prevent drawing.
    private static var maxRoundsBeforeDrawing: Int { 32 }
    private static var maxTimeBeforeDrawing: Int64 { 16 }

    package init(device: TerminalDevice) throws(TerminalError) {
        self.device = device
        mailbox = try Mailbox()
        decoder = KeyDecoder(sequences: device.sequences)
        size = device.size
        device.onQuery = { [weak self] in self?.decoder.awaitReport(at: Self.now) }
    }

    /// Asks the terminal for its text colour and its background. An answer comes as reports, whenever it comes.
    package func askForColors() { device.askForColors() }

    /// Asks the terminal whether it tells all keys apart.
    package func askForKeyboard() { device.askForKeyboard() }

    /// Milliseconds of the monotonic clock that `timer` uses.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Runs until `handle` returns `quit`.
    ///
    /// - Parameters:
    ///   - timer: when, by `now`, to deliver a `timer` event; nil for never. Called before each wait; a past time is
    ///     due at once.
    ///   - handle: receives every event and may use the device.
    ///   - draw: returns the screen to show.
    ///   - drawn: called after it is shown.
    package func run(
        timer: () -> Int64? = { nil }, handle: (TerminalEvent<Message>) -> Step, draw: (Size) -> Canvas,
        drawn: () -> Void = {}
    ) {
        while true {
            var rounds = 0
            var hasMore = true
            var start = Self.now
            while hasMore {
                guard let events = wait(forEvents: rounds > 0 ? 0 : nil, timer: timer()) else { return }
                if rounds == 0 { start = Self.now }
                for event in events {
                    needsDrawing = true
                    if handle(event) == .quit { return }
                }
                rounds += 1
                hasMore =
                    !events.isEmpty && rounds < Self.maxRoundsBeforeDrawing
                    && Self.now - start < Self.maxTimeBeforeDrawing
            }
            guard needsDrawing || device.hasPicturePieces, !isGone, isWritable else { continue }
            // Nothing may come between the pieces of a picture.
            if needsDrawing, !device.isAmidPicture {
                device.draw(draw(device.size))
                needsDrawing = false
                drawn()
            }
            if device.hasPicturePieces, isWritable { device.sendPicturePiece() }
        }
    }

    /// Returns pending events, after waiting for some unless `timeout` is 0; nil if waiting fails.
    private func wait(forEvents timeout: Int32?, timer: Int64?) -> [TerminalEvent<Message>]? {
        let mayDraw = (needsDrawing || device.hasPicturePieces) && !isGone
        var polled = [
            pollfd(fd: device.signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mailbox.wakeUp, events: Int16(POLLIN), revents: 0),
            // poll ignores a negative descriptor.
            pollfd(fd: isGone ? -1 : device.input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mayDraw && timeout == nil ? device.output : -1, events: Int16(POLLOUT), revents: 0),
        ]
        // No signal reports a size that changed while an editor had the terminal.
        let isResized = device.size != size
        let longest =
            isResized ? 0 : timeout ?? Self.timeout(until: [decoder.deadline, timer].compactMap(\.self).min())
        if poll(&polled, nfds_t(polled.count), longest) < 0 {
            return errno == EINTR || errno == EAGAIN ? [] : nil
        }

        var events: [TerminalEvent<Message>] = []
        if polled[0].revents != 0 { events += takeSignals() }
        if device.size != size {
            size = device.size
            events.append(.resized(size))
        }
        if polled[2].revents != 0 { events += takeKeys() }
        if let deadline = decoder.deadline, deadline <= Self.now {
            events += decoder.timeout(at: Self.now).map(TerminalEvent.key)
        }
        if polled[1].revents != 0 { events += mailbox.take().map(TerminalEvent.message) }
        if let timer, timer <= Self.now, timeout == nil { events.append(.timer) }
        return events
    }

    private var isWritable: Bool {
        var polled = pollfd(fd: device.output, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    private static func timeout(until deadline: Int64?) -> Int32 {
        guard let deadline else { return -1 }
        return Int32(clamping: max(0, deadline - now))
    }

    private func takeKeys() -> [TerminalEvent<Message>] {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        repeat {
            count = read(device.input, &block, block.count)
            if count > 0 { bytes += block[..<count] }
        } while count == block.count && hasInput
        var events = decoder.feed(bytes, at: Self.now).map(TerminalEvent<Message>.key)
        events += decoder.takeReports().map(TerminalEvent.report)
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN {
            isGone = true
            events.append(.terminalGone)
        }
        return events
    }

    private var hasInput: Bool {
        var polled = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    private func takeSignals() -> [TerminalEvent<Message>] {
        var bytes = [UInt8](repeating: 0, count: 256)
        var events: [TerminalEvent<Message>] = []
        let count = max(0, read(device.signals, &bytes, bytes.count))
        for number in bytes[..<count].map(Int32.init) {
            switch number {
            case SIGWINCH:
                _ = device.noteSize()
            case SIGTSTP:
                device.suspend()
            case SIGCONT:
                device.takeBack()
                needsDrawing = true
            default:
                events.append(.quitRequested(signal: number))
            }
        }
        return events
    }
}

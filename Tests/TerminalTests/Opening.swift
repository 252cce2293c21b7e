import Screen
import Terminal
import TestSupport
import TestThreads
import Testing

/// All tests that open a device.
@Suite(.serialized, .inTurnAtTheTerminal) enum OpenTerminal {}

extension VirtualTerminal {
    /// Opens this terminal as a program on it would.
    func open(
        _ type: String = "xterm-256color", change: (inout TerminalDevice.Options) -> Void = { _ in }
    ) throws -> TerminalDevice {
        var options = TerminalDevice.Options()
        options.type = type
        change(&options)
        let end = try #require(programEnd)
        return try TerminalDevice(input: end, output: end, options: options)
    }

    /// Creates a canvas of this size.
    func canvas(_ draw: (inout Canvas) -> Void) -> Canvas {
        var canvas = Canvas(size: size)
        draw(&canvas)
        return canvas
    }
}

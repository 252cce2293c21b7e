import Dispatch
import Glibc
import Instant
import Terminal

/// Handles Ctrl-Z in a command or in plain mode: the layer's lock is released before the program stops, so that another
/// process can sync.
///
/// Unchecked: the source is set once and only cancelled.
final class StopWatch: @unchecked Sendable {
    private let source: any DispatchSourceSignal

    /// - Parameter clients: The clients with the open layers.
    init(_ clients: @escaping @Sendable () -> [InstantClient]) {
        signal(SIGTSTP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: DispatchQueue(label: "postilla.stop"))
        source.setEventHandler {
            let clients = clients()
            for client in clients { client.standAside() }
            TerminalDevice.stopProcess()
            for client in clients { client.standBack() }
        }
        source.resume()
    }

    deinit { source.cancel() }
}

import Dispatch
import Glibc

/// Ctrl-C, SIGTERM or a hang-up.
enum Interruption {
    /// - Returns: what is to be cancelled when nobody wants to be told any more.
    static func watch(_ tell: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { tell(number) }
            source.resume()
            return source
        }
    }

    static func wait() async {
        let (signals, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let sources = watch { continuation.yield($0) }
        for await _ in signals { break }
        for source in sources { source.cancel() }
    }
}

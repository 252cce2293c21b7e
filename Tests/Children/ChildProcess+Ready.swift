import Foundation

extension ChildProcess {
    package enum Output: Hashable, Sendable {
        case standard, error
    }

    /// Starts a server and returns once it has written a text. What it writes later is discarded, so that it never blocks
    /// on a full pipe.
    ///
    /// - Throws: `POSIXError` if there is no such program, ``ServerNotReady`` if it ends first.
    package func run(until text: String, on output: Output) throws {
        let log = Pipe()
        switch output {
        case .standard: standardOutput = log
        case .error: standardError = log
        }
        try run()
        let reader = log.fileHandleForReading
        var written = ""
        while !written.contains(text) {
            let more = reader.availableData
            guard !more.isEmpty else { throw ServerNotReady(program: executableURL?.path ?? "", output: written) }
            written += String(decoding: more, as: UTF8.self)
        }
        reader.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
    }
}

/// A server ended before it was ready.
package struct ServerNotReady: Error, CustomStringConvertible {
    var program: String
    var output: String

    package var description: String { "\(program) did not start: \(output)" }
}

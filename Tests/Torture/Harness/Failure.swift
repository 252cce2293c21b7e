/// A violated invariant, with the transcript of the connection.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The transcript of one connection: the first and the last bytes of each side.
struct Transcript {
    private struct Side {
        var first: [UInt8] = []
        var last: [UInt8] = []
        var count = 0

        mutating func take(_ bytes: some Collection<UInt8>) {
            count += bytes.count
            let room = max(0, Transcript.kept - first.count)
            first += bytes.prefix(room)
            last += bytes.dropFirst(room)
            if last.count > 2 * Transcript.kept { last.removeFirst(last.count - Transcript.kept) }
        }

        var text: String {
            let end = last.suffix(Transcript.kept)
            let left = count - first.count - end.count
            return Transcript.readable(first) + (left > 0 ? "\n… \(left) bytes …\n" : "") + Transcript.readable(end)
        }
    }

    private static let kept = 3_000
    private var sent = Side()
    private var received = Side()

    mutating func note(sent bytes: some Collection<UInt8>) { sent.take(bytes) }
    mutating func note(received bytes: some Collection<UInt8>) { received.take(bytes) }

    var text: String {
        "--- sent, \(sent.count) bytes\n\(sent.text)\n--- received, \(received.count) bytes\n\(received.text)\n---"
    }

    /// Escapes control characters except line ends, and shortens tokens and filler text.
    private static func readable(_ bytes: some Collection<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n": text.unicodeScalars.append(scalar)
            case "\r": text += "\\r"
            case _ where scalar.value < 32 || scalar.value == 127: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text.replacing(/Bearer ([\w-]{12})[\w.-]+/) { "Bearer \($0.output.1)…" }
            .replacing(/x{40,}/, with: "xxx…").replacing(/z{40,}/, with: "zzz…")
    }
}

/// A message of the Yjs sync protocol (y-protocols), one in each WebSocket message.
enum YjsMessage: Equatable {
    /// The sender's state vector; the answer is a ``difference(_:)``.
    case state([UInt8])
    /// The updates that the receiver lacks.
    case difference([UInt8])
    /// A change made just now.
    case update([UInt8])
    /// Presence, which the benchmarks do not use.
    case awareness([UInt8])

    /// The state vector of an empty document.
    static let emptyState = YjsMessage.state([0])
    /// No structs and no deletions.
    static let noDifference = YjsMessage.difference([0, 0])

    var bytes: [UInt8] {
        switch self {
        case .state(let body): [0, 0] + Self.variable(body.count) + body
        case .difference(let body): [0, 1] + Self.variable(body.count) + body
        case .update(let body): [0, 2] + Self.variable(body.count) + body
        case .awareness(let body): [1] + Self.variable(body.count) + body
        }
    }

    init(_ bytes: [UInt8]) throws {
        switch bytes.prefix(2) {
        case [0, 0]: self = .state(try Self.body(bytes.dropFirst(2)))
        case [0, 1]: self = .difference(try Self.body(bytes.dropFirst(2)))
        case [0, 2]: self = .update(try Self.body(bytes.dropFirst(2)))
        case let start where start.first == 1: self = .awareness(try Self.body(bytes.dropFirst()))
        case let start: throw BenchmarkError("a Yjs message begins with \(Array(start))")
        }
    }

    /// Seven bits a byte, the lowest first; the high bit is set in all bytes except the last.
    private static func variable(_ number: Int) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        while rest > 0x7F {
            bytes.append(0x80 | UInt8(rest & 0x7F))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func body(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        var (length, shift) = (0, 0)
        var rest = bytes
        while let byte = rest.popFirst(), shift < 56 {
            length |= Int(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            guard rest.count == length else { break }
            return Array(rest)
        }
        throw BenchmarkError("a Yjs message of \(bytes.count) bytes declares a different length")
    }
}

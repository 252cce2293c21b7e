import EngineCore
import HTTPTypes
import Synchronization

/// What one request is called in logs and answers: the name a proxy gave it, or one of our own.
struct RequestID: Hashable, Sendable, CustomStringConvertible {
    static let header = HTTPField.Name("X-Request-Id")!

    let description: String

    /// - Parameter given: taken when it has 1 to 64 letters, digits, `.`, `_` and `-`: it ends up in a log.
    init(_ given: String?) {
        if let given, (1...64).contains(given.utf8.count), given.utf8.allSatisfy(Self.isTaken) {
            description = given
        } else {
            description = Fingerprint.hex(Self.next.wrappingAdd(1, ordering: .relaxed).newValue &* Self.stride)
        }
    }

    /// Where the names of this process begin. They only have to differ: a random number for each would be a system call.
    private static let next = Atomic<UInt64>(.random(in: .min ... .max))
    /// Odd, so that all numbers come up before one comes again, and large, so that neighbours do not look alike.
    private static let stride: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func isTaken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

import EngineCore
import HTTPTypes
import Synchronization

/// The id of a request in logs and responses: supplied by a proxy or generated here.
struct RequestID: Hashable, Sendable, CustomStringConvertible {
    static let header = HTTPField.Name("X-Request-Id")!

    let description: String

    /// - Parameter given: used if it has 1 to 64 letters, digits, `.`, `_` and `-`, because it is logged.
    init(_ given: String?) {
        if let given, (1...64).contains(given.utf8.count), given.utf8.allSatisfy(Self.isTaken) {
            description = given
        } else {
            description = Fingerprint.hex(Self.next.wrappingAdd(1, ordering: .relaxed).newValue &* Self.stride)
        }
    }

    /// Starts at random. Ids only have to differ, and a random number for each would need a system call.
    private static let next = Atomic<UInt64>(.random(in: .min ... .max))
    /// Odd, so that all numbers occur before one repeats, and large, so that consecutive ids do not look alike.
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

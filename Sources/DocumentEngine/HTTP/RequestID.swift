import EngineCore
import HTTPTypes

/// What one request is called in logs and answers: the name a proxy gave it, or one of our own.
struct RequestID: Hashable, Sendable, CustomStringConvertible {
    static let header = HTTPField.Name("X-Request-Id")!

    let description: String

    /// - Parameter given: taken when it has 1 to 64 letters, digits, `.`, `_` and `-`: it ends up in a log.
    init(_ given: String?) {
        if let given, (1...64).contains(given.utf8.count), given.utf8.allSatisfy(Self.isTaken) {
            description = given
        } else {
            description = Fingerprint.hex(.random(in: .min ... .max))
        }
    }

    private static func isTaken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The reason why a text is not acceptable JSON, and the position.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Problem: Hashable, Sendable, CustomStringConvertible {
        case unexpectedEnd
        case unexpectedByte
        case trailingBytes
        case badNumber
        case badEscape
        /// A `\uD800`-like escape without the other half of its pair: no string can contain it.
        case loneSurrogate
        case invalidUTF8
        case controlCharacter
        case duplicateKey(String)
        case tooDeep(Int)
        case tooLarge(Int)
        case wrongType(String)
        case missing(String)

        public var description: String {
            switch self {
            case .unexpectedEnd: "unexpected end"
            case .unexpectedByte: "unexpected character"
            case .trailingBytes: "unexpected text after the value"
            case .badNumber: "invalid number"
            case .badEscape: "invalid escape in a string"
            case .loneSurrogate: "unpaired surrogate in a string"
            case .invalidUTF8: "invalid UTF-8"
            case .controlCharacter: "control character in a string"
            case .duplicateKey: "duplicate key in an object"
            case .tooDeep(let limit): "nested deeper than \(limit) levels"
            case .tooLarge(let limit): "larger than \(limit) bytes"
            case .wrongType(let expected): "expected \(expected)"
            case .missing(let key): "\"\(key)\" is missing"
            }
        }
    }

    public let problem: Problem
    /// The byte offset of the problem, from 0.
    public let offset: Int

    public init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }

    public var description: String { "\(problem) (at byte \(offset))" }
}

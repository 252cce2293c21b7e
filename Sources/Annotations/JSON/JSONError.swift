/// Why a text is not the JSON we take, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Problem: Hashable, Sendable, CustomStringConvertible {
        case unexpectedEnd
        case unexpectedByte
        case trailingBytes
        case badNumber
        case badEscape
        /// A `\uD800`-like escape that is not half of a pair: no string can hold it.
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
            case .unexpectedEnd: "the text ends too early"
            case .unexpectedByte: "unexpected character"
            case .trailingBytes: "something follows the value"
            case .badNumber: "not a number by the rules of JSON"
            case .badEscape: "unknown escape in a string"
            case .loneSurrogate: "half a surrogate pair in a string"
            case .invalidUTF8: "not UTF-8"
            case .controlCharacter: "a control character in a string"
            case .duplicateKey: "a key stands twice in one object"
            case .tooDeep(let limit): "nested deeper than \(limit) levels"
            case .tooLarge(let limit): "larger than \(limit) bytes"
            case .wrongType(let expected): "expected \(expected)"
            case .missing(let key): "\"\(key)\" is missing"
            }
        }
    }

    public let problem: Problem
    /// The byte at which it was seen, counted from 0.
    public let offset: Int

    public init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }

    public var description: String { "\(problem) (at byte \(offset))" }
}

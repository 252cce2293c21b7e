/// A lossless JSON value: members keep their order, numbers their source text.
///
/// Real exports have keys outside every schema and numbers in every spelling; reading and writing a value changes only
/// white space and escapes.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    /// Values are equal if their texts are, scalar for scalar.
    public static func == (one: JSON, other: JSON) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): one.isExactly(other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }
}

/// A number as written in the text. Compared by its text: `1.0` and `1` are different sources.
public struct JSONNumber: Hashable, Sendable {
    public let source: String

    /// - Parameter source: A number by the grammar of RFC 8259 section 6, checked by the reader.
    init(source: String) { self.source = source }

    public init(_ value: Int64) { source = String(value) }

    /// Writes a finite double without an exponent or a trailing `.0` where nothing is lost. Other values cannot be
    /// written in JSON and become 0.
    public init(_ value: Double) {
        guard value.isFinite else {
            source = "0"
            return
        }
        if value == value.rounded(), value.magnitude < 1e15 {
            source = String(Int64(value))
        } else {
            source = "\(value)"
        }
    }

    /// The value; nil if it does not fit a finite double (`1e999`).
    public var double: Double? {
        // Most numbers are whole, and parsing them as integers takes a tenth of the time. Zero is excluded: it may have
        // a sign.
        if let whole = Int64(source), whole != 0, whole.magnitude < 1 << 53 { return Double(whole) }
        guard let value = Double(source), value.isFinite else { return nil }
        return value
    }

    /// The value if it is whole and fits, in any spelling (`3`, `3.0`, `3e0`).
    public var integer: Int64? {
        if let value = Int64(source) { return value }
        guard let value = double, value == value.rounded(), value.magnitude < 9_007_199_254_740_992 else { return nil }
        return Int64(value)
    }
}

/// The members of an object, in order. Keys are unique: the reader rejects duplicates.
public struct JSONObject: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        public var key: String
        public var value: JSON

        public static func == (one: Member, other: Member) -> Bool {
            one.key.isExactly(other.key) && one.value == other.value
        }
    }

    public private(set) var members: [Member]

    public init() { members = [] }

    init(unique members: [Member]) { self.members = members }

    /// Reads, replaces, appends or (with nil) removes a member; the others keep their places.
    public subscript(key: String) -> JSON? {
        get { members.first { $0.key.isExactly(key) }?.value }
        set {
            let index = members.firstIndex { $0.key.isExactly(key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject {
    /// Returns the keys whose values differ from those of another object, scalar for scalar.
    ///
    /// - Parameter ignored: keys that are left out.
    package func keys(differingFrom other: JSONObject, except ignored: Set<String> = []) -> [String] {
        let keys = members.map(\.key) + other.members.map(\.key).filter { self[$0] == nil }
        return keys.filter { !ignored.containsExactly($0) && self[$0] != other[$0] }
    }
}

extension JSON {
    public subscript(key: String) -> JSON? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    public var integer: Int64? { if case .number(let value) = self { value.integer } else { nil } }
    public var double: Double? { if case .number(let value) = self { value.double } else { nil } }
    public var isNull: Bool { self == .null }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    public init(floatLiteral value: Double) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// Creates an object. Of two members with one key, the last wins, as in a dictionary.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}

import Annotations
import TestSupport
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
    /// Texts that RFC 8259 allows, and their output when written again.
    @Test(arguments: [
        ("null", "null"), ("true", "true"), (" false ", "false"), ("[]", "[]"), ("{}", "{}"),
        ("0", "0"), ("-0", "-0"), ("1.50", "1.50"), ("1E+2", "1E+2"), ("-0.0e-0", "-0.0e-0"),
        ("1e999", "1e999"), ("123456789012345678901234567890", "123456789012345678901234567890"),
        (#""""#, #""""#), (#""\/\b\f\n\r\t\"\\""#, #""/\u0008\u000c\n\r\t\"\\""#),
        (#""\u0041\u00e9\u20ac""#, #""Aé€""#), (#""\uD83D\uDE00""#, #""😀""#), (#""\u0000\u007F""#, #""\u0000\u007f""#),
        ("\"é€😀\u{7F}\"", #""é€😀\u007f""#), (#""\ufeff\ufffe""#, "\"\u{FEFF}\u{FFFE}\""),
        ("[1,[2,[3]],{}]", "[1,[2,[3]],{}]"),
        ("\t{ \"b\" :\n1 ,\r\"a\" : [ true , null ] } ", #"{"b":1,"a":[true,null]}"#),
        (#"{"":1}"#, #"{"":1}"#), (#"{"a":1,"A":2}"#, #"{"a":1,"A":2}"#),
        ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
    ])
    func takes(text: String, written: String) throws {
        let value = try JSON(parsing: text)
        #expect(value.text.utf8.elementsEqual(written.utf8))
        #expect(try JSON(parsing: value.text) == value)
    }

    @Test(arguments: [
        ("", JSONError.Problem.unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3),
        ("nulL", .unexpectedByte, 3), ("True", .unexpectedByte, 0), ("NaN", .unexpectedByte, 0),
        ("-Infinity", .badNumber, 1), ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0), ("01", .trailingBytes, 1),
        ("1.", .unexpectedEnd, 2), ("1.e2", .badNumber, 2), ("1e", .unexpectedEnd, 2), ("-", .unexpectedEnd, 1),
        ("0x10", .trailingBytes, 1), ("1 2", .trailingBytes, 2), ("{} {}", .trailingBytes, 3),
        ("[1,]", .unexpectedByte, 3), ("[1 2]", .unexpectedByte, 3), ("[", .unexpectedEnd, 1),
        ("[1", .unexpectedEnd, 2),
        ("{\"a\"}", .unexpectedByte, 4), ("{\"a\":}", .unexpectedByte, 5), ("{a:1}", .unexpectedByte, 1),
        ("{1:1}", .wrongType("a string"), 1), (#"{"a":1,}"#, .unexpectedByte, 7), ("{'a':1}", .unexpectedByte, 1),
        ("\"abc", .unexpectedEnd, 4), ("\"abc\\", .unexpectedEnd, 5), ("\"abc\\\"", .unexpectedEnd, 6),
        ("\"a\nb\"", .controlCharacter, 2), ("\"a\u{0}b\"", .controlCharacter, 2),
        ("\"a\u{1F}b\"", .controlCharacter, 2),
        (#""\uDC00\uDC00""#, .loneSurrogate, 3), (#""\x41""#, .badEscape, 2),
        (#""\u12""#, .badEscape, 3), (#""\u12G4""#, .badEscape, 3), (#""\uD83D""#, .loneSurrogate, 3),
        (#""\uDE00""#, .loneSurrogate, 3), (#""\uD83D\uD83D""#, .loneSurrogate, 3), (#""\uD83Dx""#, .loneSurrogate, 3),
        (#"{"a":1,"a":2}"#, .duplicateKey("a"), 10), (#"{"a":1,"\u0061":2}"#, .duplicateKey("a"), 15),
        ("// x\n1", .unexpectedByte, 0), ("\u{FEFF}1", .unexpectedByte, 0),
    ])
    func refuses(text: String, problem: JSONError.Problem, offset: Int) {
        #expect(throws: JSONError(problem, at: offset)) { try JSON(parsing: text) }
    }

    @Test(
        "Bytes that are not UTF-8: overlong, surrogates, truncated, beyond U+10FFFF",
        arguments: [
            [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80],
            [0xFF],
            [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func refusesBadUTF8(bytes: [UInt8]) throws {
        for escape in [[], Array(#"\n"#.utf8)] {
            let text = [0x22] + escape + bytes + [0x22]
            let error = #expect(throws: JSONError.self) { try JSONReader.parse(text) }
            #expect(error?.problem == .invalidUTF8)
            // Skipping is as strict as building.
            var reader = JSONReader(text)
            let skipped = #expect(throws: JSONError.self) { try reader.skip() }
            #expect(skipped?.problem == .invalidUTF8)
        }
    }

    @Test("As deep as allowed and no deeper", arguments: ["[", "{\"a\":"])
    func depth(open: String) throws {
        let close = open == "[" ? "]" : "}"
        func nested(_ levels: Int) -> String {
            String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
        }
        #expect(throws: Never.self) { try JSON(parsing: nested(32)) }
        let error = #expect(throws: JSONError.self) { try JSON(parsing: nested(33)) }
        #expect(error?.problem == .tooDeep(32))
        #expect(throws: JSONError.self) { try JSON(parsing: nested(1_000_000)) }
    }

    @Test("A duplicate key is found among many keys too")
    func manyKeys() throws {
        let members = (0..<2000).map { "\"k\($0)\":\($0)" }
        let object = try #require(try JSON(parsing: "{\(members.joined(separator: ","))}").object)
        #expect(object.members.map(\.key) == (0..<2000).map { "k\($0)" })
        let error = #expect(throws: JSONError.self) {
            try JSON(parsing: "{\(members.joined(separator: ",")),\"k1234\":0}")
        }
        #expect(error?.problem == .duplicateKey("k1234"))
    }

    @Test("A message decoder walks the members and skips what it does not know")
    func walking() throws {
        var reader = JSONReader(#"{"new":{"deep":["\u00e9",1e5]},"n":7,"who":null,"list":[1,2]}"#)
        var number: Int64?
        var who: String? = "unread"
        var list: [Int64] = []
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "n": number = try reader.integer()
            case "who": who = try reader.optionalString()
            case "list":
                try reader.array { (reader: inout JSONReader) throws(JSONError) in list.append(try reader.integer()) }
            default: try reader.skip()
            }
        }
        try reader.end()
        #expect(number == 7)
        #expect(who == nil)
        #expect(list == [1, 2])
    }

    @Test("The requested type is not the actual one")
    func wrongTypes() {
        func problem(_ text: String, _ read: (inout JSONReader) throws -> Void) -> JSONError.Problem? {
            var reader = JSONReader(text)
            do { try read(&reader) } catch { return (error as? JSONError)?.problem }
            return nil
        }
        #expect(problem("1") { _ = try $0.string() } == .wrongType("a string"))
        #expect(problem("1") { _ = try $0.bool() } == .wrongType("true or false"))
        #expect(problem("1.5") { _ = try $0.integer() } == .wrongType("a whole number"))
        #expect(problem(#""1""#) { _ = try $0.integer() } == .wrongType("a whole number"))
        #expect(problem("[]") { try $0.object { _, reader in reader = reader } } == .wrongType("an object"))
        #expect(problem("{}") { try $0.array { reader in reader = reader } } == .wrongType("an array"))
    }

    @Test("Every error states the problem and its position")
    func descriptions() {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: #"{"a":tru}"#) }
        #expect(error?.description == "unexpected character (at byte 8)")
    }
}

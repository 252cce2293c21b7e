import Annotations
import TestSupport
import Testing

/// Malformed text never crashes the reader, and building and skipping accept the same texts.
@Suite("JSON under fire")
struct JSONFuzzTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomValuesComeBack(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let value = Self.value(depth: 5, &random)
            #expect(try JSON(parsing: value.text) == value, "seed \(seed)")
        }
    }

    @Test(arguments: 100..<120 as Range<UInt64>)
    func cutAndFlippedTexts(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            var bytes = Array(Self.value(depth: 4, &random).text.utf8)
            Self.damage(&bytes, &random)
            let built = Result { try JSONReader.parse(bytes) }
            let skipped = Result {
                var reader = JSONReader(bytes)
                let source = try reader.source()
                try reader.end()
                return source
            }
            switch (built, skipped) {
            case (.success(let value), .success(let source)):
                #expect(try JSON(parsing: source) == value, "seed \(seed)")
            case (.failure(let one), .failure(let other)):
                #expect("\(one)" == "\(other)", "seed \(seed)")
            default: Issue.record("seed \(seed): one way accepts what the other refuses: \(bytes)")
            }
        }
    }

    @Test("An object cut anywhere is an error, not a smaller object")
    func everyPrefix() throws {
        let bytes = Array(#"{"a":[1.5e3,"\ud83d\ude00 é",{"b":null}],"c":true}"#.utf8)
        for end in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSONReader.parse(Array(bytes[..<end])) }
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        for _ in 0...Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeSubrange(index...)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.insert(random.pick(Array(#"{}[]",:\u0-.eE "#.utf8)), at: index)
            default: bytes.remove(at: index)
            }
        }
    }

    static func value(depth: Int, _ random: inout SeededRandom) -> JSON {
        switch Int.random(in: 0..<(depth == 0 ? 4 : 6), using: &random) {
        case 0: return random.pick([.null, true, false])
        case 1: return .number(JSONNumber(Int64.random(in: .min ... .max, using: &random)))
        case 2: return .number(JSONNumber(Double(bitPattern: random.next())))
        case 3: return .string(text(&random))
        case 4: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth - 1, &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                object[text(&random)] = value(depth: depth - 1, &random)
            }
            return .object(object)
        }
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let scalars = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
            Unicode.Scalar(
                random.pick([0x7F, 0x2FF, 0xFFFF, 0x10FFFF].map { UInt32.random(in: 0...$0, using: &random) }))
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

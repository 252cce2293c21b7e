import Annotations
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test func aMessage() {
        var json = JSONWriter()
        json.object {
            $0.member("id", "a\"b\\c\u{1}\n")
            $0.member("who", orNull: nil)
            $0.member("n", Int64.min)
            $0.member("yes", true)
            $0.member("source", source: "1.50")
            $0.member("empty", array: { _ in })
            $0.member("inner", object: { $0.member("x", .array([.null, "y"])) })
            $0.key("list")
            $0.array([1, 2]) { $0.raw(String($1)) }
        }
        #expect(
            json.text
                == #"{"id":"a\"b\\c\u0001\n","who":null,"n":-9223372036854775808,"yes":true,"source":1.50,"#
                + #""empty":[],"inner":{"x":[null,"y"]},"list":[1,2]}"#)
    }

    @Test("Every scalar below U+0100 is read back, and no control character is written raw")
    func everyControl() throws {
        for value in UInt32(0)..<0x100 {
            let text = String(Unicode.Scalar(value)!)
            let written = JSON.string(text).text
            #expect(written.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
            #expect(try JSON(parsing: written).string == text)
        }
    }

    @Test func numbers() {
        var all: [Int64] = [0, .min, .max]
        var power: Int64 = 1
        for _ in 0..<19 {
            all += [power - 1, power, power + 1, -power]
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        for number in all {
            var json = JSONWriter()
            json.number(number)
            #expect(json.text == String(number))
        }
    }

    @Test("A text is plain if it is written unchanged", arguments: 0..<40)
    func plainTexts(length: Int) {
        for byte in UInt8(0)..<0x80 {
            for place in 0..<length {
                var text = Array(repeating: UInt8(ascii: "x"), count: length)
                text[place] = byte
                var json = JSONWriter()
                text.withUnsafeBufferPointer { json.string(utf8: $0) }
                let isAsItIs = json.bytes.count == length + 2
                #expect(text.withUnsafeBufferPointer { JSONWriter.isPlain($0) } == isAsItIs)
            }
        }
    }
}

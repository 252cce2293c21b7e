import Annotations
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test(arguments: [
        ("3", Int64(3)), ("3.0", 3), ("3e0", 3), ("30e-1", 3), ("-0", 0), ("9223372036854775807", .max),
        ("-9223372036854775808", .min), ("9007199254740991.0", 9_007_199_254_740_991), ("1e3", 1000),
    ])
    func wholeNumbers(source: String, value: Int64) throws {
        #expect(try JSON(parsing: source).integer == value)
    }

    @Test(arguments: ["3.5", "9223372036854775808", "1e999", "-1e999", "1e300", "9007199254740993.0"])
    func notWhole(source: String) throws {
        #expect(try JSON(parsing: source).integer == nil)
    }

    @Test(arguments: ["1e999", "-1e999"])
    func notFinite(source: String) throws {
        let value = try JSON(parsing: source)
        #expect(value.double == nil)
        #expect(value.text == source, "but it is not lost")
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (12, "12"), (-1.5, "-1.5"), (0.1, "0.1"), (1e16, "1e+16"), (1e300, "1e+300"),
        (.leastNonzeroMagnitude, "5e-324"), (.infinity, "0"), (.nan, "0"),
    ])
    func doublesAreJSON(value: Double, text: String) throws {
        #expect(JSONNumber(value).source == text)
        if value.isFinite { #expect(try JSON(parsing: text).double == value) }
    }

    @Test("Members keep their order when one is replaced, added or removed")
    func members() throws {
        var object = try #require(try JSON(parsing: #"{"b":1,"a":2,"c":3}"#).object)
        object["a"] = "two"
        object["b"] = nil
        object["d"] = [1.5, true, nil]
        object["e"] = nil
        #expect(JSON.object(object).text == #"{"a":"two","c":3,"d":[1.5,true,null]}"#)
    }

    @Test("Keys that look alike are different keys")
    func keysAreExact() throws {
        var object = try #require(try JSON(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}").object)
        #expect(object["\u{E9}"]?.integer == 1)
        #expect(object["e\u{301}"]?.integer == 2)
        object["e\u{301}"] = nil
        #expect(object["\u{E9}"]?.integer == 1)
        #expect(object.members.count == 1)
    }

    @Test("Texts that look alike are different values, at any depth")
    func equalityIsExact() {
        let (one, other) = (JSON.string("\u{E9}"), JSON.string("e\u{301}"))
        #expect(one != other)
        #expect(JSON.array([one]) != .array([other]))
        #expect(["a": one] as JSON != ["a": other])
        #expect(["\u{E9}": nil] as JSON != ["e\u{301}": nil])
        #expect(["a": [one, 1.5, true, nil]] as JSON == ["a": [one, 1.5, true, nil]])
        #expect(Set([one, other, one]).count == 2)
    }

    @Test("A value can be read only as its own type")
    func types() {
        #expect(JSON.string("1").integer == nil)
        #expect(JSON.number(JSONNumber(Int64(1))).string == nil)
        #expect(JSON.null.isNull)
        #expect(JSON.null.object == nil)
        #expect(JSON.bool(true).bool == true)
        #expect(JSON.array([])["key"] == nil)
    }
}

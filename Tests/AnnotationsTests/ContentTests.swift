import Annotations
import TestSupport
import Testing

@Suite("Content of a record")
struct ContentTests {
    @Test("Unknown keys, their order and the source of numbers survive")
    func keepsEverything() throws {
        let text = #"{"type":"vendor/new","v":2,"opacity":1.50,"big":1e999,"x":{"y":[0.10,-0]},"é":"\u00e9"}"#
        let content = try Content(text)
        #expect(content.text == text)
        #expect(content["opacity"]?.double == 1.5)
        let changed = content.changing { $0["text"] = "new" }
        #expect(changed.text == String(text.dropLast().dropLast(8)) + #""é","text":"new"}"#)
    }

    @Test(
        "White space between members is removed and white space in strings is kept: a record is one line",
        arguments: [
            ("{ }", "{}"), ("\n{\"a\" : [ 1 ,\r\n 2 ] }\n", #"{"a":[1,2]}"#),
            ("{\"a\":\" \\\" , \\\\\" ,\t\"b\":\"\\\\\\\" :\" }", #"{"a":" \" , \\","b":"\\\" :"}"#),
            ("{\"text\": \"two words\\n\"}", #"{"text":"two words\n"}"#),
        ])
    func oneLine(text: String, kept: String) throws {
        #expect(try Content(text).text == kept)
    }

    @Test(arguments: ["", "null", "[]", "1", #""{}""#, "{} {}", "{", #"{"a":1,"a":2}"#, "{\"a\":\"\n\"}"])
    func refused(text: String) {
        #expect(throws: JSONError.self) { try Content(text) }
    }

    @Test("Content that is accepted alone can be forwarded inside a message, however deep it is")
    func depthIsItsOwn() throws {
        let deepest = String(repeating: #"{"a":"#, count: 32) + "1" + String(repeating: "}", count: 32)
        let content = try Content(deepest)
        var reader = JSONReader("[[[\(content.text)]]]")
        var found: Content?
        try reader.array { (reader: inout JSONReader) throws(JSONError) in
            try reader.array { (reader: inout JSONReader) throws(JSONError) in
                try reader.array { (reader: inout JSONReader) throws(JSONError) in
                    found = try Content(from: &reader)
                }
            }
        }
        try reader.end()
        #expect(found == content)
        #expect(throws: JSONError.self) { try Content(#"{"a":\#(deepest)}"#) }

        // After it, the message's own depth counts again.
        var after = JSONReader("[\(content.text),\(String(repeating: "[", count: 32))")
        let error = #expect(throws: JSONError.self) {
            try after.array { (reader: inout JSONReader) throws(JSONError) in
                if case .object = try reader.peek() { _ = try Content(from: &reader) } else { try reader.skip() }
            }
        }
        #expect(error?.problem == .tooDeep(32))
    }

    @Test("Texts that look alike are different contents")
    func equality() throws {
        #expect(try Content("{\"a\":\"\u{E9}\"}") != Content("{\"a\":\"e\u{301}\"}"))
        #expect(try Content(#"{"a":1}"#) != Content(#"{"a":1.0}"#))
        #expect(try Content(#"{"a":1}"#) == Content(#"{ "a": 1 }"#))
    }

    @Test("Content from a damaged store is empty and causes no crash")
    func brokenStore() {
        #expect(Content(checked: "{\"a\":").object.members.isEmpty)
    }

    @Test(arguments: [
        (#"{"type":"pspdfkit/note"}"#, ContentType.annotations), (#"{}"#, .annotations),
        (#"{"type":"pspdfkit/comment"}"#, .comments), (#"{"rootId":"R"}"#, .comments),
        (#"{"rootId":null,"type":"pspdfkit/note"}"#, .annotations),
        (#"{"type":"pspdfkit/comment-marker"}"#, .annotations), (#"{"type":"pspdfkit/widget"}"#, .annotations),
        (#"{"type":"pspdfkit/form-field-value"}"#, .formFields),
        (#"{"type":"pspdfkit/form-field/text"}"#, .formFields),
    ])
    func contentType(text: String, type: ContentType) throws {
        #expect(try Content(text).contentType == type)
    }
}

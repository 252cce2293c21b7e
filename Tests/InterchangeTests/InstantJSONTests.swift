import Annotations
import Interchange
import Testing

@Suite("Instant JSON of a whole document")
struct InstantJSONTests {
    private let note = Record(
        id: "n1", content: Content([("type", "pspdfkit/note"), ("v", 1), ("text", "a \u{1F44D}")]), createdBy: "ana",
        updatedBy: "ben", group: "public")
    private let comment = Record(
        id: "c1", content: Content([("type", "pspdfkit/comment"), ("rootId", "n1"), ("text", "b")]))

    private func write(_ records: [Record]) -> String {
        var writer = InstantJSONWriter()
        var text = writer.begin()
        for record in records { text += writer.add(record) }
        return text + writer.end()
    }

    private func read(_ text: String) throws(JSONError) -> InstantJSONFile { try InstantJSONFile(Array(text.utf8)) }

    @Test func whatIsWrittenIsReadBack() throws {
        let file = try read(write([note, Record(id: "n2", content: note.content), comment]))
        #expect(file.annotations.map(\.id) == ["n1", "n2"])
        #expect(file.annotations.map(\.group) == [.some("public"), nil])
        #expect(file.annotations.map(\.content) == [note.content, note.content])
        #expect(file.comments.map(\.id) == ["c1"])
        #expect(file.comments.map(\.content) == [comment.content])
    }

    @Test(arguments: [0, 1, 2, 3, 4, 255]) func filesComeWithTheirRecords(_ count: Int) throws {
        let id = try #require(AttachmentID(String(repeating: "a", count: 64)))
        let bytes = (0..<count).map { UInt8(255 - $0) }
        for records in [[], [note], [comment], [note, comment]] {
            var writer = InstantJSONWriter()
            var text = writer.begin() + records.map { writer.add($0) }.joined()
            text += writer.add(bytes, as: id)
            let file = try read(text + writer.end())
            #expect(file.attachments == [id: bytes])
            #expect(file.annotations.count + file.comments.count == records.count)
        }
    }

    @Test func whatALayerCannotHoldIsTold() throws {
        let file = try read(
            #"{"format":"https://pspdfkit.com/instant-json/v1","formFields":[{"a":1},{}],"bookmarks":[],"pdfId":{"permanent":"a"},"#
                + #""formFieldValues":[1],"x":{"y":[]}}"#)
        #expect(
            file.problems.map(\.description) == [
                "formFields: 2 left out: form fields are part of the PDF", "pdfId: the file's id is not compared",
                "formFieldValues: 1 left out: without a name", "x: not part of a layer",
            ])
        #expect(file.problems.map(\.isSkipped) == [true, false, true, true])
    }

    /// The values come with the PDF: a file can repeat them, and not change them.
    @Test func formFieldValuesAreWrittenAndCompared() throws {
        let value = Record(
            id: "7:value",
            content: Content([("v", 1), ("type", "pspdfkit/form-field-value"), ("name", "tax.year"), ("value", "2025")])
        )
        var writer = InstantJSONWriter()
        let id = try #require(AttachmentID(String(repeating: "a", count: 64)))
        var text = writer.begin() + writer.add(note) + writer.add(comment) + writer.add(value)
        text += writer.add([1], as: id)
        let file = try read(text + writer.end())
        #expect(file.formFieldValues.map(\.name) == ["tax.year"] && file.formFieldValues.map(\.value) == ["2025"])
        #expect(file.annotations.count == 1 && file.comments.count == 1 && file.attachments.count == 1)
        #expect(file.problems(with: [ByteOrdered("tax.year"): "2025"]).isEmpty)
        #expect(
            file.problems(with: [ByteOrdered("tax.year"): "2024"]).count == 1 && file.problems(with: [:]).count == 1)
        #expect(write([value]).contains(#""formFieldValues":["#))
    }

    @Test(arguments: [
        (#"{}"#, "binary"), (#"{"binary":7}"#, "string"), (#"{"binary":"AA"}"#, "base64"),
        (#"{"binary":"AB=="}"#, "base64"), (#"{"binary":"A==="}"#, "base64"), (#"{"binary":"AA=A"}"#, "base64"),
        (#"{"binary":"A-_A"}"#, "base64"), ("[]", "object"),
    ])
    func aFileThatIsNoneIsAnError(_ file: String, _ why: String) {
        let text = #"{"format":"https://pspdfkit.com/instant-json/v1","attachments":{"a":\#(file)}}"#
        #expect { try read(text) } throws: { "\($0)".contains(why) }
    }

    @Test func theEnvelopeStandsBesideTheContent() {
        #expect(
            write([note]) == """
                {"format":"https://pspdfkit.com/instant-json/v1",
                "annotations":[
                {"id":"n1","type":"pspdfkit/note","v":1,"text":"a \u{1F44D}","createdBy":"ana","updatedBy":"ben",\
                "group":"public"}
                ]}

                """)
        #expect(write([]).contains(#""annotations":[]"#))
        #expect(write([comment]).contains(#""annotations":[],"# + "\n" + #""comments":["#))
    }

    @Test func numbersAndUnknownMembersKeepTheirText() throws {
        let text =
            #"{"annotations":[{"id":"x","bbox":[1.50,2e0,3,4],"custom":{"a":[null,true]}}],"other":1,"#
            + #""format":"https://pspdfkit.com/instant-json/v1"}"#
        let item = try #require(try read(text).annotations.first)
        #expect(item.content.text == #"{"bbox":[1.50,2e0,3,4],"custom":{"a":[null,true]}}"#)
    }

    @Test(
        "An invalid file is refused with the position of the error",
        arguments: [
            ("", JSONError.Problem.unexpectedEnd, 0), ("[]", .wrongType("an object"), 0),
            (#"{"annotations":[]}"#, .missing("format"), 0),
            (#"{"format":"https://pspdfkit.com/instant-json/v1"} x"#, .trailingBytes, 50),
            (#"{"annotations":[{"id":"a"},7]}"#, .wrongType("an object"), 27),
            (#"{"annotations":[{"id":7}]}"#, .wrongType(#""id" to be a string"#), 16),
            (#"{"annotations":[{"id":"a","group":[]}]}"#, .wrongType(#""group" to be a string or null"#), 16),
            (#"{"annotations":[{"a":1,"a":2}]}"#, .duplicateKey("a"), 26),
            (#"{"annotations":{}}"#, .wrongType("an array"), 15), (#"{"annotations":[{"a":1"#, .unexpectedEnd, 22),
        ])
    func refused(text: String, problem: JSONError.Problem, offset: Int) {
        let error = #expect(throws: JSONError.self) { try read(text) }
        #expect(error?.problem == problem)
        #expect(error?.offset == offset)
    }

    @Test(
        "A record is already present if only its stamps differ",
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#, true), (#"{"a":1}"#, #"{"a":2}"#, false),
            (#"{"a":1}"#, #"{"a":1,"b":2}"#, false),
            (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, true), (#"{"a":1,"b":2}"#, #"{"a":1}"#, false),
            (#"{"a":1}"#, #"{"a":1,"createdAt":"x","updatedAt":"y","creatorName":"z"}"#, true),
            (#"{"a":1,"createdAt":"w"}"#, #"{"a":1,"createdAt":"x"}"#, false),
            (#"{"a":1,"creatorName":"w","updatedAt":"v"}"#, #"{"a":1,"creatorName":"z"}"#, true),
            (#"{"a":1}"#, #"{"a":1,"id":"7","group":null}"#, true), (#"{"a":1.0}"#, #"{"a":1}"#, false),
            (#"{"é":1}"#, "{\"e\u{301}\":1}", false),
        ])
    func presence(file: String, stored: String, isThere: Bool) throws {
        let content = try Content(file)
        #expect(content.isPresent(in: Record(id: "x", content: try Content(stored))) == isThere)
    }
}

extension Content {
    fileprivate init(_ members: [(String, JSON)]) {
        var object = JSONObject()
        for (key, value) in members { object[key] = value }
        self.init(object)
    }
}

import Annotations
import TestSupport
import Testing

@testable import PDFPages

/// Texts that begin with what joins the character before it, in files and records.
@Suite("Text that begins with a combining character", .inTurns)
struct CombiningTextTests {
    private let tools = PDFTools()
    private static let members = ["text", "creatorName", "name", "subject"]

    private static func record(_ text: String, _ number: Int) -> Record {
        let content: JSON = [
            "v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [9, 9, 32, 32], "text": .string(text),
            "creatorName": .string(text), "name": .string(text), "subject": .string(text),
        ]
        return Record(id: "\(text)\(number)", content: Content(content.object ?? JSONObject()))
    }

    /// Adds a record for each text, then edits each.
    ///
    /// - Parameter isLocked: whether qpdf rewrites the file, instead of a continuation.
    @Test(arguments: [false, true])
    func itIsWrittenReadAndChanged(isLocked: Bool) async throws {
        let folder = try Folder()
        var source = try folder.write(SmallPDF(annotations: []).bytes, as: "source.pdf")
        if isLocked { source = try await locked(source, in: folder) }
        let (first, second) = (try folder.write([], as: "first.pdf"), try folder.write([], as: "second.pdf"))
        let notes = try folder.write([], as: "notes")
        let records = AwkwardText.all.enumerated().map { Self.record($1, $0) }
        try await tools.annotate(source, into: first, notes: notes) { annotated in
            for record in records {
                let isHeld = try annotated.add(record)
                #expect(isHeld)
            }
        }
        let read = try await tools.annotations(of: first).records
        #expect(texts(read) == texts(records))
        let changed = read.map { record in
            var record = record
            record.content = record.content.changing { $0["text"] = .string("\u{308}" + ($0["text"]?.string ?? "")) }
            return record
        }
        try await tools.annotate(first, into: second, notes: notes) { annotated in
            for record in changed {
                let isHeld = try annotated.add(record)
                #expect(isHeld)
            }
        }
        let after = try await tools.annotations(of: second).records
        #expect(texts(after) == texts(changed))
    }

    private func texts(_ records: [Record]) -> Set<JSON> {
        Set(records.map { record in .array(Self.members.map { record.content[$0] ?? .null }) })
    }

    private func locked(_ file: String, in folder: Folder) async throws -> String {
        let path = try folder.write([], as: "locked.pdf")
        let outcome = try await tools.run(
            .qpdf, ["--encrypt", "", "owner", "256", "--", file, path], into: CollectedOutput())
        #expect(outcome.exitCode == 0)
        return path
    }

    /// As other programs write them: in UTF-16, and with an umlaut whose base was deleted in the file's own encoding.
    @Test(arguments: AwkwardText.all)
    func otherProgramsTextsAreRead(_ text: String) async throws {
        let units: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let word = "<\(units.hexadecimal)>"
        let pdf = SmallPDF(annotations: [
            "<</Type/Annot/Subtype/Text/Rect[9 700 30 720]/Contents\(word)/T\(word)/NM\(word)/Subj\(word)>>"
        ])
        let folder = try Folder()
        let source = try folder.write(pdf.bytes, as: "source.pdf")
        let records = try await tools.annotations(of: source).records
        #expect(texts(records) == [.array(Self.members.map { _ in .string(text) })])
        let target = try folder.write([], as: "target.pdf")
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { annotated in
            for record in records { _ = annotated.keep(record.id) }
            try annotated.add(Self.record("another", 1))
        }
        let count = try await tools.annotations(of: target).records.count
        #expect(count == 2)
    }

    @Test(arguments: AwkwardText.all)
    func aMarkOfTheToolsOutputIsNotPartOfTheText(_ text: String) {
        #expect(ObjectSource.object(Array(JSON.string("u:" + text).text.utf8)[...]) == .string(text))
        #expect(ObjectSource.object(Array(JSON.string("/" + text).text.utf8)[...]) == .name(text))
        let object = ObjectSource.object(Array("{\"/\(text)\":\"u:x\"}".utf8)[...])
        #expect(object.dictionary?.first.map { $0.key.isExactly(text) && $0.value == .string("x") } == true)
        #expect(PDFObject.string("caf\u{E9}") != .string("cafe\u{301}"))
    }

    @Test func aWordOfAPageMayBeginSo() {
        #expect(decodeEntities("&amp;\u{308}x&lt;".utf8).isExactly("&\u{308}x<"))
        #expect(decodeEntities("&\u{308};&#776;".utf8).isExactly("&\u{308};\u{308}"))
    }

    /// The title of a file comes first, and may end with what joins a line end.
    @Test func aTitleHidesNoFact() {
        let listing = InfoListing(
            Array("Title:          \u{308}x\r\nPages:          3\nEncrypted:      yes (print:no)\n".utf8))
        #expect(listing.title.isExactly("\u{308}x") && listing.pageCount == 3 && listing.isEncrypted)
    }

    @Test func linesOfStyledTextEndAtCarriageReturns() {
        let styled = StyledText("one\r\n\u{308}two", in: TextStyle())
        #expect(styled.richText(in: TextStyle(), css: nil).contains("one</p><p>\u{308}two"))
        var style = TextStyle()
        style.read("color:\u{308};font-weight:bold")
        #expect(style.isBold)
        #expect(TextStyle.firstStyle(in: "<body style=\"font-size:9pt\">\u{308}") == "font-size:9pt")
    }
}

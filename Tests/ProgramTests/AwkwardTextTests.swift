import Annotations
import Testing

@testable import postilla

/// What the program writes for other programs, with texts in which a sign and the scalar after it are one character.
@Suite struct AwkwardTextTests {
    @Test(arguments: ["a'\u{308}b", "\u{D4E};id", "'"])
    func aShellSeesOneWord(_ name: String) {
        let pieces = name.split(scalar: "'", omittingEmptySubsequences: false)
        #expect(name.shellWord.isExactly("'" + pieces.joined(separator: "'\\''") + "'"))
    }

    @Test(arguments: ["=\u{308}1+1", "@\u{FE0F}x", "\"\u{308}, x", "a\r\nb"])
    func aSpreadsheetSeesAText(_ text: String) async throws {
        let content: JSON = [
            "v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [0, 0, 9, 9], "text": .string(text),
        ]
        let record = Record(id: "n", content: Content(content.object ?? JSONObject()))
        var writer = CSVWriter(words: MarkedWords(file: nil)) { _ in [] }
        let line = try await writer.add(record, under: nil, file: nil).string
        let field = (["=", "@"].contains { text.begins(with: $0) } ? "'" : "") + text
        // Output has line feeds only.
        let quotes = "\"" + field.replacing(scalars: "\"", with: "\"\"").replacing(scalars: "\r", with: "") + "\""
        #expect(line.contains(scalars: text.begins(with: "=") || text.begins(with: "@") ? field : quotes), "\(line)")
    }

    @Test(arguments: [
        ("\u{308}papier.pdf", "\u{308}papier.pdf"), ("/tmp/\u{308}x.pdf", "\u{308}x.pdf"), (".\u{308}x", "\u{308}x"),
    ])
    func aFileNameIsTheLastPartOfAPath(path: String, name: String) {
        #expect(SafeFileName.name(path).isExactly(name))
    }
}

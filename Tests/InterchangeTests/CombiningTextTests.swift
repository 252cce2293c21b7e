import Annotations
import Merging
import PDFPages
import TestSupport
import Testing

@testable import Interchange

/// Texts that begin with what joins the character before it, in files of other formats.
@Suite("Files with text that begins with a combining character")
struct CombiningTextTests {
    private static let pages = [PageFrame(width: 612, height: 792)]

    private func record(_ text: String) -> Record {
        let content: JSON = [
            "v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [9, 9, 32, 32], "text": .string(text),
            "creatorName": .string(text), "subject": .string(text),
        ]
        return Record(id: text, content: Content(content.object ?? JSONObject()))
    }

    private func isSame(_ item: InstantJSONFile.Item?, _ text: String) -> Bool {
        ["text", "creatorName", "subject"].allSatisfy { item?.content[$0] == .string(text) }
    }

    @Test(arguments: AwkwardText.all)
    func xfdfHoldsIt(_ text: String) throws {
        let writer = XFDFWriter(pages: Self.pages)
        let root = record(text)
        let reply = Record(id: "r", content: .comment(.plain(text), under: root.id, root.content))
        let file = try XFDFFile(
            Array((writer.begin() + writer.add(root) + writer.add(reply, under: root) + writer.end()).utf8),
            pages: Self.pages)
        #expect(isSame(file.annotations.first, text))
        #expect(file.comments.first?.content["text"] == .string(text))
        if Record.isValidID(text) { #expect(file.annotations.first?.id.isExactly(text) == true) }
    }

    @Test(arguments: AwkwardText.all)
    func fdfHoldsIt(_ text: String) throws {
        let units: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let word = "<\(units.hexadecimal)>"
        let entries = "/Subtype/Text/Page 0/Rect[9 700 30 720]/Contents\(word)/T\(word)/Subj\(word)/NM\(word)"
        let body = "%FDF-1.4\n1 0 obj\n<</FDF<</Annots[2 0 R]>>>>\nendobj\n2 0 obj\n<<\(entries)>>\nendobj\n"
        let file = try FDFFile(Array((body + "trailer\n<</Root 1 0 R>>\n%%EOF\n").utf8), pages: Self.pages)
        #expect(isSame(file.annotations.first, text))
    }

    @Test func anotherSpellingOfATextIsAChange() {
        let (old, new) = (record("caf\u{E9}").content, record("cafe\u{301}").content)
        #expect(KnownRecord.changes(from: old, to: new).keys.map(\.text).sorted() == ["subject", "text"])
        let comment = Content.comment(.plain("caf\u{E9}"), under: "r", old)
        let other = Content.comment(.plain("cafe\u{301}"), under: "r", old)
        #expect(KnownRecord.changedWords(of: other, in: comment) == [ByteOrdered("text"): .string("cafe\u{301}")])
    }

    /// Two members whose keys Swift takes for one.
    @Test func membersWithKeysThatLookTheSameAreTwo() {
        let old = record("x").content
        let new = old.changing {
            $0["cafe\u{301}"] = 2
            $0["caf\u{E9}"] = 1
        }
        let changes = KnownRecord.changes(from: old, to: new)
        #expect(changes.count == 2)
        #expect(KnownRecord.apply(changes, to: old) == new)
        #expect(!Record(id: "1", content: old).isSame(as: Record(id: "1", content: new)))
    }

    @Test func aPathInAFileIsCutAtItsSeparators() throws {
        let node = XMLNode("fileattachment", ["file": "C:\\x\\\u{308}paper.pdf"])
        #expect(XFDFAttachedFile(node).name.isExactly("\u{308}paper.pdf"))
    }
}

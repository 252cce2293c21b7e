import Annotations
import Interchange
import TestSupport
import Testing

/// What is said of records that a format does not hold.
@Suite struct LeftOutTests {
    @Test(arguments: [
        (#"{"type":"pspdfkit/note","pageIndex":3}"#, "1 annotation on a page that the document does not have"),
        (#"{"type":"pspdfkit/media","pageIndex":3}"#, "1 annotation on a page that the document does not have"),
        (#"{"type":"pspdfkit/note","pageIndex":2}"#, "1 annotation that cannot be written"),
        (#"{"type":"pspdfkit/note"}"#, "1 annotation without a page"),
        (#"{"type":"example/hologram","pageIndex":0}"#, "1 annotation of an unknown kind"),
        (#"{"type":"pspdfkit/media","pageIndex":0}"#, "1 media file"),
        (#"{"type":"pspdfkit/comment","rootId":"r","pageIndex":0}"#, "1 comment"),
    ])
    func aRecordIsCountedByWhatItIs(_ text: String, _ expected: String) throws {
        var left = LeftOut()
        let content = Content(try #require(try JSONReader.parse(Array(text.utf8)).object))
        left.add(Record(id: "x", content: content, createdBy: nil, updatedBy: nil, group: nil), pageCount: 3)
        #expect(left.text == expected)
    }
}

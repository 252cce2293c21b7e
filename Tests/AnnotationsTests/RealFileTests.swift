import Annotations
import Foundation
import TestSupport
import Testing

private let files = Repository.samples.filter { $0.name.hasSuffix(".json") }.map(\.path)

/// Instant JSON of real exports, which exist next to the package only on some machines.
@Suite("Real files", .enabled(if: !files.isEmpty))
struct RealFileTests {
    @Test(arguments: files)
    func nothingIsLost(path: String) throws {
        let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        let json = try JSON(parsing: text)
        #expect(try JSON(parsing: json.text) == json)
        // Without white space both texts are equal byte for byte: order and numbers are preserved.
        #expect(try Content(text).text == json.text)
    }

    @Test(arguments: files)
    func recordsAreRead(path: String) throws {
        let json = try JSON(parsing: String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8))
        let lists = ["annotations", "comments"].compactMap { json[$0]?.array }
        let objects = lists.isEmpty ? [json] : lists.flatMap { $0 }
        #expect(!objects.isEmpty)
        for object in objects.compactMap(\.object) {
            let content = Content(object)
            let annotation = Annotation(id: "1", content: content)
            try content.validate()
            #expect(annotation.kind.letter != "?")
            #expect(annotation.pageIndex == 0)
            switch annotation.kind {
            case .comment:
                #expect(annotation.rootID != nil)
                #expect(!annotation.text.isEmpty && !annotation.text.contains("<"))
            case .ink: #expect(annotation.strokes.map(\.count) == [3, 3])
            default: #expect(annotation.box != nil)
            }
        }
    }
}

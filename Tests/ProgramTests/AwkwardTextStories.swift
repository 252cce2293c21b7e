import Annotations
import Foundation
import TestSupport
import TestThreads
import Testing

/// Texts and names that begin with a combining character, from the command line into a file and back.
@Suite(.onOwnThreads)
struct AwkwardTextStories: OwnPaperStories {
    let paper: OwnPaper

    init() throws { paper = try OwnPaper() }

    private static let texts = ["\u{308}u", "\u{200D}x", "\u{FE0F}", "\u{1F3FD}", "caf\u{E9}", "cafe\u{301}"]

    private func notes(_ path: String, other: Bool = false) throws -> [String] {
        let outcome = try run("list", path, "--format", "ndjson", other: other)
        #expect(outcome.status == 0, "\(outcome.messages)")
        return try outcome.output.split(separator: "\n").compactMap {
            let content = try JSON(parsing: String($0))["content"]
            return content?["creatorName"]?.string == "\u{308}Ana" ? content?["text"]?.string : nil
        }
    }

    @Test func aNoteIsWrittenListedExportedAndImported() throws {
        let path = try home.write("\u{308}papier.pdf", original)
        for text in Self.texts {
            let added = try run("add", path, "--note", text, "--page", "1", "--author", "\u{308}Ana")
            #expect(added.status == 0, "\(added.messages)")
        }
        let wanted = Self.texts.map(ByteOrdered.init).sorted()
        for other in [false, true] { #expect(try notes(path, other: other).map(ByteOrdered.init).sorted() == wanted) }
        let copy = home.path + "/copy.pdf"
        #expect(try run("export", path, "--format", "pdf", "--output", copy).status == 0)
        #expect(try notes(copy, other: true).map(ByteOrdered.init).sorted() == wanted)
        for format in ["xfdf", "instant-json"] {
            let file = home.path + "/notes.\(format == "xfdf" ? "xfdf" : "json")"
            let exported = try run("export", path, "--format", format, "--output", file)
            #expect(exported.status == 0, "\(exported.messages)")
            let clean = try home.write("\(format).pdf", original)
            let imported = try run("import", file, "--pdf", clean, "--author", "\u{308}Ana")
            #expect(imported.status == 0, "\(imported.messages)")
            #expect(try notes(clean, other: true).map(ByteOrdered.init).sorted() == wanted, "\(format)")
        }
        for format in ["csv", "markdown"] {
            let exported = try run("export", path, "--format", format)
            #expect(exported.status == 0 && exported.output.contains("cafe\u{301}"), "\(exported.messages)")
        }
    }
}

import Annotations
import Children
import Foundation
import TestSupport
import TestThreads
import Testing

/// Annotations of which only a part can be read, and files whose changes cannot be appended.
@Suite(.onOwnThreads)
struct PartStories: OwnPaperStories {
    let paper: OwnPaper

    init() throws { paper = try OwnPaper() }

    /// A page of handwriting, as a tablet writes it, and a note.
    private func handwriting(_ name: String) throws -> String {
        let stroke = (0..<300).map { "\(50 + $0) \(400 + $0 % 7)" }.joined(separator: " ")
        let strokes = String(repeating: "[\(stroke)]", count: 100)
        let pdf = SmallPDF(annotations: [
            "<</Type/Annot/Subtype/Ink/Rect[40 40 560 770]/InkList[\(strokes)]/C[1 0 0]/NM(ink)>>",
            "<</Type/Annot/Subtype/Text/Rect[9 9 30 30]/Contents(a note)/NM(note)>>",
        ])
        return try home.write(name, Data(pdf.bytes))
    }

    private func strokes(_ path: String) throws -> Int {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return text.components(separatedBy: "[50 400 ").count - 1
    }

    private func id(_ kind: String, in path: String) throws -> Record.ID {
        let lines = try run("list", path, "--format", "ndjson").output.split(separator: "\n")
        let records = try lines.map { try JSON(parsing: String($0)) }
        return try #require(records.first { $0["content"]?["type"]?.string == kind }?["id"]?.string)
    }

    @Test func longHandwritingIsNotEdited() throws {
        let path = try handwriting("ink.pdf")
        let before = try Data(contentsOf: URL(filePath: path))
        let ink = try id("pspdfkit/ink", in: path)
        let edited = try run("edit", ink, "--text", "mine", "--pdf", path)
        #expect(edited.status == 1 && edited.messages.contains("more than 10,000 points"), "\(edited.messages)")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        let note = try run("edit", try id("pspdfkit/note", in: path), "--text", "changed", "--pdf", path)
        #expect(note.status == 0, "\(note.messages)")
        #expect(try run("reply", ink, "--text", "so?", "--pdf", path).status == 0)
        #expect(try strokes(path) == 100)
    }

    @Test func longHandwritingIsNotExportedInPart() throws {
        let path = try handwriting("ink.pdf")
        for format in ["xfdf", "instant-json"] {
            let exported = try run("export", path, "--format", format)
            #expect(
                exported.status == 1 && exported.messages.contains("more than 10,000 points"), "\(exported.messages)")
            #expect(exported.output.contains("a note") && !exported.output.contains("ink"), "\(format)")
        }
        let copy = home.path + "/copy.pdf"
        #expect(try run("export", path, "--format", "pdf", "--output", copy).status == 0)
        #expect(try strokes(copy) == 100)
    }

    @Test func longHandwritingIsNotMergedOrImportedInPart() throws {
        let copy = try handwriting("copy.pdf")
        let base = try home.write("base.pdf", Data(SmallPDF(annotations: []).bytes))
        let merged = home.path + "/merged.pdf"
        let merge = try run("merge", base, copy, "-o", merged)
        #expect(
            merge.status == 1 && (merge.output + merge.messages).contains("more than 10,000 points"),
            "\(merge.messages)")
        #expect(try texts(of: merged) == ["a note"])
        let into = try run("import", copy, "--pdf", base)
        #expect(
            into.status != 0 && (into.output + into.messages).contains("more than 10,000 points"), "\(into.messages)")
        #expect(try texts(of: base) == ["a note"])
        let gesture = (0..<10_001).map { "\($0 % 500),\($0 % 7)" }.joined(separator: ";")
        let xfdf = """
            <xfdf xmlns="http://ns.adobe.com/xfdf/"><annots><ink page="0" rect="40,40,560,770" name="ink"><inklist>\
            <gesture>\(gesture)</gesture></inklist></ink></annots></xfdf>
            """
        let read = try run("import", try home.write("long.xfdf", xfdf), "--pdf", base)
        #expect(
            read.status != 0 && (read.output + read.messages).contains("more than 10,000 points"), "\(read.messages)")
        #expect(try texts(of: base) == ["a note"])
    }

    private func texts(of path: String) throws -> [String] {
        try run("list", path, "--format", "ndjson", other: true).output.split(separator: "\n").map {
            try JSON(parsing: String($0))["content"]?["text"]?.string ?? ""
        }
    }

    /// Each change rewrites the file, whose notes are in several object streams.
    @Test func aLockedFileIsEditedNoteByNote() throws {
        let notes = (0..<260).map { "<</Type/Annot/Subtype/Text/Rect[9 9 30 30]/Contents(note \($0))>>" }
        let plain = try home.write("plain.pdf", Data(SmallPDF(annotations: notes).bytes))
        let path = home.path + "/locked.pdf"
        let process = try ChildProcess.run(
            URL(filePath: "/usr/bin/env"),
            arguments: ["qpdf", "--object-streams=generate", "--encrypt", "", "owner", "256", "--", plain, path])
        process.waitUntilExit()
        func id(_ text: String) throws -> Record.ID {
            let lines = try run("list", path, "--format", "ndjson").output.split(separator: "\n")
            return try #require(
                try lines.map { try JSON(parsing: String($0)) }
                    .first { $0["content"]?["text"]?.string == text }?["id"]?.string)
        }
        for number in [5, 150] {
            let edited = try run("edit", try id("note \(number)"), "--text", "changed \(number)", "--pdf", path)
            #expect(edited.status == 0, "\(edited.messages)")
        }
        #expect(try run("add", path, "--note", "new", "--page", "1").status == 0)
        let found = try texts(of: path)
        #expect(found.count == 261 && Set(found).isSuperset(of: ["changed 5", "changed 150", "new", "note 6"]))
    }
}

import Annotations
import Children
import Foundation
import TestSupport
import Testing

@testable import PDFPages

/// MuPDF reads what was written; skipped where `make test` did not install it.
@Suite("Replies as other programs read them", .inTurns)
struct OtherReaderTests {
    private static let python: String? = {
        let path = Repository.root + "/.build/python/bin/python"
        guard FileManager.default.isExecutableFile(atPath: path),
            let probe = try? ChildProcess.run(URL(fileURLWithPath: path), arguments: ["-c", "import pymupdf"])
        else { return nil }
        probe.waitUntilExit()
        return probe.terminationStatus == 0 ? path : nil
    }()

    private static let script = """
        import pymupdf, sys
        document = pymupdf.open(sys.argv[1])
        for page in document:
            for annotation in page.annots():
                state = document.xref_get_key(annotation.xref, "State")[1]
                kind = document.xref_get_key(annotation.xref, "RT")[1]
                print(annotation.xref, annotation.irt_xref, state, kind, annotation.info["content"], sep="|")
        """

    @Test(.enabled(if: python != nil)) func mupdfSeesTheSameThread() async throws {
        let tools = PDFTools()
        let folder = try Folder()
        let pdf = SmallPDF(annotations: [
            "<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(question)>>",
            "<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(answer)/IRT 6 0 R>>",
        ])
        let source = try folder.write(pdf.bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        let base = try await tools.annotations(of: source).records
        let root = base[0]
        let new = [
            Record(id: "r", content: .comment(.plain("me too"), under: root.id, root.content)),
            Record(id: "s", content: .state(.accepted, under: root.id, root.content)),
        ]
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes.json")) { annotated in
            for record in base + new {
                try annotated.add(record, under: record.content["rootId"] == nil ? nil : root)
            }
        }
        let output = folder.path + "/output"
        _ = try folder.write([], as: "output")
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: try #require(Self.python))
        process.arguments = ["-c", Self.script, target]
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        try process.run()
        process.waitUntilExit()
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
        let ours = try await tools.annotations(of: target).records
        #expect(lines.map { $0[0] } == ours.map(\.id))
        #expect(lines.map { $0[1] } == ours.map { $0.content["rootId"]?.string ?? "0" })
        #expect(lines.map { $0[2] } == ours.map { $0.content.state?.title ?? "null" })
        #expect(lines.map { $0[4] } == ours.map { $0.content["text"]?.string ?? "" })
        #expect(lines.suffix(2).map { $0[3] } == ["/R", "/R"])
    }
}

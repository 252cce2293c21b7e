import Annotations
import TestSupport
import Testing

@testable import PDFPages

/// Files that qpdf rewrites, because their changes cannot be appended.
@Suite("Rewritten files", .inTurns)
struct RewrittenFileTests {
    private static let count = 260

    /// A file with so many notes that its objects are in several object streams.
    ///
    /// - Parameter isLocked: whether it has an owner password; without one, changes would be appended.
    private func file(in folder: Folder, isLocked: Bool = true, catalog: String = "") async throws -> String {
        var pdf = SmallPDF(
            annotations: (0..<Self.count).map { number in
                "<</Type/Annot/Subtype/Text/Rect[\(10 + 2 * number) 100 \(30 + 2 * number) 120]/Contents(note \(number))>>"
            })
        pdf.catalog = catalog
        let plain = try folder.write(pdf.bytes, as: "plain.pdf")
        let path = try folder.write([], as: "source.pdf")
        let lock = isLocked ? ["--encrypt", "", "owner", "256", "--"] : []
        let outcome = try await PDFTools().run(
            .qpdf, ["--object-streams=generate"] + lock + [plain, path], into: CollectedOutput())
        #expect(outcome.exitCode == 0)
        return path
    }

    private func text(_ record: Record) -> String { record.content["text"]?.string ?? "" }

    /// Changes every hundredth note, deletes one and adds one.
    private func edit(_ source: String, in folder: Folder, with tools: PDFTools) async throws -> (
        AnnotatingResult, [String]
    ) {
        let records = try await tools.annotations(of: source).records
        let target = try folder.write([], as: "target.pdf")
        let new = Record(
            id: "new",
            content: Content(
                (try JSON(parsing: #"{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[9,9,32,32],"text":"new"}"#))
                    .object
                    ?? JSONObject()))
        let result = try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { annotated in
            for (number, var record) in records.enumerated() where number != 7 {
                if number % 100 == 50 { record.content = record.content.changing { $0["text"] = "changed" } }
                try annotated.add(record)
            }
            try annotated.add(new)
        }
        return (result, try await tools.annotations(of: target).records.map(text))
    }

    @Test func aNoteInAnObjectStreamIsChanged() async throws {
        let folder = try Folder()
        let source = try await file(in: folder)
        let (result, texts) = try await edit(source, in: folder, with: PDFTools())
        #expect(result.unwritten.isEmpty)
        #expect(texts.count == Self.count && texts.filter { $0 == "changed" }.count == 3 && texts.contains("new"))
        #expect(!texts.contains("note 7") && !texts.contains("note 50") && texts.contains("note 51"))
        let encryption = try await PDFTools().run(
            .qpdf, ["--show-encryption", folder.path + "/target.pdf"], into: CollectedOutput())
        #expect(String(decoding: encryption.sink.bytes, as: UTF8.self).contains("R = 6"))
    }

    /// A tool that writes another text than it was told to.
    @Test func aNoteThatCannotBeWrittenHoldsUpNoOther() async throws {
        let (folder, place) = (try Folder(), try Folder())
        try place.tool(
            "qpdf",
            script: """
                #!/bin/sh
                for word; do
                    case $word in --update-from-json=*) sed -i 's/u:changed"/u:other"/' "${word#*=}" ;; esac
                done
                exec /usr/bin/qpdf "$@"
                """)
        var tools = PDFTools()
        tools.directories.insert(place.path, at: 0)
        let source = try await file(in: folder)
        let (result, texts) = try await edit(source, in: folder, with: tools)
        #expect(result.unwritten.count == 3 && result.unwritten.allSatisfy { $0.reason == .differs })
        #expect(texts.count == Self.count && !texts.contains("other") && !texts.contains("changed"))
        #expect(texts.contains("note 50") && texts.contains("new") && !texts.contains("note 7"))
    }

    /// What is removed from a stripped copy may be in an object stream that is read later.
    @Test func nothingHiddenStaysInAStrippedFile() async throws {
        let folder = try Folder()
        let source = try await file(in: folder, isLocked: false)
        let stripped = try folder.write([], as: "stripped.pdf")
        try await PDFTools().strip(source, into: stripped, notes: folder.write([], as: "notes"))
        let json = try await PDFTools().run(.qpdf, ["--json=2", stripped], into: CollectedOutput()).sink.bytes
        #expect(!String(decoding: json, as: UTF8.self).contains("note 1"))
    }
}

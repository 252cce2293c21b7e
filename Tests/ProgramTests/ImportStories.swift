import Foundation
import TestSupport
import TestThreads
import Testing

/// Files of other programs come into a layer, and say what of them does not.
@Suite(.onOwnThreads)
struct ImportStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private func bring(_ file: String, _ more: String...) throws -> Program.Outcome {
        try ana.run(["import", file, "--format", "ndjson"] + more, environment: ana.scripting)
    }

    private func actions(_ run: Program.Outcome) throws -> [String?] {
        try run.objects().map { $0["action"] as? String }
    }

    @Test func xfdfComesBack() throws {
        let marked = try ana.script("add", "--highlight", "--page", "1", "--rect", "72,80,60,14", "--text", "Größe")
        let id = marked.output.trimmingCharacters(in: .newlines)
        #expect(try ana.script("reply", id, "--text", "Yes").status == 0, "\(marked.messages)")
        let file = ana.home.path + "/review.xfdf"
        #expect(try ana.script("export", "--format", "xfdf", "-o", file).status == 0)
        #expect(try ana.script("delete", id).status == 0)
        let second = try Person("ben", at: engine, token: try engine.token { ($0.user, $0.layer) = ("ben", "second") })
        let run = try second.run(["import", file, "--format", "ndjson"], environment: second.scripting)
        #expect(run.status == 0, "\(run.output)\(run.messages)")
        #expect(try actions(run).filter { $0 == "create" }.count == 2, "\(run.output)")
        #expect(try engine.records(layer: "second").contains("Größe"))
        let again = try second.run(["import", file, "--format", "ndjson"], environment: second.scripting)
        #expect(try actions(again).allSatisfy { $0 == "unchanged" }, "\(again.output)")
    }

    @Test func whatAFileHasBesidesRecordsIsToldAndIsNotSuccess() throws {
        let xfdf = try ana.home.write(
            "form.xfdf",
            """
            <xfdf><fields><field name="a"><value>1</value></field></fields><annots>
            <text page="0" rect="1,1,9,9" name="fine"><contents>fine</contents></text>
            <projection page="0" rect="1,1,9,9" name="p"/><ink page="0" rect="1,1,9,9" name="i"/></annots></xfdf>
            """)
        let run = try bring(xfdf)
        #expect(run.status == 1, "\(run.messages)")
        #expect(try actions(run) == ["create", "create", "skip", "skip", "incomplete"])
        #expect(run.messages.contains("2 created, 0 updated, 0 unchanged, 2 skipped, 1 incomplete"))
        let json = try ana.home.write(
            "form.json",
            #"{"format":"https://pspdfkit.com/instant-json/v1","annotations":[],"formFieldValues":[{"name":"a"}]}"#)
        let other = try bring(json)
        #expect(other.status == 1 && other.output.contains("formFieldValues"), "\(other.output)")
    }

    @Test func fdfIsRead() throws {
        let file = try ana.home.write(
            "acrobat.fdf",
            "%FDF-1.2\n1 0 obj<</FDF<</Annots[2 0 R]>>>>endobj\n"
                + "2 0 obj<</Subtype/Text/Page 0/Rect[9 700 29 720]/NM(acro)/Contents(From Acrobat)>>endobj\n"
                + "trailer<</Root 1 0 R>>\n")
        #expect(try actions(bring(file)) == ["create"])
        #expect(try ana.listed().contains("From Acrobat"))
        #expect(try actions(bring(file)) == ["unchanged"])
        let bad = try ana.home.write("bad.fdf", "%FDF-1.2\n1 0 obj<</A>>")
        let run = try bring(bad)
        #expect(run.status == 1 && run.messages.contains("bad.fdf: not PDF syntax at byte"), "\(run.messages)")
    }

    @Test func anAnnotatedCopyChangesOnlyWhatDiffers() throws {
        let id = try ana.note("Mine")
        let marked = try ana.script("add", "--highlight", "--page", "1", "--rect", "72,80,60,14")
        let root = marked.output.trimmingCharacters(in: .newlines)
        #expect(try ana.script("reply", root, "--text", "Reply").status == 0)
        let copy = ana.home.path + "/copy.pdf"
        #expect(try ana.script("export", "--format", "pdf", "-o", copy).status == 0)
        let before = try engine.records()
        let same = try bring(copy)
        #expect(same.status == 0, "\(same.output)\(same.messages)")
        #expect(try actions(same).allSatisfy { $0 == "unchanged" }, "\(same.output)")
        #expect(try engine.records() == before)

        // Another program changes the note, keeps its name, and rewrites the file.
        var text = try Data(contentsOf: URL(filePath: copy))
        let place = try #require(text.range(of: Data("(Mine)".utf8)))
        text.replaceSubrange(place, with: Data("(Hers)".utf8))
        try text.write(to: URL(filePath: copy))
        let rewritten = ana.home.path + "/rewritten.pdf"
        _ = try Program.run(
            ["--object-streams=generate", copy, rewritten], environment: ana.environment, executable: "/usr/bin/qpdf")
        for file in [rewritten, copy] {
            let run = try bring(file, "--dry-run")
            let changed = try run.objects().filter { $0["action"] as? String != "unchanged" }
            #expect(changed.map { $0["id"] as? String } == [id], "\(run.output)\(run.messages)")
            #expect(changed.map { $0["action"] as? String } == ["update"])
        }
        #expect(try bring(rewritten).status == 0)
        #expect(try engine.records().contains("Hers"))
        #expect(try actions(bring(rewritten)).allSatisfy { $0 == "unchanged" })
    }

    /// In a copy that another program has rewritten, an annotation may answer one that is behind it.
    @Test func repliesFindTheirTargetsUnderNewIDs() throws {
        var pdf = SmallPDF.paper()
        pdf.pages[1].entries += "/Annots[14 0 R 13 0 R 12 0 R 11 0 R]"
        pdf.extra += [
            "<</Type/Annot/Subtype/Text/Rect[500 600 518 618]/Contents(the question)/T(Eve)>>",
            "<</Type/Annot/Subtype/Caret/Rect[72 600 80 610]/Contents(insert)/T(Eve)>>",
            "<</Type/Annot/Subtype/StrikeOut/Rect[72 600 99 610]/T(Eve)/IRT 12 0 R/RT/Group/QuadPoints[72 610 99 610 72 600 99 600]>>",
            "<</Type/Annot/Subtype/Text/Rect[500 600 518 618]/Contents(the answer)/T(Eve)/IRT 11 0 R>>",
        ]
        let file = try ana.home.write("copy.pdf", pdf.bytes)
        let rewritten = ana.home.path + "/rewritten.pdf"
        _ = try Program.run(
            ["--object-streams=generate", file, rewritten], environment: ana.environment, executable: "/usr/bin/qpdf")
        for copy in [file, rewritten] {
            let run = try bring(copy)
            #expect(run.status == 0, "\(run.output)\(run.messages)")
        }
        let records = try ana.script("list", "--format", "ndjson").objects()
        let contents = records.compactMap { record in
            (record["content"] as? [String: Any]).map { (record["id"] as? String ?? "", $0) }
        }
        let caret = try #require(contents.first { $0.1["type"] as? String == "postilla/caret" })
        let strike = try #require(contents.first { $0.1["type"] as? String == "pspdfkit/markup/strikeout" })
        #expect((strike.1["postilla"] as? [String: Any])?["inReplyTo"] as? String == caret.0, "\(contents)")
        let question = try #require(contents.first { $0.1["text"] as? String == "the question" })
        #expect(try ana.script("comments", question.0).output.contains("the answer"), "\(contents)")
        #expect(try actions(bring(rewritten)).allSatisfy { $0 == "unchanged" })
    }

    /// The files travel too, both those of the layer and those of the PDF.
    @Test func attachedFilesTravelAsXFDF() throws {
        try engine.upload(try engine.folder.write("kinds.pdf", EveryKindPDF.bytes), document: "kinds")
        let person = try Person("cy", at: engine, token: engine.token { ($0.user, $0.document) = ("cy", "kinds") })
        let source = try person.home.write("report.txt", "the report")
        #expect(try person.script("add", "--file", source, "--page", "1").status == 0)
        let file = person.home.path + "/all.xfdf"
        let exported = try person.script("export", "--format", "xfdf", "-o", file)
        #expect(exported.status == 0 && !exported.messages.contains("attached file"), "\(exported.messages)")
        let again = try person.run(["import", file, "--format", "ndjson"], environment: person.scripting)
        #expect(try actions(again).allSatisfy { $0 == "unchanged" }, "\(again.output)\(again.messages)")
        let other = try Person("di", at: engine, token: engine.token { ($0.user, $0.layer) = ("di", "second") })
        let run = try other.run(["import", file, "--format", "ndjson"], environment: other.scripting)
        let files = try other.script("list", "--kind", "attached-file", "--format", "ndjson").objects()
        #expect(files.count == 2, "\(run.output)\(run.messages)")
        var texts: [String] = []
        for (index, record) in files.enumerated() {
            let path = other.home.path + "/got\(index)"
            let saved = try other.script("save-file", record["id"] as? String ?? "", "--output", path)
            #expect(saved.status == 0, "\(saved.messages)")
            texts.append(try String(contentsOfFile: path, encoding: .utf8))
        }
        #expect(texts.sorted() == [EveryKindPDF.file, "the report"])
        // The server's own export has both files; only the sound is left out.
        let answer = try engine.head("/api/documents/kinds/layers/review/document.xfdf")
        #expect(answer["X-Postilla-Left-Out"]?.contains("attached file") == false, "\(answer)")
    }

    /// Instant JSON has the values that the token may see; they cannot be changed.
    @Test func formFieldValuesTravel() throws {
        try engine.upload(try engine.folder.write("kinds.pdf", EveryKindPDF.bytes), document: "kinds")
        let person = try Person("cy", at: engine, token: engine.token { ($0.user, $0.document) = ("cy", "kinds") })
        let file = person.home.path + "/all.json"
        #expect(try person.script("export", "-o", file).status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(
            text.contains(#""formFieldValues":["#) && text.contains(#""name":"tax.year","value":"2025""#), "\(text)")
        #expect(try person.script("import", file).status == 0)
        let changed = try person.home.write("other.json", text.replacing(#""value":"2025""#, with: #""value":"2026""#))
        let refused = try person.run(["import", changed, "--format", "ndjson"], environment: person.scripting)
        #expect(refused.status == 1 && refused.output.contains("form fields cannot be filled"), "\(refused.output)")
        let blind = try Person(
            "di", at: engine,
            token: engine.token {
                ($0.user, $0.document) = ("di", "kinds")
                $0.collaboration = ["annotations:view:all", "annotations:edit:all"]
            })
        #expect(try !blind.script("export").output.contains("2025"))
        // Neither does an import tell whether a value is right.
        for path in [file, changed] {
            let run = try blind.run(["import", path, "--format", "ndjson"], environment: blind.scripting)
            #expect(run.output.contains("shows no value of such a form field"), "\(run.output)\(run.messages)")
        }
    }

    @Test func aCopyOfAnotherDocumentIsWarnedOf() throws {
        var pdf = SmallPDF.paper()
        pdf.pages = Array(pdf.pages.dropLast())
        let run = try bring(try ana.home.write("other.pdf", pdf.bytes), "--dry-run")
        #expect(run.messages.contains("it may be another document"), "\(run.messages)")
        let broken = try bring(try ana.home.write("broken.pdf", "%PDF-1.7\nnothing"))
        #expect(broken.status == 1 && broken.messages.contains("broken.pdf"), "\(broken.messages)")
    }

    @Test func exportsEndWithWhatIsLeftOut() throws {
        let sound =
            #"{"id":"s","content":{"type":"pspdfkit/unknown","v":1,"pageIndex":0,"bbox":[9,9,9,9],"#
            + #""postilla":{"pdfSubtype":"Sound"}}}"#
        #expect(try ana.script("add", "--ndjson", input: sound + "\n").status == 0)
        let run = try ana.script("export", "--format", "xfdf")
        #expect(run.status == 0 && run.messages.contains("left out: 1 sound"), "\(run.messages)")
        #expect(!run.output.contains("<sound"))
        #expect(try !ana.script("export").messages.contains("left out"))
        let answer = try engine.head("/api/documents/paper/layers/review/document.xfdf")
        #expect(answer["X-Postilla-Left-Out"] == "1 sound", "\(answer)")
    }

    @Test func theTextOfPagesGoesWithTheDocument() throws {
        #expect(try ana.script("export", "--format", "pdf", "-o", ana.home.path + "/a.pdf").status == 0)
        #expect(try ana.script("add", "--highlight", "--page", "1", "--rect", "72,80,60,14").status == 0)
        #expect(try ana.script("export", "--format", "markdown").output.contains("“This"))
        let pdfs = ana.home.path + "/.local/share/postilla/pdfs"
        let names = try FileManager.default.contentsOfDirectory(atPath: pdfs)
        #expect(names.filter { $0.hasSuffix(".words") || $0.hasSuffix(".search") }.count == 2, "\(names)")
        let listed = try ana.run(["storage", "--format", "ndjson"]).objects()
        #expect((listed.first?["textBytes"] as? Int ?? 0) > 64, "\(listed)")
        #expect(try ana.run(["storage", "remove", "--all"]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: pdfs) == [])
    }
}

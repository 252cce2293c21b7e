import Foundation
import TestSupport
import TestThreads
import Testing

/// Annotated copies of a PDF become one file. What the result has is read with qpdf.
@Suite("Merging files", .onOwnThreads)
struct MergeStories {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func merge(_ arguments: String...) throws -> Program.Outcome { try merge(arguments) }

    private func merge(_ arguments: [String]) throws -> Program.Outcome {
        try Program.run(["merge"] + arguments + ["--format", "ndjson"], environment: ["HOME": folder.path])
    }

    @discardableResult
    private func qpdf(_ arguments: String...) throws -> Program.Outcome {
        try Program.run(arguments, environment: [:], executable: "/usr/bin/qpdf")
    }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

    // MARK: Three copies with 300 annotations each

    /// The words of an annotation of the original in each copy.
    private static func words(_ key: Int, ana: Bool = false, ben: Bool = false, cy: Bool = false) -> String {
        let isDisputed = key % 12 == 0
        let first = ana ? "ANA" : cy && isDisputed ? "CY" : "1"
        return "k\(key) a \(first) b \(ben ? "BEN" : "2") c \(cy && !isDisputed ? "CY" : "3") d"
    }

    /// What each person does with an annotation of the original; nil deletes it.
    private static func text(_ key: Int, _ person: String) -> String? {
        switch (key % 6, person) {
        case (0, "ana"), (1, "ana"), (2, "ana"): words(key, ana: true)
        case (1, "ben"), (2, "ben"): words(key, ben: true)
        case (0, "cy"), (2, "cy"): words(key, cy: true)
        case (3, "ana"), (4, "cy"): nil
        // Ben's program writes the file anew, and drops some.
        case (5, "ben") where key % 30 == 5: nil
        default: words(key)
        }
    }

    private static func note(_ text: String, _ number: Int, author: String, name: String? = nil) -> String {
        let (x, y) = (20 + number % 25 * 22, 20 + number / 25 * 22)
        let entry = name.map { "/NM(\($0))" } ?? ""
        return "<</Type/Annot/Subtype/Text/Rect[\(x) \(y) \(x + 18) \(y + 18)]/Contents(\(text))/T(\(author))\(entry)>>"
    }

    private func writeCopies() throws {
        let base = (0..<300).map { Self.note(Self.words($0), $0, author: "eve", name: "name-of-annotation-\($0)") }
        let original = SmallPDF(annotations: base)
        try folder.write("base.pdf", original.bytes)
        for person in ["ana", "ben", "cy"] {
            var update = PDFContinuation(of: original.bytes)
            var list: [Int] = []
            for key in 0..<300 {
                guard let text = Self.text(key, person) else { continue }
                list.append(6 + key)
                guard text != Self.words(key) else { continue }
                update.objects[6 + key] = Self.note(text, key, author: "eve", name: "name-of-annotation-\(key)")
            }
            for number in 0..<50 {
                let key = 306 + number
                list.append(key)
                // The first ones are in all copies.
                update.objects[key] =
                    number < 10
                    ? Self.note("shared \(number)", 320 + number, author: "all")
                    : Self.note("new \(number) of \(person)", 330 + number, author: person, name: "fitz-A\(number)")
            }
            update.setPage(annotations: list)
            try folder.write(person + ".pdf", update.bytes)
        }
        try qpdf("--object-streams=generate", path("ben.pdf"), path("ben-new.pdf"))
    }

    private static func expected() -> [String] {
        var result: [String] = []
        for key in 0..<300 where ![3, 4].contains(key % 6) {
            let kind = key % 6
            result.append(words(key, ana: kind < 3, ben: kind == 1 || kind == 2, cy: kind == 2) + "|eve|")
            // Ana's and Cy's words were the same ones.
            if key % 12 == 0 { result.append(words(key, cy: true) + "|eve|" + words(key, ana: true)) }
            // Ana's word is in another place than Cy's.
            if kind == 0, key % 12 != 0 {
                result[result.count - 1] = words(key, ana: true, cy: true) + "|eve|"
            }
        }
        for number in 0..<10 { result.append("shared \(number)|all|") }
        for number in 10..<50 {
            for person in ["ana", "ben", "cy"] { result.append("new \(number) of \(person)|\(person)|") }
        }
        return result.sorted()
    }

    @Test func threeCopiesBecomeTheirUnion() throws {
        try writeCopies()
        let copies = ["ana.pdf", "ben-new.pdf", "cy.pdf"].map(path)
        let run = try merge([path("base.pdf")] + copies + ["-o", path("out.pdf")])
        #expect(run.status == 6, "\(run.messages)")
        #expect(try PDFAnnotations(path("out.pdf")).all == Self.expected())
        #expect(try bytes("out.pdf").starts(with: bytes("base.pdf")))
        #expect(try qpdf("--check", path("out.pdf")).status == 0)
        let actions = try run.objects().compactMap { $0["action"] as? String }
        #expect(actions.count { $0 == "conflict" } == 25 && actions.count { $0 == "missing" } == 10, "\(run.messages)")
        #expect(actions.count { $0 == "delete" } == 100)

        // Again, into the result: nothing changes.
        let again = try merge([path("out.pdf")] + copies + ["-o", path("again.pdf")])
        #expect(again.status == 0, "\(again.output.prefix(2000))\(again.messages)")
        #expect(try bytes("again.pdf") == bytes("out.pdf"))
        // And the same merge gives the same file.
        #expect(try merge([path("base.pdf")] + copies + ["-o", path("same.pdf")]).status == 6)
        #expect(try bytes("same.pdf") == bytes("out.pdf"))
    }

    // MARK: Formats, authors, trials

    @Test func otherFormatsAreMerged() throws {
        try folder.write("base.pdf", SmallPDF(annotations: [Self.note("old", 0, author: "eve")]).bytes)
        let xfdf = try folder.write(
            "ben.xfdf",
            """
            <xfdf><annots><text page="0" rect="99,99,119,119" name="6ba7b810-9dad-11d1-80b4-00c04fd430c8">\
            <contents>of ben</contents></text></annots></xfdf>
            """)
        let json = try folder.write(
            "cy.json",
            #"{"format":"https://pspdfkit.com/instant-json/v1","annotations":[{"v":1,"type":"pspdfkit/note","#
                + #""pageIndex":0,"bbox":[300,300,32,32],"text":"of cy"},{"v":1,"type":"pspdfkit/note","#
                + #""pageIndex":7,"bbox":[1,1,9,9],"text":"nowhere"}]}"#)
        let arguments = [xfdf, json, "--author", "Ben=" + xfdf]
        let trial = try merge([path("base.pdf")] + arguments + ["-o", path("out.pdf"), "--dry-run"])
        #expect(!FileManager.default.fileExists(atPath: path("out.pdf")))
        let run = try merge([path("base.pdf")] + arguments + ["-o", path("out.pdf")])
        #expect(run.output == trial.output && trial.messages.contains("dry run: "))
        #expect(run.status == 1 && run.output.contains("no such page"), "\(run.output)\(run.messages)")
        #expect(run.messages.contains("1 missing, kept"), "\(run.messages)")
        #expect(try PDFAnnotations(path("out.pdf")).all == ["of ben|Ben|", "of cy||", "old|eve|"])
        _ = try merge([path("out.pdf")] + arguments + ["-o", path("again.pdf")])
        #expect(try bytes("again.pdf") == bytes("out.pdf"))
    }

    @Test func attachedFilesComeAlong() throws {
        let base = SmallPDF(annotations: [Self.note("old", 0, author: "eve")]).bytes
        try folder.write("base.pdf", base)
        var update = PDFContinuation(of: base)
        update.objects[7] =
            "<</Type/Annot/Subtype/FileAttachment/Rect[90 90 110 110]/Contents(figures)/T(ana)/FS"
            + "<</Type/Filespec/F(t.csv)/EF<</F 8 0 R>>>>>>"
        update.objects[8] = "<</Type/EmbeddedFile/Length 5/Params<</Size 5>>>>stream\n1;2;3\nendstream"
        update.setPage(annotations: [6, 7])
        let copy = try folder.write("ana.pdf", update.bytes)
        let run = try merge(path("base.pdf"), copy, "-o", path("out.pdf"))
        #expect(run.status == 0, "\(run.output)\(run.messages)")
        let shown = try Program.run(
            ["-list", path("out.pdf")], environment: [:], executable: "/usr/bin/pdfdetach")
        #expect(shown.output.contains("t.csv"), "\(shown.output)")
        #expect(String(decoding: try bytes("out.pdf"), as: UTF8.self).contains("1;2;3"))
    }

    /// What a stamp shows is in its appearance: a form, in it another one, and in that an image.
    @Test(arguments: [false, true]) func stampsKeepTheirPictures(isEncrypted: Bool) throws {
        let base = SmallPDF(annotations: [Self.note("old", 0, author: "eve")]).bytes
        try folder.write("plain.pdf", base)
        if isEncrypted {
            // Such a file is written anew.
            try qpdf("--encrypt", "", "owner", "256", "--", path("plain.pdf"), path("base.pdf"))
        } else {
            try folder.write("base.pdf", base)
        }
        var update = PDFContinuation(of: base)
        update.objects[7] =
            "<</Type/Annot/Subtype/Stamp/Rect[200 300 400 500]/T(ana)/Name/Mine/AP<</N 8 0 R>>>>"
        let (outer, inner) = ("q 100 0 0 100 0 0 cm /In Do Q", "/Im Do")
        update.objects[8] =
            "<</Type/XObject/Subtype/Form/BBox[0 0 100 100]/Resources<</XObject<</In 9 0 R>>>>/Length \(outer.count)>>"
            + "stream\n\(outer)\nendstream"
        update.objects[9] =
            "<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources 11 0 R/Length \(inner.count)>>stream\n\(inner)\nendstream"
        update.objects[10] =
            "<</Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace[/Indexed/DeviceRGB 3"
            + "<ff000000ff000000ffffff00>]/Filter/ASCIIHexDecode/Length 9>>stream\n00010203>\nendstream"
        update.objects[11] = "<</XObject<</Im 10 0 R>>/Properties<</Back<</Parent 4 0 R>>>>>>"
        update.setPage(annotations: [6, 7])
        let copy = try folder.write("ana.pdf", update.bytes)
        let run = try merge(path("base.pdf"), copy, "-o", path("out.pdf"))
        #expect(run.status == 0 && !run.output.contains("incomplete"), "\(run.output)\(run.messages)")
        for name in ["ana", "out"] {
            _ = try Program.run(
                ["-r", "72", "-singlefile", path(name + ".pdf"), path(name)], environment: [:],
                executable: "/usr/bin/pdftoppm")
        }
        #expect(try bytes("out.ppm") == bytes("ana.ppm"))
        // Red, green, blue and yellow are in the picture.
        let pixels = try bytes("out.ppm")
        for color in [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]] as [[UInt8]] {
            #expect(pixels.firstRange(of: Data(color + color + color)) != nil, "\(color)")
        }
        #expect(try qpdf("--check", path("out.pdf")).status == 0)
    }

    /// A copy of another edition: its first page has moved, and one of its sentences is not in the original.
    @Test func anotherEditionIsAlignedByItsWords() throws {
        func page(_ lines: [String]) -> (entries: String, content: String) {
            let text = lines.enumerated().map { "BT /F1 12 Tf 72 \(700 - 20 * $0.offset) Td (\($0.element)) Tj ET" }
            return ("/MediaBox[0 0 612 792]", text.joined(separator: "\n"))
        }
        let lines = [
            "The harbour was quiet before the storm came in", "and nobody had expected the ferry to leave early",
            "Two passengers waited under the old stone arch", "until the lights on the pier had all gone out",
        ]
        var original = SmallPDF()
        original.pages = [page(lines)]
        try folder.write("base.pdf", original.bytes)
        var edition = SmallPDF()
        edition.pages = [
            page(["A preface"]), page(["Something that was added here", ""] + lines + ["An unknown sentence"]),
        ]
        edition.pages[1].entries += "/Annots[8 0 R 9 0 R 10 0 R]"
        func mark(_ y: Int, _ text: String) -> String {
            "<</Type/Annot/Subtype/Highlight/Rect[72 \(y) 200 \(y + 12)]/QuadPoints[72 \(y + 10) 130 \(y + 10) 72 \(y) "
                + "130 \(y)]/Contents(\(text))/T(ana)>>"
        }
        // The third line of the edition is the first one of the original; the last one is unknown there.
        edition.extra = [
            mark(658, "words"), mark(578, "lost"),
            "<</Type/Annot/Subtype/Text/Rect[20 640 38 658]/Contents(margin)/T(ana)>>",
        ]
        let copy = try folder.write("edition.pdf", edition.bytes)
        let run = try merge(path("base.pdf"), copy, "-o", path("out.pdf"))
        #expect(run.status == 1 && run.messages.contains("2 added"), "\(run.output)\(run.messages)")
        #expect(run.output.contains("its words are not in this edition") && run.output.contains("lost"))
        let found = try PDFAnnotations(path("out.pdf"))
        #expect(found.all == ["margin|ana|", "words|ana|"])
        // 40 points higher, on the first page.
        let mark1 = try #require(found.boxes["words"]), margin = try #require(found.boxes["margin"])
        #expect(abs(mark1[1] - 698) < 4 && abs(mark1[0] - 72) < 2, "\(mark1)")
        #expect(abs(margin[1] - 680) < 2 && abs(margin[0] - 20) < 1, "\(margin)")
        let again = try merge(path("out.pdf"), copy, "-o", path("again.pdf"))
        #expect(again.messages.contains("0 added, 0 changed"), "\(again.output)\(again.messages)")
        #expect(try bytes("again.pdf") == bytes("out.pdf"))
    }

    // MARK: Bad input

    @Test func badInputWritesNothingAndSaysWhy() throws {
        let base = SmallPDF(annotations: [Self.note("old", 0, author: "eve")]).bytes
        let file = try folder.write("base.pdf", base)
        let other = try folder.write("other.pdf", SmallPDF.paper().bytes)
        let text = try folder.write("text.pdf", "no PDF")
        let broken = try folder.write("broken.pdf", "%PDF-1.7\nnothing")
        try qpdf("--encrypt", "user", "owner", "256", "--", file, path("locked.pdf"))
        let out = path("out.pdf")
        let cases: [(arguments: [String], status: Int32, words: String)] = [
            ([file, other, "-o", out], 1, "another document"),
            ([file, text, "-o", out], 1, "text.pdf"),
            ([text, file, "-o", out], 1, "not a PDF"),
            ([file, broken, "-o", out], 1, "broken.pdf"),
            ([file, path("locked.pdf"), "-o", out], 1, "encrypted"),
            ([file, path("missing.pdf"), "-o", out], 1, "missing.pdf"),
            ([file, file, "-o", path("no/such/folder.pdf")], 1, "cannot write"),
            ([file, file, "-o", file], 64, "--force"),
            ([file, "-o", out], 64, "at least one copy"),
            ([file, file], 64, "-o FILE"),
            ([file, file, "-o", out, "--into"], 64, "not both"),
            ([file, file, "-o", out, "--author", "Ana"], 64, "NAME=FILE"),
            ([file, other, "-o", out, "--author", "Ana=else.pdf"], 64, "not one of the copies"),
        ]
        for (arguments, status, words) in cases {
            let run = try merge(arguments)
            #expect(run.status == status && run.messages.contains(words), "\(arguments): \(run.status) \(run.messages)")
            #expect(run.output.isEmpty || run.output == "[]\n", "\(arguments): \(run.output)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("out") || $0.hasSuffix(".new") }, "\(names)")
        #expect(try bytes("base.pdf") == Data(base))
        // A scan has no words, but the same pages.
        let scan = try folder.write("scan.pdf", SmallPDF(annotations: [], word: "").bytes)
        let warned = try merge(file, scan, "-o", out)
        #expect(warned.status == 0 && warned.messages.contains("may be different documents"), "\(warned.messages)")
        // Another file is not replaced unasked, and is as it was.
        let present = try bytes("out.pdf")
        let refused = try merge(file, file, "-o", out)
        #expect(refused.status == 1 && refused.messages.contains("already there"), "\(refused.messages)")
        #expect(try bytes("out.pdf") == present)
        #expect(try merge(file, scan, "-o", out, "--dry-run").status == 0)
        let twice = try merge(file, file, file, "-o", out, "--force")
        #expect(twice.status == 0 && twice.messages.contains("more than once"), "\(twice.messages)")
        #expect(try merge(file, out, "-o", out, "--force").status == 0)
        #expect(try bytes("out.pdf") == Data(base))
    }

    /// One record that nothing accepts does not keep the others out.
    @Test func whatIsIncompleteIsToldAndTheRestIsMerged() throws {
        let file = try folder.write("base.pdf", SmallPDF(annotations: []).bytes)
        let notes = ["72,600,92,620", "nan,1,2,3", ""].enumerated().map {
            #"<text page="0" rect="\#($1)" name="n\#($0)"><contents>Note \#($0)</contents></text>"#
        }
        let xfdf = try folder.write(
            "notes.xfdf",
            #"<xfdf xmlns="http://ns.adobe.com/xfdf/"><annots>\#(notes.joined())</annots></xfdf>"#)
        let run = try merge(file, xfdf, "-o", path("out.pdf"))
        #expect(run.status == 1, "\(run.messages)")
        #expect(run.lines.count { $0.contains(#""action":"create""#) } == 1, "\(run.output)")
        #expect(run.lines.count { $0.contains("no bbox") || $0.contains("bbox") } >= 2, "\(run.output)")
        #expect(String(decoding: try bytes("out.pdf"), as: UTF8.self).contains("Note 0"))
    }

    // MARK: Real files

    @Test(arguments: Repository.samples.filter { $0.name.hasSuffix(".pdf") }.map(\.path))
    func aCopyThatWasOnlyWrittenAnewChangesNothing(sample: String) throws {
        try qpdf("--object-streams=generate", sample, path("copy.pdf"))
        guard FileManager.default.fileExists(atPath: path("copy.pdf")) else { return }
        let run = try merge(sample, path("copy.pdf"), "-o", path("out.pdf"))
        #expect(run.status == 0 && run.output.isEmpty, "\(sample): \(run.output)\(run.messages)")
        #expect(try bytes("out.pdf") == Data(contentsOf: URL(filePath: sample)), "\(sample)")
    }
}

/// Merging into a layer of a server.
@Suite("Merging into a layer", .onOwnThreads)
struct LayerMergeStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func copiesComeIntoALayer() throws {
        let id = try ana.note("Mine")
        let paper = SmallPDF.paper()
        var update = PDFContinuation(of: paper.bytes)
        update.objects[11] = "<</Type/Annot/Subtype/Text/Rect[50 50 70 70]/Contents(New one)/T(Ben)>>"
        update.setPage(annotations: [11])
        let ben = try ana.home.write("ben.pdf", update.bytes)
        let xfdf = try ana.home.write(
            "cy.xfdf",
            #"<xfdf><annots><text page="1" rect="9,9,29,29" name="cy-note-long-enough"><contents>Third</contents>"#
                + "</text></annots></xfdf>")
        func merge(_ more: String..., by person: Person? = nil) throws -> Program.Outcome {
            let person = person ?? ana
            return try person.run(
                ["merge", ben, xfdf, "--into", "--format", "ndjson"] + more, environment: person.scripting)
        }
        let trial = try merge("--dry-run")
        #expect(trial.status == 0 && trial.messages.contains("dry run"), "\(trial.output)\(trial.messages)")
        #expect(try !ana.listed().contains("New one"))

        // Grace's remark is the PDF's own, and Ben deleted it.
        let run = try merge()
        #expect(run.status == 0, "\(run.output)\(run.messages)")
        let listed = try ana.listed()
        #expect(listed.contains("New one") && listed.contains("Third") && listed.contains(id))
        #expect(!listed.contains("Printed remark"), "\(listed)")
        let before = try engine.records()
        let again = try merge()
        #expect(again.status == 0, "\(again.output)\(again.messages)")
        #expect(try engine.records() == before)
    }

    @Test func whatATokenForbidsIsTold() throws {
        let reader = try Person(
            "rex", at: engine,
            token: engine.token {
                $0.user = "rex"
                $0.permissions = ["read-document", "download"]
            })
        var update = PDFContinuation(of: SmallPDF.paper().bytes)
        update.objects[11] = "<</Type/Annot/Subtype/Text/Rect[50 50 70 70]/Contents(New one)/T(Ben)>>"
        update.setPage(annotations: [10, 11])
        let ben = try reader.home.write("ben.pdf", update.bytes)
        let run = try reader.run(["merge", ben, "--into", "--format", "ndjson"], environment: reader.scripting)
        #expect(run.status == 4, "\(run.output)\(run.messages)")
        #expect(run.output.contains(#""status":"denied""#), "\(run.output)")
        #expect(try !engine.records().contains("New one"))
    }
}

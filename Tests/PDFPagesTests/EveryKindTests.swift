import Annotations
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import PDFPages

/// One annotation of each kind that PDF knows, in one file.
@Suite("Every kind of annotation", .inTurns) struct EveryKindTests {
    private let tools = PDFTools()

    private static func number(of kind: EveryKindPDF.Kind) -> Int {
        EveryKindPDF.firstNumber + (EveryKindPDF.kinds.firstIndex { $0.subtype == kind.subtype } ?? 0)
    }

    private func write() throws -> (folder: Folder, path: String) {
        let folder = try Folder()
        return (folder, try folder.write(EveryKindPDF.bytes))
    }

    @Test func eachHasItsName() async throws {
        let (folder, path) = try write()
        defer { withExtendedLifetime(folder) {} }
        let base = try await tools.annotations(of: path)
        let names = Dictionary(base.records.map { ($0.id, Annotation($0).kind.name) }) { first, _ in first }
        for kind in EveryKindPDF.kinds { #expect(names["\(Self.number(of: kind))"] == kind.name, "\(kind)") }
        #expect(base.warnings.isEmpty, "\(base.warnings)")
        #expect(base.values.map(\.content["value"]) == ["2025"])
        #expect(base.values.map(\.id) == ["\(EveryKindPDF.firstNumber + 20):value"])
    }

    @Test func anAttachedFileHasNameAndSize() async throws {
        let (folder, path) = try write()
        defer { withExtendedLifetime(folder) {} }
        let record = try #require(
            try await tools.annotations(of: path).records.first { $0.content["type"] == "postilla/file" })
        #expect(record.content["fileName"] == "table.csv")
        #expect(record.content["fileSize"]?.integer == Int64(EveryKindPDF.file.utf8.count))
        #expect(Annotation(record).summary == "table.csv (18 B)  before")
    }

    @Test func theFileIsReadFromThePDF() async throws {
        let (folder, path) = try write()
        let id = "\(EveryKindPDF.firstNumber + 16)"
        let saved = try folder.write([], as: "saved")
        let target = try FileDescriptor.open(FilePath(saved), .writeOnly)
        defer { try? target.close() }
        #expect(try await tools.attachedFile(of: id, in: path, to: target))
        #expect(try String(contentsOfFile: saved, encoding: .utf8) == EveryKindPDF.file)
        for other in ["\(EveryKindPDF.firstNumber)", "999", ""] {
            #expect(try await !tools.attachedFile(of: other, in: path, to: target))
        }
    }

    /// Its name is the id of the record of a local PDF, and of one that this program has written.
    @Test func theFileOfANamedAnnotationIsFoundByItsName() async throws {
        let stream = "<</Type/EmbeddedFile/Length 5>>\nstream\nwords\nendstream"
        func annotation(_ name: String) -> String {
            "<</Type/Annot/Subtype/FileAttachment/Rect[10 10 30 30]/NM(\(name))"
                + "/FS<</Type/Filespec/F(a.txt)/EF<</F 10 0 R>>>>>>"
        }
        var pdf = SmallPDF(annotations: ["01HV60ME365HS69FVQ1CE6PK2G", "twice", "twice", "6"].map(annotation))
        pdf.extra.append(stream)
        let folder = try Folder()
        let path = try folder.write(pdf.bytes, as: "named.pdf")
        #expect(try await tools.attachedFile(of: "01HV60ME365HS69FVQ1CE6PK2G", in: path) == Array("words".utf8))
        #expect(try await tools.attachedFile(of: "twice", in: path) == nil, "it cannot be told which one")
        #expect(try await tools.attachedFile(of: "other", in: path) == nil)
    }

    /// A file that was attached in a layer becomes part of the PDF.
    @Test func aNewFileIsEmbedded() async throws {
        let (folder, path) = try write()
        let target = try folder.write([], as: "target.pdf")
        let file = Array("new file \0 with bytes \u{ff}".utf8)
        let id = try #require(AttachmentID(String(repeating: "a", count: 64)))
        let content = Content.file(
            onPage: 1, at: Point(x: 30, y: 40), attachment: id, name: "n\u{e4}w.bin", size: Int64(file.count),
            text: "see")
        let records = try await tools.annotations(of: path).records
        try await tools.annotate(path, into: target, notes: folder.write([], as: "notes.json")) {
            for record in records { try $0.add(record) }
            try $0.add(Record(id: "new", content: content), image: file)
            // Without its bytes it is an annotation without a file.
            try $0.add(Record(id: "none", content: content))
        }
        let new = try await tools.annotations(of: target).records.filter { old in
            !records.contains { $0.id == old.id }
        }
        #expect(new.map(\.content["fileName"]) == ["n\u{e4}w.bin", nil])
        #expect(new.map(\.content["note"]) == ["see", "see"] && new.allSatisfy { $0.content["icon"] == "paperclip" })
        let saved = try folder.write([], as: "saved")
        let descriptor = try FileDescriptor.open(FilePath(saved), .writeOnly)
        defer { try? descriptor.close() }
        #expect(try await tools.attachedFile(of: new[0].id, in: target, to: descriptor))
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: saved))) == file)
    }

    /// Carets, redactions and attached files that a program without appearances made are drawn.
    @Test(arguments: ["postilla/caret", "pspdfkit/markup/redaction", "postilla/file"])
    func someAreDrawn(_ type: String) async throws {
        let (folder, path) = try write()
        let target = try folder.write([], as: "target.pdf")
        let content = try Content(
            ##"{"v":1,"type":"\##(type)","pageIndex":1,"bbox":[10,10,40,30],"rects":[[10,10,40,10]],"color":"#ff0000"}"##
        )
        let blank = try folder.picture(ofPage: 2, of: path)
        try await tools.annotate(path, into: target, notes: folder.write([], as: "notes.json")) {
            for record in try await tools.annotations(of: path).records { try $0.add(record) }
            // Poppler draws no file attachment without a file.
            try $0.add(Record(id: "new", content: content), image: [1, 2, 3])
        }
        #expect(try folder.picture(ofPage: 2, of: target) != blank)
    }

    // MARK: Pages

    @Test func pagesThatAreCroppedTurnedAndScaled() async throws {
        let (folder, path) = try write()
        defer { withExtendedLifetime(folder) {} }
        let base = try await tools.annotations(of: path)
        for (index, page) in EveryKindPDF.pages.enumerated() {
            let record = base.records.first { $0.id == "\(EveryKindPDF.rectangle(of: index))" }
            #expect(
                record?.content["bbox"].flatMap(Rect.init(json:))
                    == Rect(left: page.box[0], top: page.box[1], width: page.box[2], height: page.box[3]),
                "\(page.entries)")
        }
    }

    /// The word lies in the rectangle, whatever the page's unit.
    @Test func theTextIsWhereTheAnnotationIs() async throws {
        let (folder, path) = try write()
        defer { withExtendedLifetime(folder) {} }
        let base = try await tools.annotations(of: path)
        let info = try await tools.info(of: path)
        for (index, page) in EveryKindPDF.pages.enumerated() {
            let frame = base.frames[index + 1]
            let size = PageSize(width: frame.displayedWidth, height: frame.displayedHeight)
            #expect(info.scaled { $0 == index + 1 ? size : nil }.pages[index + 1] == size, "\(page.entries)")
            let text = try await tools.text(of: path, page: index + 1).scaled(to: size)
            let word = try #require(text.words.first)
            let box = Rect(left: page.box[0], top: page.box[1], width: page.box[2], height: page.box[3])
            let middle = Rect(left: word.box.middle.x, top: word.box.middle.y, width: 0, height: 0)
            #expect(box.union(middle) == box, "\(page.entries): \(word.box)")
        }
    }

    /// An annotation that several pages list is one record; its copies stay in a written file.
    @Test func copiesOnOtherPagesStay() async throws {
        let folder = try Folder()
        var pdf = SmallPDF()
        pdf.pages = (0..<3).map { _ in ("/MediaBox[0 0 612 792]/Annots[10 0 R 11 0 R]", "") }
        pdf.extra = [
            "<</Type/Annot/Subtype/Square/Rect[9 9 99 99]/Contents(shared)>>",
            "<</Type/Annot/Subtype/Square/Rect[9 9 99 99]/Contents(deleted)>>",
        ]
        let path = try folder.write(pdf.bytes)
        let target = try folder.write([], as: "target.pdf")
        let records = try await tools.annotations(of: path).records
        #expect(records.map(\.id) == ["10", "11"])
        let edited = Record(id: "10", content: records[0].content.changingText(to: "edited"))
        try await tools.annotate(path, into: target, notes: folder.write([], as: "notes.json")) { try $0.add(edited) }
        let dump = try await tools.dump(of: target)
        let tree = PageTree(dump, limit: 10)
        let lists = tree.pages.map { $0.dictionary.array("Annots") ?? [] }
        #expect(lists == Array(repeating: [.reference(ObjectID(number: 10))], count: 3))
        #expect(try await tools.annotations(of: target).records.map(\.content["note"]) == ["edited"])
    }

    /// One record, which knows its pages, and where they show it.
    @Test func anAnnotationStandsOnEachPageThatListsIt() async throws {
        let folder = try Folder()
        var pdf = SmallPDF()
        let turned = "/MediaBox[0 0 612 792]/Rotate 90"
        pdf.pages = ["/MediaBox[0 0 612 792]", "/MediaBox[0 0 612 792]", turned, "/MediaBox[0 0 612 792]"].map {
            ("\($0)/Annots[12 0 R 12 0 R]", "")
        }
        pdf.extra = ["<</Type/Annot/Subtype/Square/Rect[9 9 99 109]/Contents(shared)>>"]
        let path = try folder.write(pdf.bytes)
        let base = try await tools.annotations(of: path)
        let record = try #require(base.records.first)
        #expect(base.records.count == 1)
        let onTurned = Rect(left: 9, top: 9, width: 100, height: 90)
        #expect(
            record.content.otherPlaces == [
                OtherPlace(pageIndex: 1), OtherPlace(pageIndex: 2, box: onTurned), OtherPlace(pageIndex: 3),
            ])
        #expect((0..<5).map { record.content.stands(onPage: $0) } == [true, true, true, true, false])
        let twice = (1...4).map { "page \($0), annotation 12, listed more than once; only the first counts" }
        #expect(base.warnings.map(\.description) == twice)
        // Moved, it leaves all of them.
        let target = try folder.write([], as: "target.pdf")
        let moved = record.content.changing { $0["pageIndex"] = 1 }
        #expect(moved.otherPlaces.isEmpty && !moved.stands(onPage: 2))
        try await tools.annotate(path, into: target, notes: folder.write([], as: "notes.json")) {
            try $0.add(Record(id: "12", content: moved))
        }
        let read = try await tools.annotations(of: target).records
        #expect(read.map(\.content["pageIndex"]) == [1] && read[0].content.otherPlaces.isEmpty)
    }

    /// A hostile file may list one annotation on every page.
    @Test func theNumberOfPagesIsLimited() async throws {
        let folder = try Folder()
        var pdf = SmallPDF()
        let number = 4 + 2 * 1002
        pdf.pages = (0..<1002).map { _ in ("/MediaBox[0 0 9 9]/Annots[\(number) 0 R]", "") }
        pdf.extra = ["<</Type/Annot/Subtype/Square/Rect[1 1 2 2]>>"]
        let base = try await tools.annotations(of: folder.write(pdf.bytes))
        #expect(base.records.map(\.content.otherPlaces.count) == [999])
        #expect(base.warnings.map(\.pageIndex) == [1000, 1001])
    }

    /// An edit changes the text of one annotation and no other byte of any object.
    @Test(arguments: EveryKindPDF.kinds.filter { $0.name != nil })
    func anEditOfOneLeavesTheRest(_ kind: EveryKindPDF.Kind) async throws {
        let (folder, path) = try write()
        let target = try folder.write([], as: "target.pdf")
        let notes = try folder.write([], as: "notes.json")
        let id = "\(Self.number(of: kind))"
        let records = try await tools.annotations(of: path).records.map { record in
            record.id == id ? Record(id: id, content: record.content.changingText(to: "after")) : record
        }
        try await tools.annotate(path, into: target, notes: notes) { for record in records { try $0.add(record) } }
        let (before, after) = (try await tools.dump(of: path), try await tools.dump(of: target))
        for object in before.ids where object.number != Self.number(of: kind) {
            #expect(after.source(object).map(Array.init) == before.source(object).map(Array.init), "\(object)")
        }
        let object = ObjectID(number: Self.number(of: kind))
        var entries = [before, after].map { $0.json(object)?.object ?? JSONObject() }
        #expect(entries[1]["/Contents"] == "u:after")
        for key in ["/Contents", "/AP"] { for index in entries.indices { entries[index][key] = nil } }
        // The text of a free text is drawn in a style.
        if kind.subtype == "FreeText" { for index in entries.indices { entries[index]["/DS"] = nil } }
        #expect(JSON.object(entries[1]) == JSON.object(entries[0]))
        let read = try await tools.annotations(of: target).records.first { $0.id == id }
        #expect(read.map { Annotation($0).text } == "after")
        #expect(read.map { Annotation($0).kind.name } == kind.name)
    }

    /// A record that an earlier version read as unknown is not an edit.
    @Test func recordsOfEarlierVersionsChangeNothing() async throws {
        let (folder, path) = try write()
        let target = try folder.write([], as: "target.pdf")
        let records = try await tools.annotations(of: path).records.map { record -> Record in
            guard let subtype = Annotation(record).kind.pdfSubtype else { return record }
            let old = record.content.changing { object in
                let kept = ["v", "pageIndex", "bbox", "pdfObjectId", "opacity", "creatorName", "note", "flags"]
                for member in object.members where !kept.contains(member.key) { object[member.key] = nil }
                object["type"] = "pspdfkit/unknown"
                object["postilla"] = ["pdfSubtype": .string(subtype)]
            }
            return Record(id: record.id, content: old)
        }
        try await tools.annotate(path, into: target, notes: folder.write([], as: "notes.json")) {
            for record in records { try $0.add(record) }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data(EveryKindPDF.bytes))
    }

    @Test func deletingEachRemovesIt() async throws {
        let (folder, path) = try write()
        let target = try folder.write([], as: "target.pdf")
        let kept = try await tools.annotations(of: path).records.filter { $0.content["pageIndex"] != 0 }
        try await tools.annotate(path, into: target, notes: folder.write([], as: "notes.json")) {
            for record in kept { try $0.add(record) }
        }
        #expect(try await tools.annotations(of: target).records.map(\.id) == kept.map(\.id))
    }
}

/// Where form fields get their names, kinds and values from.
@Suite("Form fields", .inTurns) struct FormFieldReadingTests {
    private func read(_ fields: [String], extra: [String] = []) async throws -> BaseAnnotations {
        let folder = try Folder()
        var pdf = SmallPDF(annotations: fields.map { "<</Type/Annot/Subtype/Widget/Rect[0 700 90 720]\($0)>>" })
        pdf.extra += extra
        return try await PDFTools().annotations(of: folder.write(pdf.bytes))
    }

    @Test(arguments: [
        ("/FT/Tx/V(text)", "text", "\"text\""), ("/FT/Tx", "text", "null"), ("/FT/Tx/V()", "text", "null"),
        ("/FT/Btn/V/Yes", "checkbox", "\"Yes\""), ("/FT/Btn/Ff 32768/V/b", "radio", "\"b\""),
        ("/FT/Btn/Ff 65536", "button", "null"), ("/FT/Ch/Ff 131072/V(one)", "combobox", "\"one\""),
        ("/FT/Ch/V[(one)(two)]", "listbox", #"["one","two"]"#),
        ("/FT/Sig/V<</Type/Sig/Name(Ana)>>", "signature", "\"signed\""),
        // A password is not shown.
        ("/FT/Tx/Ff 8192/V(secret)", "text", "null"),
    ])
    func kindAndValue(_ source: String, _ type: String, _ value: String) async throws {
        let base = try await read(["/T(f)" + source])
        #expect(base.records[0].content["postilla"]?["fieldType"]?.string == type)
        #expect(base.values.map { $0.content["value"]?.text } == [value])
        #expect(base.values[0].content.contentType == .formFields)
        #expect(!base.records[0].content.text.contains("secret") && !base.values[0].content.text.contains("secret"))
    }

    /// Object 6 is the widget, 7 and 8 its parents.
    @Test func whatParentsSayIsInherited() async throws {
        let base = try await read(
            ["/T(c)/Parent 7 0 R"], extra: ["<</T(b)/FT/Tx/Parent 8 0 R>>", "<</T(a)/V(inherited)>>"])
        #expect(base.records[0].content["formFieldName"] == "a.b.c")
        #expect(base.records[0].content["postilla"]?["fieldType"] == "text")
        #expect(base.values[0].content["value"] == "inherited")
    }

    @Test func aFieldThatIsItsOwnParentEnds() async throws {
        let base = try await read(["/T(c)/Parent 6 0 R"])
        #expect(base.records.count == 1)
        #expect(base.records[0].content["formFieldName"]?.string?.hasPrefix("c.c.c") == true)
    }

    /// The value is in no annotation, so a token without the right to it gets none of it.
    @Test func theWidgetItselfDoesNotSayIt() async throws {
        let base = try await read(["/T(f)/FT/Tx/V(the value)/DV(the value)/TU(label)"])
        #expect(base.records.allSatisfy { !$0.content.text.contains("the value") })
        #expect(base.values[0].content.text.contains("the value"))
    }
}

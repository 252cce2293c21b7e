import Annotations
import Foundation
import TestSupport
import Testing

@testable import PDFPages

/// Edits appended to files of each form, and read again by qpdf and poppler.
@Suite("Edits are appended to a PDF", .inTurns)
struct AppendedUpdateTests {
    private let tools = PDFTools()

    enum Edit: CaseIterable {
        case nothing, somethingPDFHasNoPlaceFor, text, color, deleteFirst, deleteAll, add
    }

    private func edited(_ records: [Record], _ edit: Edit) -> [Record] {
        switch edit {
        case .nothing: records
        case .somethingPDFHasNoPlaceFor: records.map { $0.changing { $0["customData"] = ["k": 1] } }
        case .text:
            records.map {
                $0.changing { $0[$0["text"] == nil ? "note" : "text"] = "(new) \\ é € “q” 中" }
            }
        case .color:
            records.map { record in
                record.changing { json in
                    for member in ["color", "fontColor"] where json[member] != nil { json[member] = "#00c000" }
                }
            }
        case .deleteFirst: Array(records.dropFirst())
        case .deleteAll: []
        case .add: records + [Record(id: "new", content: .note(onPage: 0, at: Point(x: 20, y: 20), text: "new"))]
        }
    }

    /// A written file, until it is released.
    private struct Written {
        let folder: Folder
        var target: String { folder.path + "/target.pdf" }
        var bytes: [UInt8] { get throws { Array(try Data(contentsOf: URL(fileURLWithPath: target))) } }
    }

    private func write(_ bytes: [UInt8], _ edit: ([Record]) -> [Record]) async throws -> Written {
        let folder = try Folder()
        let source = try folder.write(bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        let records = edit(try await tools.annotations(of: source).records)
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { annotated in
            for record in records { try annotated.add(record) }
        }
        return Written(folder: folder)
    }

    private func problems(of path: String) async throws -> Int? {
        try await tools.run(.qpdf, ["--check", path], into: CollectedOutput()).exitCode
    }

    /// The dictionaries of the annotations that have a record, by id.
    private func dictionaries(of path: String) async throws -> [Record.ID: PDFObject] {
        let dump = try await tools.dump(of: path)
        let records = try await tools.annotations(of: path).records
        let pages = PageTree(dump, limit: 10).pages
        return Dictionary(
            uniqueKeysWithValues: records.map { record in
                if let number = Int(record.id) { return (record.id, dump.object(ObjectID(number: number))) }
                let position = Int(record.id.split(separator: "a").last ?? "") ?? 0
                return (record.id, pages[0].dictionary.array("Annots")![position])
            })
    }

    @Test(arguments: FileForms.sound.map(\.name), Edit.allCases)
    func theFileStaysAndTheEditArrives(_ name: String, _ edit: Edit) async throws {
        let bytes = try #require(FileForms.sound.first { $0.name == name }).bytes
        let written = try await write(bytes) { edited($0, edit) }
        let (folder, target) = (written.folder, written.target)
        let source = folder.path + "/source.pdf"
        let result = try written.bytes
        #expect(result.starts(with: bytes), "the original is not the beginning of the result")
        #expect(try await problems(of: source) == 0)
        #expect(try await problems(of: target) == 0)

        let (before, after) = (try await dictionaries(of: source), try await dictionaries(of: target))
        let (was, present) = (
            try await tools.annotations(of: source).records, try await tools.annotations(of: target).records
        )
        switch edit {
        case .nothing, .somethingPDFHasNoPlaceFor: #expect(result == bytes)
        case .text:
            #expect(Set(after.keys) == Set(before.keys))
            for record in present {
                let text = record.content["text"] ?? record.content["note"]
                #expect(text?.string == "(new) \\ é € “q” 中")
            }
        case .color:
            let members = present.map { $0.content["fontColor"] ?? $0.content["color"] }
            #expect(members.allSatisfy { $0 == "#00c000" || $0 == nil })
        case .deleteFirst:
            #expect(present.map(\.id) == Array(was.dropFirst().map(\.id)) || name.contains("in the page"))
        case .deleteAll: #expect(present.isEmpty)
        case .add:
            #expect(present.count == was.count + 1)
            #expect(before.allSatisfy { after[$0.key] == $0.value })
        }
        // An edit of one member changes its own entries and no others.
        let governed: Set =
            edit == .text
            ? ["Contents", "RC", "DS", "AP"] : edit == .color ? ["C", "DA", "DS", "RC", "AP", "Rect"] : []
        if edit == .text || edit == .color {
            for (id, old) in before {
                let new = try #require(after[id]?.dictionary)
                let old = try #require(old.dictionary)
                let changed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
                #expect(changed.isSubset(of: governed), "\(id): \(changed)")
            }
        }
        // The second page shows the same unless its free text changed.
        if edit == .add || edit == .deleteFirst, !name.contains("two pages") {
            #expect(try page(2, of: source, folder) == page(2, of: target, folder))
        }
    }

    private func page(_ number: Int, of pdf: String, _ folder: Folder) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "pdftoppm", "-r", "36", "-f", "\(number)", "-l", "\(number)", "-singlefile", pdf, folder.path + "/p",
        ]
        try process.run()
        process.waitUntilExit()
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/p.ppm")))
    }

    @Test(arguments: FileForms.unsound.map(\.name))
    func whatCannotBeContinuedIsRewritten(_ name: String) async throws {
        let bytes = try #require(FileForms.unsound.first { $0.name == name }).bytes
        let pages = name.contains("listed twice") ? 3 : 2
        let added = (0..<pages).map { page in
            Record(id: .init("new \(page)"), content: .note(onPage: page, at: Point(x: 20, y: 20), text: "new \(page)"))
        }
        var was: [Record] = []
        let written = try await write(bytes) { records in
            was = records
            return records + added
        }
        let present = try await tools.annotations(of: written.target).records
        for record in was + added {
            let text = record.content["text"] ?? record.content["note"]
            let found = present.filter {
                ($0.content["text"] ?? $0.content["note"]) == text && $0.content["type"] == record.content["type"]
            }
            #expect(found.map { $0.content["pageIndex"] } == [record.content["pageIndex"]], "\(text?.string ?? "")")
        }
        #expect(present.count == was.count + added.count)
        #expect(try await problems(of: written.target) == 0)
    }

    /// Many numbers after the largest one that the file has.
    @Test(arguments: FileForms.unsound.filter { $0.name.contains("size") }.map(\.name))
    func aFileWithoutFreeNumbersIsRewritten(_ name: String) async throws {
        let bytes = try #require(FileForms.unsound.first { $0.name == name }).bytes
        let written = try await write(bytes) { records in
            records
                + (0..<700).map {
                    Record(id: .init("n\($0)"), content: .note(onPage: 0, at: Point(x: 20, y: 20), text: "\($0)"))
                }
        }
        #expect(try await tools.annotations(of: written.target).records.count == 703)
    }

    /// Ten updates, each continuing the one before; ids stay.
    @Test(arguments: ["a table", "object streams"]) func updatesFollowEachOther(_ name: String) async throws {
        var bytes = try #require(FileForms.sound.first { $0.name == name }).bytes
        for round in 0..<10 {
            let written = try await write(bytes) { records in
                records.map { record in
                    record.id == "7" ? record.changing { $0["text"] = .string("round \(round)") } : record
                } + [Record(id: "n\(round)", content: .note(onPage: 1, at: Point(x: 9, y: 9), text: "\(round)"))]
            }
            let result = try written.bytes
            #expect(result.starts(with: bytes) && result.count > bytes.count)
            bytes = result
            let records = try await tools.annotations(of: written.target).records
            #expect(records.first { $0.id == "7" }?.content["text"]?.string == "round \(round)")
            #expect(records.count == 4 + round)
            #expect(try await problems(of: written.target) == 0)
        }
    }

    @Test func equalEditsGiveEqualFilesAndAnotherIDThanTheOriginal() async throws {
        let bytes = FileForms.classic(FileForms.objects)
        let results = try await [write(bytes) { edited($0, .add) }, write(bytes) { edited($0, .add) }].map {
            try $0.bytes
        }
        #expect(results[0] == results[1])
        let end = String(decoding: results[0].suffix(200), as: UTF8.self)
        #expect(end.contains("/ID[<aa><") && !end.contains("/ID[<aa><bb>]") && end.contains("/Root 1 0 R"))
    }

    static let texts = [
        "\u{FEFF}x", "\u{FFFE}", "a\u{0}b", "\u{1B}en\u{1B}x", "a\r\nb\rc", "😀 e\u{301}", "\u{E000}", " ", "(\\",
        "%%EOF",
        "/Name", "12 0 R", "þÿ", "ï»¿", "•†€Łž", "\u{18}\u{1F}\u{7F}\u{9F}\u{AD}", "u:x", "endobj", "stream\n",
    ]

    /// Texts that a format could take for something else arrive as they are, appended and rewritten.
    @Test(arguments: [true, false]) func everyTextArrives(isAppended: Bool) async throws {
        let bytes = isAppended ? FileForms.sound[0].bytes : FileForms.unsound[0].bytes
        let written = try await write(bytes) { records in
            records
                + Self.texts.enumerated().map { index, text in
                    Record(id: "n\(index)", content: .note(onPage: 0, at: Point(x: 9, y: 9), text: text))
                }
        }
        let found = try await tools.annotations(of: written.target).records.compactMap { $0.content["text"]?.string }
        let expected = Self.texts.map { $0.replacing("\r\n", with: "\n").replacing("\r", with: "\n") }
        #expect(found.contains("note") && found.contains("free"))
        for text in expected {
            #expect(found.contains { $0.unicodeScalars.elementsEqual(text.unicodeScalars) }, "\(text)")
        }
    }

    /// A deleted object is gone for readers, and its number is not used again.
    @Test(arguments: ["a table", "object streams", "a hybrid"]) func deletedObjectsAreGone(_ name: String) async throws
    {
        let bytes = try #require(FileForms.sound.first { $0.name == name }).bytes
        let written = try await write(bytes) { $0.filter { $0.id != "7" } }
        let dump = try await tools.dump(of: written.target)
        for number in [7, 8] { #expect(dump.object(ObjectID(number: number)) == .null) }
        let lists = PageTree(dump, limit: 10).pages.map { $0.dictionary.array("Annots") }
        #expect(lists == [[.reference(ObjectID(number: 6))], [.reference(ObjectID(number: 9))]])
    }

    @Test func aTextOfThePopupDoesNotOutliveTheEdit() async throws {
        var objects = FileForms.objects
        objects[8] = objects[8]!.replacing("/Parent", with: "/Contents(the popup's)/Parent")
        objects[7] = objects[7]!.replacing("/Contents(note)", with: "")
        let written = try await write(FileForms.classic(objects)) { records in
            #expect(records[1].content["text"] == "the popup's")
            return records.map { $0.id == "7" ? $0.changing { $0["text"] = "" } : $0 }
        }
        #expect(try await tools.annotations(of: written.target).records[1].content["text"] == "")
    }

    /// An annotation may move to another page, whose list then names it.
    @Test func anAnnotationMovesToAnotherPage() async throws {
        let written = try await write(FileForms.classic(FileForms.objects)) { records in
            records.map { $0.id == "6" ? $0.changing { $0["pageIndex"] = 1 } : $0 }
        }
        let records = try await tools.annotations(of: written.target).records
        #expect(records.map(\.id) == ["7", "9", "6"])
        #expect(records[2].content["pageIndex"] == 1)
        let dictionary = try await tools.dump(of: written.target).object(ObjectID(number: 6)).dictionary
        #expect(dictionary?["P"] == .reference(ObjectID(number: 10)))
        #expect(dictionary?["X"] == .string("kept"))
    }

    // MARK: Signatures

    @Test(arguments: [(nil, ""), ("/P 3", ""), (nil, "/Lock<</Type/SigFieldLock/Action/All/P 3>>")])
    func aSignedFileIsContinued(_ permission: String?, lock: String) async throws {
        let bytes = FileForms.classic(FileForms.signed(permission, lock: lock))
        let written = try await write(bytes) { edited($0, .add) }
        let result = try written.bytes
        #expect(result.starts(with: bytes) && result.count > bytes.count)
    }

    @Test(arguments: [("/P 1", ""), ("/P 2", ""), ("", ""), (nil, "/Lock<</Type/SigFieldLock/Action/All/P 1>>")])
    func aCertificateThatForbidsAnnotationsIsKept(_ permission: String?, lock: String) async throws {
        let bytes = FileForms.classic(FileForms.signed(permission, lock: lock))
        for edit in [Edit.add, .text, .deleteFirst] {
            await #expect(throws: PDFError.certified) { _ = try await write(bytes) { edited($0, edit) } }
        }
        let written = try await write(bytes) { $0 }
        #expect(try written.bytes == bytes)
    }

    @Test func aDamagedSignedFileIsNotRewritten() async throws {
        let text = String(decoding: FileForms.classic(FileForms.signed(nil)), as: UTF8.self)
        let bytes = Array(text.replacing("startxref\n", with: "startxref\n1").utf8)
        await #expect(throws: PDFError.signed) { _ = try await write(bytes) { edited($0, .add) } }
        let written = try await write(bytes) { $0 }
        #expect(try written.bytes == bytes)
    }

    // MARK: Reading back

    /// A qpdf that does not apply the update: the result names the records.
    @Test func anEditThatDoesNotArriveIsNamed() async throws {
        let folder = try Folder()
        try folder.tool(
            "qpdf",
            script:
                "#!/bin/sh\nfor a; do case $a in --update-from-json=*) shift $(($# - 1)); cp SOURCE \"$1\"; exit;; esac; done\nexec /usr/bin/qpdf \"$@\"\n"
                .replacing("SOURCE", with: folder.path + "/source.pdf"))
        var broken = PDFTools()
        broken.directories = [folder.path] + PDFTools.usualDirectories
        let source = try folder.write(FileForms.unsound[0].bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        let records = edited(try await tools.annotations(of: source).records, .text)
        let result = try await broken.annotate(
            source, into: target, notes: folder.write([], as: "notes")
        ) { annotated in
            for record in records.reversed() { try annotated.add(record) }
        }
        #expect(result.unwritten == ["6", "7", "9"].map { Unwritten(id: $0, reason: .differs) })
    }

    @Test(.enabled(if: !Samples.all.isEmpty), arguments: Samples.all, [Edit.text, .color, .deleteFirst, .add])
    func realFilesAreContinued(_ source: String, _ edit: Edit) async throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: source))
        let folder = try Folder()
        let target = try folder.write([], as: "target.pdf")
        let records = edited(try await tools.annotations(of: source).records, edit)
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { annotated in
            for record in records { try annotated.add(record) }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)).starts(with: before))
        let (was, present) = (try await problems(of: source), try await problems(of: target))
        #expect(try #require(present) <= #require(was))
        #expect(try await tools.annotations(of: target).records.count == records.count)
    }
}

extension Record {
    func changing(_ change: (inout JSONObject) -> Void) -> Record {
        var record = self
        record.content = content.changing(change)
        return record
    }
}

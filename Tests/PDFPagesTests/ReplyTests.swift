import Annotations
import Foundation
import TestSupport
import Testing

@testable import PDFPages

@Suite("Replies, groups and states in a PDF", .inTurns)
struct ReplyTests {
    private let tools = PDFTools()

    private func note(_ more: String) -> String { "<</Type/Annot/Subtype/Text/Rect[0 0 9 9]\(more)>>" }

    /// Objects 6, 7, …, of which each is one annotation of the page.
    private func read(_ annotations: [String]) async throws -> [Record] {
        let folder = try Folder()
        return try await tools.annotations(of: folder.write(SmallPDF(annotations: annotations).bytes)).records
    }

    private func roots(_ records: [Record]) -> [String?] { records.map { $0.content["rootId"]?.string } }

    private func targets(_ records: [Record]) -> [String?] {
        records.map { $0.content["postilla"]?["inReplyTo"]?.string }
    }

    /// Writes records over a PDF, and reads the result.
    private func write(_ records: [Record], over pdf: SmallPDF) async throws -> (records: [Record], file: Folder) {
        let folder = try Folder()
        let source = try folder.write(pdf.bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes.json")) { annotated in
            for record in records {
                let root = record.content["rootId"]?.string
                try annotated.add(record, under: records.first { root.isExactly($0.id) })
            }
        }
        let check = try await tools.run(.qpdf, ["--check", target], into: CollectedOutput())
        #expect(check.exitCode == 0, "\(String(decoding: check.sink.bytes, as: UTF8.self))")
        return (try await tools.annotations(of: target).records, folder)
    }

    // MARK: Reading

    @Test func aChainOfRepliesIsAFlatThread() async throws {
        let records = try await read([
            note("/Contents(question)/T(Ana)"), note("/Contents(answer)/IRT 6 0 R/RT/R/T(Bo)/CreationDate(D:20260101)"),
            note("/Contents(thanks)/IRT 7 0 R"), note("/Contents(bye)/IRT 8 0 R"),
        ])
        #expect(roots(records) == [nil, "6", "6", "6"])
        #expect(targets(records) == [nil, nil, nil, nil])
        let answer = records[1].content
        #expect((answer.contentType, answer["text"], answer["creatorName"]) == (.comments, "answer", "Bo"))
        #expect((answer["pdfObjectId"], records[1].createdBy) == (7, nil))
        try answer.validate()
    }

    @Test(
        "What takes replies",
        arguments: [
            ("/Subtype/Highlight/QuadPoints[0 9 9 9 0 0 9 0]", true), ("/Subtype/Square", true),
            ("/Subtype/FreeText/DA(0 g /Helv 9 Tf)", true), ("/Subtype/Stamp", true), ("/Subtype/Caret", true),
            ("/Subtype/FileAttachment", true), ("/Subtype/Link", false), ("/Subtype/Widget", false),
            ("/Subtype/Screen", false),
        ])
    func targets(entries: String, takesReplies: Bool) async throws {
        let records = try await read(["<</Type/Annot\(entries)/Rect[0 0 9 9]>>", note("/Contents(re)/IRT 6 0 R")])
        #expect(records[1].content.contentType == (takesReplies ? .comments : .annotations))
        #expect(targets(records)[1] == (takesReplies ? nil : "6"))
    }

    @Test func repliesToWhatIsMissingOrACircleOrOnAnotherPageStayNotes() async throws {
        let records = try await read([
            note("/Contents(lost)/IRT 3 0 R"), note("/Contents(to the lost one)/IRT 6 0 R"),
            note("/Contents(round)/IRT 9 0 R"), note("/Contents(and round)/IRT 8 0 R"),
            note("/Contents(to the circle)/IRT 9 0 R"), note("/Contents(self)/IRT 11 0 R"),
        ])
        #expect(roots(records) == [nil, "6", nil, nil, nil, nil])
        #expect(targets(records) == ["3", nil, "9", "8", "9", "11"])
        var pdf = SmallPDF()
        for list in ["8 0 R", note("/Contents(elsewhere)/IRT 8 0 R")] {
            pdf.pages.append(("/MediaBox[0 0 99 99]/Annots[\(list)]", ""))
        }
        pdf.extra = [note("/Contents(here)")]
        let folder = try Folder()
        let pages = try await tools.annotations(of: folder.write(pdf.bytes)).records
        let elsewhere = try #require(pages.first { $0.content["text"] == "elsewhere" })
        #expect((elsewhere.content.contentType, elsewhere.content["rootId"]) == (.annotations, nil))
    }

    /// A group is one unit: who answers a part of it answers its head.
    @Test func groupsStayTogether() async throws {
        let strike = "<</Type/Annot/Subtype/StrikeOut/Rect[0 0 9 9]/QuadPoints[0 9 9 9 0 0 9 0]/IRT 6 0 R/RT/Group>>"
        let records = try await read([
            "<</Type/Annot/Subtype/Caret/Rect[0 0 9 9]/Contents(new words)>>", strike,
            note("/Contents(to the strike-out)/IRT 7 0 R"), note("/Contents(part)/IRT 6 0 R/RT/Group"),
        ])
        #expect(roots(records) == [nil, nil, "6", nil])
        #expect(targets(records) == [nil, "6", nil, "6"])
        #expect(records.map { $0.content["postilla"]?["replyType"]?.string } == [nil, "group", nil, "group"])
    }

    @Test func aReplyOfAnotherKindStaysAnAnnotationWithAThreadOfItsOwn() async throws {
        let records = try await read([
            note("/Contents(look)"), "<</Type/Annot/Subtype/Square/Rect[0 0 9 9]/Contents(here)/IRT 6 0 R>>",
            note("/Contents(I see)/IRT 7 0 R"),
        ])
        #expect(roots(records) == [nil, nil, "7"])
        #expect(targets(records) == [nil, "6", nil])
    }

    @Test func statesAreComments() async throws {
        let records = try await read([
            note("/Contents(fix this)"),
            note("/F 30/Contents(Accepted set by Bo)/T(Bo)/State(Accepted)/StateModel(Review)/IRT 6 0 R"),
            note("/F 30/Contents(odd)/State(Perhaps)/StateModel(Review)/IRT 6 0 R"),
            note("/F 30/T(Bo)/State(Completed)/StateModel(Review)/IRT 7 0 R"),
            note("/Contents(Marked)/T(Bo)/State(Marked)/StateModel(Marked)/IRT 6 0 R"),
        ])
        #expect(records.map(\.content.state) == [nil, .accepted, nil, .completed, .marked])
        #expect(roots(records) == [nil, "6", "6", "6", "6"])
        #expect(AnnotationStates(Array(records.dropFirst())).entries.map(\.state) == [.completed, .marked])
    }

    @Test func aLongChainIsFollowedOnce() throws {
        let count = 100_000
        var chains = ReplyChains(
            [nil]
                + (1..<count).map { ReplyChains.Link(target: $0 - 1, isGroup: false, isComment: true) })
        #expect((1..<count).reversed().allSatisfy { chains.root(of: $0) == 0 })
    }

    // MARK: Writing

    private var thread: SmallPDF {
        SmallPDF(annotations: [
            note("/Contents(question)"), note("/Contents(answer)/IRT 6 0 R/RT/R/Custom(kept)/RC(rich)"),
            note("/Contents(thanks)/IRT 7 0 R/Custom(kept too)"),
            note("/F 30/State(Accepted)/StateModel(Review)/Contents(Accepted)/IRT 6 0 R"),
        ])
    }

    @Test func aThreadThatIsNotEditedStaysAsItIs() async throws {
        let before = try await read(thread.extra)
        let (after, folder) = try await write(before, over: thread)
        #expect(after == before)
        #expect(try folder.bytes("target.pdf") == thread.bytes)
    }

    @Test func anEditedReplyKeepsWhatTheEditIsNotAbout() async throws {
        var records = try await read(thread.extra)
        records[1].content = records[1].content.changingText(to: "a better answer")
        let (after, folder) = try await write(records, over: thread)
        #expect(after.map { $0.content["text"] } == ["question", "a better answer", "thanks", "Accepted"])
        #expect(roots(after) == [nil, "6", "6", "6"])
        let file = String(decoding: try folder.bytes("target.pdf"), as: UTF8.self)
        let update = file.dropFirst(thread.bytes.count)
        #expect(update.contains("(kept)") && !update.contains("(rich)") && !update.contains("(kept too)"))
    }

    /// Clients that know comments only may drop what a comment's note has besides.
    @Test func aReplyKeepsItsPlaceThoughItsRecordLostIt() async throws {
        var records = try await read(thread.extra)
        records[1].content = records[1].content.changing { comment in
            for name in ["bbox", "icon", "flags", "opacity", "pdfObjectId"] { comment[name] = nil }
            comment["text"] = ["format": "plain", "value": "short"]
        }
        let after = try await write(records, over: thread).records
        #expect((after[1].content["bbox"], after[1].content["text"]) == (records[0].content["bbox"], "short"))
    }

    @Test func aReplyToADeletedReplyAnswersTheRoot() async throws {
        var records = try await read(thread.extra)
        records.remove(at: 1)
        let after = try await write(records, over: thread).records
        #expect(after.map { $0.content["text"] } == ["question", "thanks", "Accepted"])
        #expect(roots(after) == [nil, "6", "6"])
    }

    @Test func newRepliesAndStatesAreReadBack() async throws {
        let base = try await read(thread.extra)
        let root = base[0]
        let reply = Record(id: "r", content: .comment(.plain("me too"), under: root.id, root.content))
        let state = Record(
            id: "s",
            content: Content.state(.completed, under: root.id, root.content).changing { $0["creatorName"] = "Ana" })
        let (after, folder) = try await write(base + [reply, state], over: thread)
        #expect(after.suffix(2).map { $0.content["rootId"] } == ["6", "6"])
        #expect(after.suffix(2).map(\.content.state) == [nil, .completed])
        #expect(after.last?.content["creatorName"] == "Ana")
        let update = String(decoding: try folder.bytes("target.pdf"), as: UTF8.self).dropFirst(thread.bytes.count)
        #expect(update.contains("/StateModel (Review)") || update.contains("/StateModel(Review)"))
        // Other programs must not draw an icon for it.
        #expect(after.last?.content["flags"]?.array?.contains("hidden") == true)
    }

    /// Records of another document, whose order is that of the page: the part may come before its head.
    @Test func groupsAndRepliesOfOtherKindsAreWrittenInAnyOrder() async throws {
        let box: JSON = [10, 10, 20, 20]
        func record(_ id: String, _ type: String, _ aside: JSON?) throws -> Record {
            var object = JSONObject()
            object["v"] = 1
            object["type"] = .string(type)
            object["pageIndex"] = 0
            object["bbox"] = box
            object["postilla"] = aside
            return Record(id: id, content: Content(object))
        }
        let records = [
            try record("strike", "pspdfkit/markup/strikeout", ["inReplyTo": "caret", "replyType": "group"]),
            try record("box", "pspdfkit/shape/rectangle", ["inReplyTo": "strike"]),
            try record("lost", "pspdfkit/shape/ellipse", ["inReplyTo": "nothing"]),
            try record("caret", "pspdfkit/unknown", ["pdfSubtype": "Caret"]),
        ]
        let after = try await write(records, over: SmallPDF(annotations: [])).records
        let ids = Dictionary(uniqueKeysWithValues: after.map { ($0.content["type"]?.string ?? "", $0.id) })
        let asides = Dictionary(
            uniqueKeysWithValues: after.map { ($0.content["type"]?.string ?? "", $0.content["postilla"]) })
        #expect(asides["pspdfkit/markup/strikeout"]??["inReplyTo"]?.string == ids["postilla/caret"])
        #expect(asides["pspdfkit/markup/strikeout"]??["replyType"] == "group")
        #expect(asides["pspdfkit/shape/rectangle"]??["inReplyTo"]?.string == ids["pspdfkit/markup/strikeout"])
        #expect(asides["pspdfkit/shape/ellipse"]??["inReplyTo"] == nil)
    }

    /// Layers of documents that were uploaded earlier have the reply as a note.
    @Test func aReplyThatIsANoteInItsLayerIsTheSameAnnotation() async throws {
        var records = try await read(thread.extra)
        for place in 1...3 {
            records[place].content = records[place].content.asNote.changing {
                $0["postilla"] = ["inReplyTo": "6"]
            }
        }
        let (_, folder) = try await write(records, over: thread)
        #expect(try folder.bytes("target.pdf") == thread.bytes)
        records[1].content = records[1].content.changingText(to: "new")
        let after = try await write(records, over: thread).records
        #expect(roots(after) == [nil, "6", "6", "6"])
        #expect(after[1].content["text"] == "new")
    }
}

extension Folder {
    fileprivate func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }
}

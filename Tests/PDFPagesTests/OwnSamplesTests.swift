import Annotations
import Children
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PDFPages

@Suite("The samples that this project generates", .inTurns)
struct OwnSamplesTests {
    private let tools = PDFTools()
    private static let resources = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Resources").standardized.path
    private let paper = resources + "/samples/reading-machines.pdf"
    private let handbook = resources + "/samples/harbour-handbook.pdf"

    @Test func thePaperHasMarksOfEveryKind() async throws {
        let base = try await tools.annotations(of: paper)
        var counts: [String: Int] = [:]
        for record in base.records { counts[Annotation(record).kind.name, default: 0] += 1 }
        #expect(
            counts == [
                "highlight": 5, "underline": 1, "squiggly": 1, "strike-out": 1, "note": 2, "comment": 2, "free text": 1,
                "ink": 1,
                "line": 1, "rectangle": 2, "ellipse": 1, "polygon": 1, "polyline": 1, "stamp": 1, "link": 3,
                "caret": 1,
            ])
        #expect(Set(base.records.compactMap { Annotation($0).author }) == ["ana", "ben", "carla"])
        #expect(base.warnings.map(\.text) == ["no text position stored"])
        #expect(base.records.filter { $0.content["postilla"]?["inReplyTo"] != nil }.count == 1)
    }

    @Test func theMarkedWordsAreUnderTheMarks() async throws {
        let page = try await tools.text(of: paper, page: 0)
        let marks = try await tools.annotations(of: paper).records.map { Annotation($0) }
        let marked = marks.filter { $0.kind.isMarkup && $0.pageIndex == 0 }.map { mark in
            page.words.filter { word in
                mark.rects.contains { $0.overlap(word.box) > 0.5 * word.box.width * word.box.height }
            }.map(\.text).joined(separator: " ")
        }
        #expect(
            marked == [
                "It is fastened to a place:", "the overlap is information:",
                "the overlap is information: it tells the next reader",
                "lose marks in four ways", "invisible.", "by a wide margin.",
                "a mark is kept before it is shown as kept.",
            ])
    }

    @Test func theTurnedPageReadsAcross() async throws {
        let info = try await tools.info(of: paper)
        #expect(info.title == "Reading Machines: What a Margin Is For")
        #expect(info.pages.last == PageSize(width: 842, height: 595))
        let page = try await tools.text(of: paper, page: info.pages.count - 1)
        #expect(page.words.prefix(3).map(\.text) == ["Appendix:", "raw", "counts"])
        let frame = try await tools.annotations(of: paper).records.map { Annotation($0) }
            .first { $0.kind == .rectangle && $0.pageIndex == info.pages.count - 1 }?.box
        let box = try #require(frame)
        let inside = page.words.filter { box.contains($0.box.middle) }.map(\.text)
        #expect(inside == ["F", "35", "19", "6", "8", "68"])
    }

    @Test func theHandbookIsLongAndItsLinksLeadToItsChapters() async throws {
        let info = try await tools.info(of: handbook)
        #expect(info.pages.count == 109)
        #expect(Set(info.pages) == [PageSize(width: 595, height: 842)])
        let chapters = Mutex<[Int]>([])
        try await tools.text(of: handbook, pages: 4...108) { index, page in
            let heading = page.words.first { $0.box.height > 15 }
            if heading.flatMap({ Int($0.text) }) != nil { chapters.withLock { $0.append(index) } }
        }
        let links = try await tools.annotations(of: handbook).records
            .filter { Annotation($0).kind == .link }.compactMap { $0.content["action"]?["pageIndex"]?.integer }
        #expect(links.count == 24)
        #expect(chapters.withLock { $0 }.map(Int64.init) == links)
    }

    /// Compares the contents, because another zlib may compress the same pages to other bytes.
    @Test(
        "The samples match what the script generates",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
    func made() async throws {
        let folder = try Folder()
        let script = ChildProcess()
        script.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        script.arguments = [Self.resources + "/make-samples", folder.path]
        script.standardOutput = FileHandle.nullDevice
        try script.run()
        script.waitUntilExit()
        for file in [paper, handbook] {
            let made = folder.path + "/" + URL(fileURLWithPath: file).lastPathComponent
            #expect(try await tools.info(of: made) == tools.info(of: file))
            #expect(try await tools.annotations(of: made) == tools.annotations(of: file))
            #expect(try await tools.text(of: made, page: 1) == tools.text(of: file, page: 1))
        }
    }
}

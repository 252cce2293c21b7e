import Children
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import corpus

@Suite(.onOwnThreads)
struct CorpusTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("corpus-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("files"), withIntermediateDirectories: true)
        var pdf = SmallPDF()
        pdf.pages = [("/MediaBox[0 0 300 300]/Annots[6 0 R 7 0 R 8 0 R]", "BT /F1 20 Tf 20 200 Td (Words) Tj ET")]
        pdf.extra = [
            "<</Type/Annot/Subtype/Square/Rect[10 10 60 60]/C[1 0 0]/Contents(Before)/F 4>>",
            "<</Type/Annot/Subtype/Square/Rect[100 10 160 60]/C[0 0 1]/F 4>>",
            "<</Type/Annot/Subtype/Text/Rect[200 200 220 220]/Contents(Note)/F 4>>",
        ]
        try Data(pdf.bytes).write(to: folder.appendingPathComponent("files/one.pdf"))
        try Data("nothing".utf8).write(to: folder.appendingPathComponent("files/two.pdf"))
    }

    private func run(_ more: String...) throws -> (status: Int32, output: String) {
        let beside = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("corpus").path
        let built = beside.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: built ?? Repository.root + "/.build/debug/corpus")
        process.arguments = [folder.path + "/files", "--output", folder.path + "/results"] + more
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test func aFolderIsExaminedOnce() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try run()
        #expect(first.status == 0, "\(first.output)")
        #expect(first.output.contains("2 files, 1 refused as by qpdf or poppler, 3 records"), "\(first.output)")
        #expect(first.output.contains("pixels          1        1        0"), "\(first.output)")
        let results = folder.appendingPathComponent("results/results.ndjson")
        let size = try Data(contentsOf: results).split(separator: 0x0A).count
        #expect(size == 2)
        // A line that was cut is examined again, the other file is not.
        var text = try Data(contentsOf: results)
        text.removeLast(10)
        try text.write(to: results)
        #expect(try run().output.contains("2 files"))
        #expect(try Data(contentsOf: results).split(separator: 0x0A).count == 3)
    }

    @Test func whatDiffersIsSeen() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = folder.appendingPathComponent("files/one.pdf")
        var bytes = try Data(contentsOf: original)
        let place = try #require(bytes.range(of: Data("/C[0 0 1]".utf8)))
        bytes.replaceSubrange(place, with: Data("/C[0 1 0]".utf8))
        let other = folder.appendingPathComponent("other.pdf")
        try bytes.write(to: other)
        let pictures = Pictures(folder: folder)
        #expect(try pictures.differences(original.path, original.path, pages: 1, except: []) == [])
        let found = try pictures.differences(original.path, other.path, pages: 1, except: [])
        #expect(found.count == 1 && found[0].contains("pixels differ"))
        let spot = Pictures.Spot(page: 0, left: 100, top: 240, width: 60, height: 50)
        #expect(try pictures.differences(original.path, other.path, pages: 1, except: [spot]) == [])
        let one = try #require(try QPDFFile(original.path, in: folder))
        #expect(one.kinds == ["Square": 2, "Text": 1])
        #expect(one.annotation("6 0 R").flatMap(one.contents) == "Before")
        #expect(try QPDFFile(folder.path + "/files/two.pdf", in: folder) == nil)
    }
}

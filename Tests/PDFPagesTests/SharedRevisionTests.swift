import Annotations
import Foundation
import PDFPages
import TestSupport
import Testing

@Suite("Revisions that two PDFs share")
struct SharedRevisionTests {
    private let files: Folder

    init() throws { files = try Folder() }

    private func update(_ file: [UInt8], _ text: String, end: String = "%%EOF\n") -> [UInt8] {
        let previous =
            String(decoding: file, as: UTF8.self).components(separatedBy: "startxref\n").last?
            .prefix { $0.isNumber } ?? ""
        let object = "6 0 obj\n<</Type/Annot/Subtype/Text/Rect[9 9 29 29]/Contents(\(text))>>\nendobj\n"
        let digits = String(file.count)
        let entry = String(repeating: "0", count: 10 - digits.count) + digits
        return file + "\(object)xref\n6 1\n\(entry) 00000 n \n".utf8
            + "trailer<</Size 7/Root 1 0 R/Prev \(previous)>>\nstartxref\n\(file.count + object.utf8.count)\n\(end)"
            .utf8
    }

    private func shared(_ one: [UInt8], _ other: [UInt8]) throws -> SharedRevision? {
        try SharedRevision(of: files.write(one, as: "one.pdf"), and: files.write(other, as: "other.pdf"))
    }

    @Test func noFileStaysOpenIfTheOtherCannotBeOpened() throws {
        let path = try files.write(SmallPDF().bytes, as: "one.pdf")
        #expect(throws: (any Error).self) { try SharedRevision(of: path, and: path + ".none") }
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(!links.contains { $0.hasSuffix(path) })
    }

    @Test func theLongestCommonRevisionIsFound() throws {
        let base = SmallPDF(annotations: ["<</Type/Annot/Subtype/Text/Rect[9 9 29 29]/Contents(old)>>"]).bytes
        let (ana, ben) = (update(base, "ana"), update(base, "ben"))
        let anaAgain = update(ana, "ana again")
        typealias Case = (one: [UInt8], other: [UInt8], length: Int?, isWhole: Bool)
        let cases: [Case] = [
            (base, base, base.count, true), (base, ana, base.count, true), (ana, base, base.count, false),
            (ana, ben, base.count, false), (anaAgain, update(ana, "other"), ana.count, false),
            (ana, anaAgain, ana.count, true),
            // Another line end, or none: the mark itself ends the revision.
            (update(base, "x", end: "%%EOF"), update(update(base, "x", end: "%%EOF"), "y"), ana.count - 3, true),
            // Different from the start, cut off, not a PDF.
            (base, SmallPDF(annotations: []).bytes, nil, false), (base, Array(base.dropLast(20)), nil, false),
            (Array("no PDF".utf8), base, nil, false), ([], base, nil, false),
            // A mark within a stream ends nothing.
            (Array("%PDF-1.7\n%%EOF\nmore".utf8), Array("%PDF-1.7\n%%EOF\nelse".utf8), nil, false),
        ]
        for (number, (one, other, length, isWhole)) in cases.enumerated() {
            let found = try shared(one, other)
            #expect(found?.length == length.map(Int64.init), "case \(number)")
            if length != nil { #expect(found?.isWhole == isWhole, "case \(number)") }
        }
    }

    /// A mark may lie across two pieces that are read.
    @Test(arguments: -6...6)
    func aMarkAcrossPieces(shift: Int) throws {
        var pdf = SmallPDF(annotations: ["<</Type/Annot/Subtype/Text/Rect[9 9 29 29]/Contents(old)>>"])
        let length = pdf.bytes.count
        pdf.catalog = "/Filler(" + String(repeating: "x", count: (256 << 10) - length + shift - 10) + ")"
        let base = pdf.bytes
        #expect(try shared(base, update(base, "new"))?.length == Int64(base.count))
    }

    @Test func anEarlierRevisionIsRead() async throws {
        let base = SmallPDF(annotations: ["<</Type/Annot/Subtype/Text/Rect[9 9 29 29]/Contents(old)>>"]).bytes
        let file = try files.write(update(base, "new"))
        let revisions = try SharedRevision.all(of: file, atMost: 8)
        #expect(revisions.map(\.isWhole) == [true, false])
        let found = try await PDFTools().annotations(of: file, upTo: revisions[1].length)
        #expect(found?.records.map { $0.content["text"]?.string } == ["old"])
        #expect(try await PDFTools().annotations(of: file).records.map { $0.content["text"]?.string } == ["new"])
        #expect(try await PDFTools().annotations(of: file, upTo: 40) == nil)
    }
}

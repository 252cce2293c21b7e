import Annotations
import Foundation
import TestSupport
import Testing

@testable import PDFPages

/// Annotations of which only a part can be read: below, at and above each limit.
@Suite("Nothing read in part is written as if it were whole", .inTurns)
struct ReadInPartTests {
    private let tools = PDFTools()

    /// What is limited, the limit, and the entries of an annotation with so many of it.
    struct Limit: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var most: Int
        var entries: @Sendable (Int) -> String
        /// A member that another one changes of the annotation.
        var edit: (String, JSON) = ("note", "edited")
    }

    private static let limits = [
        Limit(testDescription: "points of one stroke", most: 10_000) { count in
            "/Subtype/Ink/InkList[[\(numbers(2 * count))]]"
        },
        Limit(
            testDescription: "points of many strokes", most: 10_000,
            entries: { count in
                "/Subtype/Ink/InkList[\(String(repeating: "[\(numbers(200))]", count: count / 100))[\(numbers(2 * (count % 100)))]]"
            }, edit: ("strokeColor", "#0000ff")),
        Limit(testDescription: "corners", most: 10_000) { count in "/Subtype/Polygon/Vertices[\(numbers(2 * count))]" },
        Limit(
            testDescription: "marked boxes", most: 2_500,
            entries: { count in "/Subtype/Highlight/QuadPoints[\(numbers(8 * count))]" }, edit: ("color", "#0000ff")),
        Limit(testDescription: "redacted boxes", most: 2_500) { count in
            "/Subtype/Redact/QuadPoints[\(numbers(8 * count))]"
        },
        Limit(
            testDescription: "characters of a text", most: 100_000,
            entries: { count in "/Subtype/Text/Contents(\(letters(count)))" }, edit: ("color", "#0000ff")),
        Limit(testDescription: "characters of an author", most: 1_000) { count in "/Subtype/Square/T(\(letters(count)))"
        },
        Limit(testDescription: "characters of a name", most: 1_000) { count in "/Subtype/Circle/NM(\(letters(count)))"
        },
        Limit(testDescription: "dashes", most: 16) { count in
            "/Subtype/Square/BS<</S/D/D[\(Array(repeating: "2", count: count).joined(separator: " "))]>>"
        },
        Limit(
            testDescription: "characters of a style", most: 1_000,
            entries: { count in "/Subtype/FreeText/Contents(x)/DA(\(letters(count - 10)) 9 Tf 0 g )" },
            edit: ("text", "edited")),
        Limit(testDescription: "characters of a stamp", most: 128) { count in "/Subtype/Stamp/Name/\(letters(count))" },
        Limit(testDescription: "characters of an address", most: 8_192) { count in
            "/Subtype/Link/A<</S/URI/URI(http://\(letters(count - 7)))>>"
        },
    ]

    private static func numbers(_ count: Int) -> String {
        (0..<count).map { "\(100 + $0 % 7 * 10 + $0 % 2)" }.joined(separator: " ")
    }

    private static func letters(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// - Parameter more: How many more than the limit there are.
    @Test(arguments: limits, [-1, 0, 1])
    func aPartOfItIsNotEdited(_ limit: Limit, _ more: Int) async throws {
        let entries = limit.entries(limit.most + more)
        let folder = try Folder()
        let source = try folder.write(
            SmallPDF(annotations: [
                "<</Type/Annot\(entries)/Rect[90 90 190 190]>>",
                "<</Type/Annot/Subtype/Text/Rect[9 9 30 30]/Contents(another)>>",
            ]).bytes, as: "source.pdf")
        let records = try await tools.annotations(of: source).records
        #expect((records[0].content.readInPart != nil) == (more > 0))
        #expect((Annotation(records[0]).warning?.hasPrefix(Content.partWarning) ?? false) == (more > 0))
        let target = try folder.write([], as: "target.pdf")
        let result = try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { annotated in
            for var record in records {
                let (member, value) = record.id == records[0].id ? limit.edit : ("text", "edited")
                record.content = record.content.changing { $0[member] = value }
                let isHeld = try annotated.add(record)
                #expect(isHeld)
            }
        }
        let after = try await tools.annotations(of: target).records
        #expect(after[1].content["text"] == "edited", "one that cannot be written holds up no other")
        if more > 0 {
            #expect(result.unwritten.map(\.id) == [records[0].id])
            #expect(after[0] == records[0])
        } else {
            #expect(result.unwritten.isEmpty)
            #expect(after[0].content[limit.edit.0] == limit.edit.1)
        }
        // All of it is still there.
        let bytes = try [source, target].map { try Data(contentsOf: URL(filePath: $0)) }
        #expect(bytes[1].starts(with: bytes[0]))
    }

    private static let members: [(String, Int, @Sendable (Int) -> JSON)] = [
        ("pspdfkit/ink lines", 10_000, { ["points": .array([.array(points($0 / 2)), .array(points($0 - $0 / 2))])] }),
        ("pspdfkit/shape/polygon points", 10_000, { .array(points($0)) }),
        ("pspdfkit/markup/underline rects", 2_500, { .array(Array(repeating: [1, 2, 3, 4], count: $0)) }),
        ("pspdfkit/note text", 100_000, { .string(letters($0)) }),
        ("pspdfkit/note creatorName", 1_000, { .string(letters($0)) }),
        ("pspdfkit/note subject", 1_000, { .string(letters($0)) }),
        ("pspdfkit/shape/rectangle strokeDashArray", 16, { .array(Array(repeating: 2, count: $0)) }),
    ]

    private static func points(_ count: Int) -> [JSON] { (0..<count).map { [.number(JSONNumber(Int64($0 % 50))), 7] } }

    /// A record may have more than a file that this program reads again.
    @Test(arguments: 0..<7, [-1, 0, 1])
    func aPartOfANewRecordIsNotWritten(_ number: Int, _ more: Int) async throws {
        let (names, most, value) = Self.members[number]
        let words = names.split(separator: " ").map(String.init)
        var object = JSONObject()
        object["v"] = 1
        object["type"] = .string(words[0])
        object["pageIndex"] = 0
        object["bbox"] = [10, 10, 50, 50]
        object[words[1]] = value(most + more)
        let folder = try Folder()
        let source = try folder.write(SmallPDF(annotations: []).bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        let record = Record(id: "new", content: Content(object))
        let result = try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { annotated in
            let isHeld = try annotated.add(record)
            #expect(isHeld)
            try annotated.add(
                Record(id: "reply", content: .comment(.plain("so?"), under: "new", record.content)), under: record)
        }
        let after = try await tools.annotations(of: target).records
        if more > 0 {
            #expect(after.isEmpty && result.unwritten.map(\.id) == ["new", "reply"])
        } else {
            #expect(after.count == 2 && result.unwritten.isEmpty)
        }
    }

    @Test func aPartOfAnotherFilesAnnotationIsNotWritten() async throws {
        let folder = try Folder()
        let annotation = "<</Type/Annot/Subtype/Ink/InkList[[\(Self.numbers(20_002))]]/Rect[90 90 190 190]>>"
        let other = try folder.write(SmallPDF(annotations: [annotation]).bytes, as: "other.pdf")
        var record = try #require(try await tools.annotations(of: other).records.first)
        record.id = "copied"
        let source = try folder.write(SmallPDF(annotations: []).bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        let copied = record
        let result = try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { annotated in
            try annotated.add(copied)
        }
        #expect(result.unwritten == [Unwritten(id: "copied", reason: .readInPart("more than 10,000 points"))])
        let after = try await tools.annotations(of: target).records
        #expect(after.isEmpty)
    }
}

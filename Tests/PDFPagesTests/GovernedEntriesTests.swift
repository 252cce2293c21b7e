import Annotations
import Foundation
import TestSupport
import Testing

@testable import PDFPages

/// An edit of a record changes the entries that its members govern, and leaves the rest of the dictionary alone.
@Suite("Members of a record govern entries of a dictionary", .inTurns)
struct GovernedEntriesTests {
    /// The dictionary of an annotation, read by qpdf, with its record.
    private func read(_ source: String) async throws -> (PDFDictionary, Content) {
        let folder = try Folder()
        let path = try folder.write(SmallPDF(annotations: ["<</Type/Annot\(source)>>"]).bytes)
        let dump = try await PDFTools().dump(of: path)
        let record = try #require(try await PDFTools().annotations(of: path).records.first)
        return (try #require(PDFDictionary(.reference(ObjectID(number: 6)), in: dump)), record.content)
    }

    private func merge(_ old: PDFDictionary, _ before: Content, _ after: Content) throws -> AnnotationMerge {
        let frame = PageFrame(width: 612, height: 792)
        return try #require(AnnotationMerge(old, from: before, to: after, on: frame, pageCount: 1))
    }

    private func changes(
        _ source: String, _ change: (inout JSONObject) -> Void
    ) async throws -> [String: PDFObject?] {
        let (old, before) = try await read(source)
        return try merge(old, before, before.changing(change)).entries
    }

    /// Another value for each member that a record can have.
    private static let others: [String: JSON] = [
        "bbox": [11, 22, 33, 44], "opacity": 0.25, "blendMode": "screen", "creatorName": "someone else",
        "createdAt": "2001-02-03T04:05:06.000Z", "updatedAt": "2001-02-03T04:05:07.000Z", "name": "another",
        "subject": "another subject", "flags": ["locked"], "note": "another note", "text": "another text",
        "color": "#123456", "rects": [[1, 2, 3, 4]], "icon": "star", "stampType": "Void", "title": "another title",
        "subtitle": "another", "imageAttachmentId": "x", "rotation": 180, "font": "Courier", "fontSize": 33,
        "fontColor": "#654321", "fontStyle": ["bold", "italic"], "horizontalAlign": "right", "verticalAlign": "bottom",
        "backgroundColor": "#abcdef", "borderWidth": 7, "borderColor": "#fedcba",
        "action": ["type": "uri", "uri": "https://example.org/"], "strokeColor": "#101010", "fillColor": "#202020",
        "lineWidth": 9, "strokeWidth": 8, "strokeDashArray": [7, 6], "cloudyBorderIntensity": 2,
        "lineCaps": ["start": "diamond", "end": "butt"],
        "lines": ["points": [[[5, 6], [7, 8]]], "intensities": [[0.5, 0.5]]], "startPoint": [3, 4],
        "endPoint": [5, 7], "outlineColor": "#112233", "overlayText": "removed", "repeatOverlayText": true,
        "points": [[9, 8], [7, 6], [5, 4]], "cloudyBorderInset": [1, 2, 3, 4],
        "callout": [
            "start": [5, 90], "knee": [10, 85], "end": [20, 80], "cap": "openArrow", "innerRectInset": [20, 1, 2, 3],
        ],
    ]

    /// The rules cover every member that reading a file gives, so an edit of none is lost without a word.
    @Test(arguments: AnnotationKindTests.kinds.map(\.0)) func everyMemberIsGoverned(_ source: String) async throws {
        let (_, content) = try await read(source)
        let rules = GovernedEntries.rules(for: AnnotationKind(type: content["type"]?.string ?? ""))
        let governed = Set(rules.map(\.member))
        // Where an annotation is, and what a PDF says about ink in no place.
        let others: Set = [
            "v", "type", "pageIndex", "pdfObjectId", "postilla", "isDrawnNaturally",
            // Of a field or a file, not of its annotation.
            "formFieldName", "fileName", "fileSize", "description",
        ]
        for member in content.object.members where !others.contains(member.key) {
            #expect(governed.contains(member.key), "\(member.key)")
        }
    }

    @Test(arguments: AnnotationKindTests.kinds.map(\.0))
    func eachMemberChangesItsOwnEntriesAndArrives(_ source: String) async throws {
        let (old, before) = try await read(source)
        let rules = GovernedEntries.rules(for: AnnotationKind(type: before["type"]?.string ?? ""))
        for rule in rules {
            var value = try #require(Self.others[rule.member], "\(rule.member)")
            if rule.member == "icon", before["type"] == "postilla/file" { value = "graph" }
            if rule.member == "repeatOverlayText", before[rule.member] == true { continue }
            let merge = try merge(old, before, before.changing { $0[rule.member] = value })
            let changed = Set(merge.entries.filter { old.entries[$0.key] != $0.value }.keys)
            let own = Set(rule.keys.map { String($0.split(separator: "/")[0]) })
            #expect(changed.isSubset(of: own), "\(rule.member) changes \(changed)")
            #expect(merge.isDrawn == rule.isDrawn || merge.isEmpty, "\(rule.member)")
            // A stamp with a name of the standard has no title.
            guard !rule.keys.isEmpty, rule.member != "title" else { continue }
            #expect(!changed.isEmpty, "\(rule.member) changes nothing")
            let expected = merge.expected(box: nil)
            #expect(expected[rule.member]?.text == value.text, "\(rule.member) is not written")
        }
    }

    /// A record that another program wrote again, with other spellings of the same values, is not an edit.
    @Test(arguments: AnnotationKindTests.kinds.map(\.0)) func otherSpellingsAreNoEdits(_ source: String) async throws {
        let (old, before) = try await read(source)
        let again = before.changing { json in
            json["customData"] = ["k": 1]
            json["opacity"] = json["opacity"] == 1 ? nil : .number(JSONNumber(json["opacity"]!.double! + 0.000_01))
            for key in ["color", "fontColor", "strokeColor"] {
                if let color = json[key]?.string { json[key] = .string(color.uppercased()) }
            }
            for key in ["createdAt", "updatedAt"] {
                if let date = json[key]?.string { json[key] = .string(date.replacing(".000Z", with: "Z")) }
            }
            for key in ["text", "note"] {
                if let text = json[key]?.string { json[key] = ["format": "plain", "value": .string(text)] }
            }
        }
        #expect(try merge(old, before, again).isEmpty)
    }

    // MARK: Entries that are changed in part

    @Test func aBorderKeepsItsStyleAndItsDashes() async throws {
        let frame = "/Subtype/Square/Rect[0 700 90 720]"
        let underlined = try await changes(frame + "/BS<</S/U/W 1/X 1>>") { $0["strokeWidth"] = 4 }
        #expect(underlined["BS"] == .dictionary(["S": .name("U"), "W": .number(4), "X": .number(1)]))
        let old = try await changes(frame + "/Border[0 0 1[3 2]]") { $0["strokeWidth"] = 4 }
        #expect(old["BS"] == .dictionary(["S": .name("D"), "D": .array([.number(3), .number(2)]), "W": .number(4)]))
        let solid = try await changes(frame + "/BS<</S/D/D[4 2]/W 2>>") { $0["strokeDashArray"] = nil }
        #expect(solid["BS"] == .dictionary(["W": .number(2)]))
    }

    @Test func flagsWithoutANameStay() async throws {
        let entries = try await changes("/Subtype/Square/Rect[0 700 90 720]/F 4100") { $0["flags"] = ["hidden"] }
        #expect(entries == ["F": .number(4102)])
    }

    @Test(arguments: [
        ("fontSize", JSON(20), "0 0 1 rg 5 Ts /F#201 20 Tf"), ("fontColor", "#ff0000", "1 0 0 rg 5 Ts /F#201 9.5 Tf"),
        ("font", "Courier", "0 0 1 rg 5 Ts /Courier 9.5 Tf"),
    ])
    func aDefaultAppearanceKeepsItsOtherOperators(_ member: String, _ value: JSON, _ expected: String) async throws {
        let source = "/Subtype/FreeText/Rect[0 700 90 720]/DA(0 0 1 rg /F#201 9.5 Tf 5 Ts)/DS(x)/RC(y)"
        let entries = try await changes(source) { $0[member] = value }
        let words = entries["DA"]??.string.map { Set($0.split(separator: " ")) }
        #expect(words == Set(expected.split(separator: " ")))
        #expect(entries["DS"]??.string?.hasPrefix("font: ") == true && entries["RC"] == .some(nil))
    }

    @Test func aCalloutsLineMovesWithItsText() async throws {
        let source = "/Subtype/FreeText/Rect[10 700 90 720]/CL[5 600 8 650 10 700]/RD[1 1 1 1]/IT/FreeTextCallout"
        // A record of an earlier version does not say where the line is.
        let entries = try await changes(source) {
            $0["callout"] = nil
            $0["bbox"] = [15, 62, 80, 20]
        }
        #expect(entries["Rect"] == .numbers([15, 710, 95, 730]))
        #expect(entries["CL"] == .numbers([10, 610, 13, 660, 15, 710]))
        #expect(Set(entries.keys) == ["Rect", "CL"])
    }

    @Test func anotherKindTakesItsOwnEntriesWithIt() async throws {
        let source = "/Subtype/Underline/Rect[0 700 9 709]/QuadPoints[0 709 9 709 0 700 9 700]/C[1 0 0]/X(kept)"
        let entries = try await changes(source) {
            $0["type"] = "pspdfkit/note"
            $0["text"] = "now a note"
        }
        #expect(entries["Subtype"] == .name("Text"))
        #expect(entries["QuadPoints"] == .some(nil))
        #expect(entries["Contents"] == .string("now a note"))
        #expect(entries["X"] == nil)
    }

    // MARK: The documentation

    /// `docs/pdf-annotations.md` is generated from the rules.
    @Test func theTableInTheDocumentationIsTheTable() throws {
        var text = """
            # Records and PDF annotations

            This page is generated by `GovernedEntriesTests` (`RECORD_SNAPSHOTS=1 swift test --filter \
            GovernedEntriesTests`).

            A member of a record governs entries of the annotation's dictionary. When a PDF is exported, an edit changes \
            the entries of the members that it changed, and no others. The appearance (`AP`) is replaced only if a \
            member that is drawn changed. Members that are not listed have no place in a PDF.

            | member | kinds | entries | drawn |
            |---|---|---|---|

            """
        for rule in GovernedEntries.all {
            let kinds = rule.kinds.map { $0.map(\.name).sorted().joined(separator: ", ") } ?? "all"
            let keys = rule.keys.map { "`\($0)`" }.joined(separator: " ")
            text += "| `\(rule.member)` | \(kinds) | \(keys.isEmpty ? "–" : keys) | \(rule.isDrawn ? "yes" : "no") |\n"
        }
        if Repository.isRecording { try Repository.write(text, to: "docs/pdf-annotations.md") }
        #expect(try Repository.text("docs/pdf-annotations.md") == text)
    }
}

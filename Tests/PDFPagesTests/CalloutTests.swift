import Annotations
import TestSupport
import Testing

@testable import PDFPages

/// The line of a free text and the margins of an annotation are members of its record.
@Suite("Call-outs and margins", .inTurns) struct CalloutTests {
    private static let callout =
        ##""callout":{"start":[20,150],"knee":[40,120],"end":[60,110],"cap":"openArrow","innerRectInset":[50,0,0,60]}"##
    private static let text =
        ##"{"v":1,"type":"pspdfkit/text","pageIndex":0,"bbox":[10,100,200,70],"text":"here","fontSize":12,"fontColor":"#000000","borderWidth":1,\##(callout)}"##

    private func read(_ source: String, rotate: Int = 0) async throws -> (PDFDictionary, Content, PageFrame) {
        let folder = try Folder()
        let pdf = SmallPDF(
            annotations: ["<</Type/Annot\(source)>>"], entries: "/MediaBox[0 0 612 792]/Rotate \(rotate)")
        let path = try folder.write(pdf.bytes)
        let dump = try await PDFTools().dump(of: path)
        let found = try await PDFTools().annotations(of: path)
        let dictionary = try #require(PDFDictionary(.reference(ObjectID(number: 6)), in: dump))
        return (dictionary, try #require(found.records.first).content, found.frames[0])
    }

    @Test(arguments: 0..<4) func aNewCalloutIsWrittenAndReadBack(turns: Int) throws {
        let frame = PageFrame(left: 7, bottom: 9, width: 612, height: 792, turns: turns, unit: 2)
        let content = try Content(Self.text)
        let entries = try #require(PDFAnnotation(content, on: frame)).entries
        #expect(entries["IT"] == .name("FreeTextCallout"))
        #expect(entries["CL"]?.array?.count == 6 && entries["LE"] == .name("OpenArrow"))
        let read = PDFAnnotation(entries: entries).content(onPage: 0, frame, pageCount: 1).0
        #expect(read["callout"] == content["callout"])
        #expect(read["bbox"] == content["bbox"])
    }

    /// A file has one rectangle around text and line.
    @Test func aLineOutsideTheBoxMakesTheRectangleLarger() throws {
        let frame = PageFrame(width: 612, height: 792)
        let content = try Content(Self.text).changing {
            $0["callout"] = ["start": [300, 50], "end": [210, 110], "innerRectInset": [0, 0, 0, 0]]
        }
        let entries = try #require(PDFAnnotation(content, on: frame)).entries
        let read = PDFAnnotation(entries: entries).content(onPage: 0, frame, pageCount: 1).0
        #expect(read["bbox"] == [10, 45.5, 294.5, 124.5])
        #expect(read["callout"]?["innerRectInset"] == [0, 54.5, 94.5, 0])
        let again = try #require(PDFAnnotation(read, on: frame)).entries
        #expect(["Rect", "RD", "CL"].allSatisfy { again[$0] == entries[$0] })
        let drawn = try #require(AppearanceWriter(content, on: frame)?.appearance())
        #expect(drawn.place == Rect(json: read["bbox"]!))
        #expect(drawn.stream.contains("290 120 m"))
    }

    @Test(arguments: [
        ##"{"start":[1,2]}"##, ##"{"start":[1,2],"end":"x"}"##, "7", "null", ##"{"start":[1,2],"knee":7,"end":[3,4]}"##,
        ##"{"start":[1,2],"end":[3,4],"innerRectInset":[-1,900,"x",3]}"##,
        ##"{"start":[1e300,-1e300],"end":[3,4],"innerRectInset":[900,900,900,900]}"##,
    ])
    func hostileCalloutsAreHarmless(_ callout: String) throws {
        let frame = PageFrame(width: 612, height: 792)
        let content = try Content(Self.text).changing { $0["callout"] = try? JSON(parsing: callout) }
        let entries = try #require(PDFAnnotation(content, on: frame)).entries
        let rect = (entries["Rect"]?.array ?? []).compactMap(\.number)
        #expect(rect.count == 4 && rect.allSatisfy { abs($0) <= 1_000_000 })
        #expect(AppearanceWriter(content, on: frame)?.appearance() != nil)
    }

    private static let file = """
        /Subtype/FreeText/Rect[10 622 210 692]/Contents(here)/DA(0 g /Helv 12 Tf)/IT/FreeTextCallout\
        /CL[20 642 40 672 60 682]/LE/OpenArrow/RD[50 0 0 60]/Kept true
        """

    @Test func aCalloutOfAFileIsAMemberOfItsRecord() async throws {
        let (old, content, frame) = try await read(Self.file)
        #expect(content["callout"] == (try Content(Self.text))["callout"])
        let moved = content.changing {
            $0["callout"] = ["start": [30, 160], "end": [60, 110], "innerRectInset": [50, 0, 0, 60]]
        }
        let merge = try #require(AnnotationMerge(old, from: content, to: moved, on: frame, pageCount: 1))
        #expect(merge.entries["CL"] == .numbers([30, 632, 60, 682]) && merge.entries["LE"] == .some(nil))
        #expect(Set(merge.entries.keys) == ["CL", "LE", "RD", "IT"] && merge.isDrawn)
        let plain = content.changing { $0["callout"] = .null }
        let none = try #require(AnnotationMerge(old, from: content, to: plain, on: frame, pageCount: 1)).entries
        #expect(Set(none.keys) == ["CL", "LE", "RD", "IT"] && none.values.allSatisfy { $0 == nil })
    }

    /// Earlier versions did not read call-outs.
    @Test func aRecordWithoutTheMemberLeavesTheLine() async throws {
        let (old, content, frame) = try await read(Self.file)
        let edited = content.changing {
            $0["callout"] = nil
            $0["subject"] = "new"
        }
        let merge = try #require(AnnotationMerge(old, from: content, to: edited, on: frame, pageCount: 1))
        #expect(Set(merge.entries.keys) == ["Subj"])
    }

    @Test(arguments: [0, 90, 180, 270]) func marginsOfACloudSurvive(rotate: Int) async throws {
        let source = "/Subtype/Square/Rect[10 600 210 700]/RD[1 2 3 4]/BE<</S/C/I 1>>/C[1 0 0]"
        let (old, content, frame) = try await read(source, rotate: rotate)
        let turned = [0: [1, 2, 3, 4], 90: [4, 1, 2, 3], 180: [3, 4, 1, 2], 270: [2, 3, 4, 1]] as [Int: JSON]
        #expect(content["cloudyBorderInset"] == turned[rotate])
        #expect(try #require(PDFAnnotation(content, on: frame)).entries["RD"] == .numbers([1, 2, 3, 4]))
        let edited = content.changing { $0["cloudyBorderInset"] = [5, 5, 5, 5] }
        let merge = try #require(AnnotationMerge(old, from: content, to: edited, on: frame, pageCount: 1))
        #expect(merge.entries == ["RD": .numbers([5, 5, 5, 5])])
    }

    @Test func thePressureOfInkSurvives() throws {
        let frame = PageFrame(width: 612, height: 792)
        let content = try Content(
            ##"{"type":"pspdfkit/ink","pageIndex":0,"bbox":[1,1,9,9],"lines":{"points":[[[1,1],[2,2]],[[3,3]]],"intensities":[[0.25,1],[0.75]]}}"##
        )
        let entries = try #require(PDFAnnotation(content, on: frame)).entries
        let read = PDFAnnotation(entries: entries).content(onPage: 0, frame, pageCount: 1).0
        #expect(read["lines"] == content["lines"])
        // Another program has changed the strokes.
        var other = entries
        other["InkList"] = .array([.numbers([1, 791])])
        let changed = PDFAnnotation(entries: other).content(onPage: 0, frame, pageCount: 1).0
        #expect(changed["lines"]?["intensities"] == [[0.5]])
        // Usual values need no entry.
        let usual = content.changing { $0["lines"] = ["points": [[[1, 1]]], "intensities": [[0.5]]] }
        #expect(try #require(PDFAnnotation(usual, on: frame)).entries[AnnotationNames.intensities] == nil)
    }
}

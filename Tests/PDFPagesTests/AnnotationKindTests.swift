import Annotations
import TestSupport
import Testing

@testable import PDFPages

@Suite("A PDF's annotations become records", .inTurns)
struct AnnotationKindTests {
    /// The annotation in a PDF, and required members of its content, on a page of 612 by 792 points.
    static let kinds: [(String, String)] = [
        (
            "/Subtype/Highlight/Rect[100 690 200 712]/QuadPoints[100 712 200 712 100 700 200 700 50 698 90 698 50 690 90 690]"
                + "/C[1 1 0]/CA 0.5/Contents(why?)/T(ana)",
            ##""type":"pspdfkit/markup/highlight","bbox":[100,80,100,22],"color":"#ffff00","opacity":0.5,"blendMode":"multiply","note":"why?","creatorName":"ana","rects":[[100,80,100,12],[50,94,40,8]]"##
        ),
        (
            "/Subtype/Underline/Rect[10 700 20 712]/QuadPoints[10 712 20 712 10 700 20 700]/C[0 0 1]",
            ##""type":"pspdfkit/markup/underline","rects":[[10,80,10,12]],"color":"#0000ff""##
        ),
        (
            "/Subtype/StrikeOut/Rect[10 700 20 712]/QuadPoints[10 712 20 712 10 700 20 700]/C[0 1 1 0]",
            ##""type":"pspdfkit/markup/strikeout","rects":[[10,80,10,12]],"color":"#ff0000""##
        ),
        (
            "/Subtype/Squiggly/Rect[10 700 20 712]/QuadPoints[10 712 20 712 10 700 20 700]/C[.5]",
            ##""type":"pspdfkit/markup/squiggly","rects":[[10,80,10,12]],"color":"#808080""##
        ),
        (
            "/Subtype/Text/Rect[20 720 0 700]/Contents(one\\r\\ntwo\\rthree)/Name/Help/NM(n-1)/F 28"
                + "/CreationDate(D:20240625182216-07'00')/M(D:2024)",
            ##""type":"pspdfkit/note","bbox":[0,72,20,20],"text":"one\ntwo\nthree","icon":"help","name":"n-1","flags":["noZoom","noRotate"],"createdAt":"2024-06-26T01:22:16.000Z","updatedAt":"2024-01-01T00:00:00.000Z""##
        ),
        ("/Subtype/Text/Rect[0 700 20 720]", ##""type":"pspdfkit/note","text":"","icon":"note","opacity":1"##),
        (
            "/Subtype/FreeText/Rect[0 700 90 720]/Contents<FEFF00E400620063>/DA(0 0 1 rg /Helv 9.5 Tf)/Q 1/BS<</W 0>>",
            "\"type\":\"pspdfkit/text\",\"text\":\"\u{e4}bc\",\"fontSize\":9.5,\"font\":\"Helv\",\"fontColor\":\"#0000ff\",\"horizontalAlign\":\"center\",\"borderWidth\":0"
        ),
        (
            "/Subtype/FreeText/Rect[0 700 90 720]/Contents(x)/DA(0 g /Helv 12 Tf)/DS(font: bold Helvetica,sans-serif 9.5pt; text-align:left; color:#FF0000 )",
            ##""type":"pspdfkit/text","text":"x","fontSize":9.5,"font":"Helv","fontColor":"#ff0000","fontStyle":["bold"]"##
        ),
        (
            "/Subtype/FreeText/Rect[0 700 90 720]/Contents(x)/DA(0 g /Helv 12 Tf)/RC(<body><p><span style=\"font-size:8pt;color:#00ff00;font-style:italic\">x</span></p></body>)",
            ##""type":"pspdfkit/text","fontSize":8,"fontColor":"#00ff00","fontStyle":["italic"]"##
        ),
        (
            "/Subtype/FreeText/Rect[0 700 90 720]/Contents(a b)/DA(0 g /Helv 12 Tf)/RC(<body><p>a <b style=\"color:#00ff00\">b</b></p></body>)",
            ##""type":"pspdfkit/text","fontSize":12,"fontColor":"#000000""##
        ),
        (
            "/Subtype/Ink/Rect[0 700 9 720]/InkList[[1 791 2 790.5][3 789 4 788]]/C[1 0 0]/BS<</W 2.5>>",
            ##""type":"pspdfkit/ink","lines":{"points":[[[1,1],[2,1.5]],[[3,3],[4,4]]],"intensities":[[0.5,0.5],[0.5,0.5]]},"lineWidth":2.5,"strokeColor":"#ff0000","isDrawnNaturally":false"##
        ),
        (
            "/Subtype/Line/Rect[0 700 90 720]/L[1 702 80 712]/LE[/None/OpenArrow]/Border[0 0 3]/IC[1]",
            ##""type":"pspdfkit/shape/line","startPoint":[1,90],"endPoint":[80,80],"lineCaps":{"end":"openArrow"},"strokeWidth":3,"fillColor":"#ffffff""##
        ),
        (
            "/Subtype/Square/Rect[0 700 90 720]/C[0 .5 0]/BS<</S/D/W 1/D[4 2]>>/BE<</S/C/I 1>>",
            ##""type":"pspdfkit/shape/rectangle","strokeColor":"#008000","strokeWidth":1,"strokeDashArray":[4,2],"cloudyBorderIntensity":1"##
        ),
        ("/Subtype/Circle/Rect[0 700 90 720]/IC[]", ##""type":"pspdfkit/shape/ellipse","strokeWidth":1"##),
        (
            "/Subtype/Polygon/Rect[0 700 90 720]/Vertices[1 791 5 791 5 780]",
            ##""type":"pspdfkit/shape/polygon","points":[[1,1],[5,1],[5,12]]"##
        ),
        (
            "/Subtype/Polygon/Rect[0 700 90 720]/Vertices[1 791 5 791 5 780]/BE<</S/C/I 1.5>>",
            ##""type":"pspdfkit/shape/polygon","cloudyBorderIntensity":1.5"##
        ),
        (
            "/Subtype/Stamp/Rect[0 700 90 720]", ##""type":"pspdfkit/stamp","stampType":"Custom""##
        ),
        (
            "/Subtype/PolyLine/Rect[0 700 90 720]/Vertices[1 791 5 791]/LE[/Circle/Slash]",
            ##""type":"pspdfkit/shape/polyline","points":[[1,1],[5,1]],"lineCaps":{"start":"circle","end":"slash"}"##
        ),
        (
            "/Subtype/Stamp/Rect[0 700 90 720]/Name/Approved/Contents(by ana)",
            ##""type":"pspdfkit/stamp","stampType":"Approved","note":"by ana""##
        ),
        (
            "/Subtype/Stamp/Rect[0 700 90 720]/Name/#20Blue#20one",
            ##""type":"pspdfkit/stamp","stampType":"Custom","title":" Blue one""##
        ),
        (
            "/Subtype/Link/Rect[0 700 90 720]/A<</S/URI/URI(https://example.com/?a=b)>>/Border[0 0 0]",
            ##""type":"pspdfkit/link","action":{"type":"uri","uri":"https://example.com/?a=b"},"borderWidth":0"##
        ),
        (
            "/Subtype/Link/Rect[0 700 90 720]/Dest[4 0 R/Fit]",
            ##""type":"pspdfkit/link","action":{"type":"goTo","pageIndex":0}"##
        ),
        (
            "/Subtype/Caret/Rect[0 700 90 720]/Contents(insert)/T(ben)/Subj(Inserted)/C[0 0 1]",
            ##""type":"postilla/caret","note":"insert","creatorName":"ben","subject":"Inserted","color":"#0000ff""##
        ),
        (
            "/Subtype/Widget/FT/Tx/Rect[0 700 90 720]/T(field.name)",
            ##""type":"pspdfkit/widget","formFieldName":"field.name","postilla":{"fieldType":"text"}"##
        ),
        (
            "/Subtype/FileAttachment/Rect[0 700 90 720]/Contents(see this)/Name/Tag/FS<</F(a.txt)/UF<FEFF00E4>/Desc(old)/EF<</F 5 0 R>>>>",
            "\"type\":\"postilla/file\",\"note\":\"see this\",\"icon\":\"tag\",\"fileName\":\"\u{e4}\",\"description\":\"old\""
        ),
        (
            "/Subtype/Redact/Rect[0 700 90 720]/QuadPoints[10 712 20 712 10 700 20 700]/C[1 0 0]/IC[0 0 0]/OverlayText(gone)/Repeat true",
            ##""type":"pspdfkit/markup/redaction","rects":[[10,80,10,12]],"outlineColor":"#ff0000","fillColor":"#000000","overlayText":"gone","repeatOverlayText":true"##
        ),
        (
            "/Subtype/Hologram/Rect[0 700 90 720]/Contents(x)",
            ##""type":"pspdfkit/unknown","note":"x","postilla":{"pdfSubtype":"Hologram"}"##
        ),
    ]

    @Test("Each kind", arguments: kinds)
    func kind(source: String, expected: String) async throws {
        let base = try await read(["<</Type/Annot\(source)>>"])
        #expect(base.warnings.isEmpty)
        let record = try #require(base.records.first)
        #expect(record.id == "6")
        #expect(record.createdBy == nil && record.group == nil)
        let content = record.content.object
        let members = try #require(try JSON(parsing: "{\(expected)}").object)
        for member in members.members {
            #expect(content[member.key]?.text == member.value.text, "\(member.key)")
        }
        #expect(content["v"] == 1 && content["pageIndex"] == 0 && content["pdfObjectId"] == 6)
        #expect(content.members.allSatisfy { !$0.value.isNull })
        if content["type"] == "pspdfkit/widget" { #expect(content["creatorName"]?.string != "field.name") }
    }

    /// The annotation, its warning, and members that are preserved.
    static let defects: [(String, String, String)] = [
        (
            "/Subtype/Highlight/Rect[10 700 20 712]/Contents(x)", "no text position stored",
            ##""rects":[[10,80,10,12]],"note":"x""##
        ),
        (
            "/Subtype/Highlight/Rect[10 700 20 712]/QuadPoints[1 2 3]",
            "incomplete QuadPoints; no text position stored", ##""rects":[[10,80,10,12]]"##
        ),
        (
            "/Subtype/Highlight/QuadPoints[10 712 20 712 10 700 20 700]", "no box",
            ##""rects":[[10,80,10,12]],"bbox":[10,80,10,12]"##
        ),
        ("/Subtype/Highlight", "no box; no text position stored", ##""rects":[]"##),
        ("/Subtype/Text/Rect[1 2 3]/Contents(kept)", "no box", ##""text":"kept""##),
        ("/Subtype/Text/Rect[1 2 3/x]/Contents(kept)", "no box", ##""text":"kept""##),
        ("/Subtype/Ink/Rect[10 700 20 712]", "no strokes", ##""lines":{"points":[],"intensities":[]}"##),
        (
            "/Subtype/Ink/InkList[[1 791 2 790]7[3 789(x)]]",
            "read in part: a stroke that cannot be read; no box; a stroke cannot be read; a stroke is incomplete",
            ##""lines":{"points":[[[1,1],[2,2]],[[3,3]]],"intensities":[[0.5,0.5],[0.5]]},"bbox":[1,1,2,2]"##
        ),
        (
            "/Subtype/Line/Rect[10 700 20 712]/L[1 2]", "no end points",
            ##""type":"pspdfkit/shape/line""##
        ),
        ("/Subtype/Polygon/Rect[10 700 20 712]", "no corners", ##""points":[]"##),
        ("/Subtype/Link/Rect[10 700 20 712]", "no readable target", ##""type":"pspdfkit/link""##),
        (
            "/Subtype/Link/Rect[10 700 20 712]/A<</S/JavaScript/JS(app.alert\\(1\\))>>",
            "no readable target", ##""type":"pspdfkit/link""##
        ),
        (
            "/Subtype/Link/Rect[10 700 20 712]/Dest[99 0 R/Fit]", "no readable target",
            ##""type":"pspdfkit/link""##
        ),
        (
            "/Subtype/Link/Rect[10 700 20 712]/Dest(nowhere)", "no readable target",
            ##""type":"pspdfkit/link""##
        ),
        (
            "/Subtype/FileAttachment/Rect[10 700 20 712]/FS(outside.txt)", "no file stored",
            ##""type":"postilla/file","fileName":"outside.txt""##
        ),
        (
            "/Rect[10 700 20 712]/Contents(kept)", "no kind stored",
            ##""type":"pspdfkit/unknown","note":"kept""##
        ),
    ]

    @Test("An incomplete annotation is kept as far as it can be read, with a warning", arguments: defects)
    func defect(source: String, warning: String, kept: String) async throws {
        let base = try await read(["<</Type/Annot\(source)>>"])
        let record = try #require(base.records.first)
        #expect(Annotation(record).warning == warning)
        #expect(base.warnings.allSatisfy { $0.record == "6" && $0.pageIndex == 0 })
        #expect(base.warnings.map(\.text).joined(separator: "; ") == warning)
        #expect(record.content["bbox"].flatMap(Rect.init(json:)) != nil, "an importer demands a box")
        let members = try #require(try JSON(parsing: "{\(kept)}").object)
        for member in members.members {
            #expect(record.content[member.key]?.text == member.value.text, "\(member.key)")
        }
    }

    private func read(_ annotations: [String]) async throws -> BaseAnnotations {
        let folder = try Folder()
        return try await PDFTools().annotations(of: folder.write(SmallPDF(annotations: annotations).bytes))
    }
}

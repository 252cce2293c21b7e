import Annotations
import TestSupport
import Testing

@testable import PDFPages

@Suite("Records become a PDF's annotations", .inTurns)
struct AnnotationWriterTests {
    static let frames = [
        PageFrame(width: 612, height: 792), PageFrame(left: 20, bottom: 30, width: 500, height: 700, turns: 1),
        PageFrame(left: -5, bottom: 0, width: 500, height: 700, turns: 3),
    ]

    /// Everything that the reader reads, the writer writes: each kind survives a round trip on any page. The name of a
    /// file is written with the file.
    @Test(
        arguments: AnnotationKindTests.kinds.map(\.0).filter {
            !$0.contains("Widget") && !$0.contains("FileAttachment")
        },
        frames)
    func whatIsReadIsWritten(source: String, frame: PageFrame) async throws {
        let folder = try Folder()
        let path = try folder.write(SmallPDF(annotations: ["<</Type/Annot\(source)>>"]).bytes)
        let record = try #require(try await PDFTools().annotations(of: path).records.first)
        let content = record.content.changing { $0["pdfObjectId"] = nil }
        let annotation = try #require(PDFAnnotation(content, on: frame))
        let (again, defects) = annotation.content(onPage: 0, frame, pageCount: 1)
        #expect(defects.filter { $0 != PDFAnnotation.noFile } == [])
        #expect(again == content)
    }

    @Test(arguments: [
        #"{"type":"pspdfkit/comment","rootId":"a","text":"x"}"#, #"{"type":"made/up"}"#, "{}",
        #"{"type":"pspdfkit/unknown","postilla":{"pdfSubtype":"Widget"}}"#,
    ])
    func whatIsNoAnnotationIsNotWritten(_ text: String) throws {
        #expect(PDFAnnotation(try Content(text), on: Self.frames[0]) == nil)
    }

    /// A hostile record yields a valid dictionary.
    @Test func numbersAreNumbersOfAPDF() throws {
        let content = try Content(
            ##"{"type":"pspdfkit/ink","bbox":[1e300,-1e300,1e-300,5],"lineWidth":-1e99,"opacity":-7,"lines":{"points":[[[1e300,1e-9],"x",[1]]]},"strokeColor":"#zzzzzz"}"##
        )
        let entries = try #require(PDFAnnotation(content, on: Self.frames[0])).entries
        #expect(entries["Rect"]?.array?.compactMap(\.number).allSatisfy { abs($0) <= 1_000_000 } == true)
        #expect(entries["InkList"] == .array([.numbers([1_000_000, 792])]))
        #expect(entries["BS"]?.dictionary?["W"] == .number(0))
        #expect(entries["CA"] == .number(0))
        #expect(entries["C"] == nil)
        #expect(Decimals.text(0.000_01) == "0")
        #expect(Decimals.text(-1e20) == "-1000000")
        #expect(Decimals.text(.nan) == "0")
    }

    @Test func namesAreNames() throws {
        let content = try Content(
            #"{"type":"pspdfkit/stamp","stampType":"Custom","title":"a#b/c(d) \u0000é 7","bbox":[0,0,1,1]}"#)
        #expect(PDFAnnotation(content, on: Self.frames[0])?.entries["Name"] == .name("abcd  7"))
    }

    @Test func aCommentStandsAtItsRoot() throws {
        let root = try Content(#"{"type":"pspdfkit/markup/highlight","pageIndex":0,"bbox":[100,80,50,10]}"#)
        let comment = Content.comment(.xhtml("<p>a <b>b</b></p>"), under: "r", root)
        let entries = PDFAnnotation(comment: comment, under: root, on: Self.frames[0]).entries
        #expect(entries["Subtype"] == .name("Text"))
        #expect(entries["Rect"] == .numbers([100, 680, 132, 712]))
        #expect(entries["Contents"]?.string?.contains("a b") == true)
    }

    // MARK: Links

    private func link(_ action: JSON) -> [String: PDFObject]? {
        let json: JSON = ["v": 1, "type": "pspdfkit/link", "pageIndex": 0, "bbox": [0, 0, 9, 9], "action": action]
        return json.object.flatMap { PDFAnnotation(Content($0), on: Self.frames[0])?.entries }
    }

    /// Addresses on the web and for mail, and places in the document.
    @Test func linksThatAreWritten() {
        for address in [
            "https://example.com/?a=b#c", "http://example.com", "HTTPS://EXAMPLE.COM", "mailto:a@example.com",
            "https://example.com/javascript:x", "https://münchen.example/ä",
        ] {
            let action = link(["type": "uri", "uri": .string(address)])?["A"]
            #expect(action == .dictionary(["S": .name("URI"), "URI": .string(address)]), "\(address)")
        }
        for name in ["nextPage", "prevPage", "firstPage", "lastPage"] {
            let action = link(["type": "named", "action": .string(name)])?["A"]
            let standard = name.prefix(1).uppercased() + name.dropFirst()
            #expect(action == .dictionary(["S": .name("Named"), "N": .name(standard)]), "\(name)")
        }
        #expect(link(["type": "goTo", "pageIndex": 3])?["Dest"] == .array([.number(3), .name("Fit")]))
    }

    /// Everything that starts a program, runs a script or opens another file, and spellings that hide it. The link
    /// itself is written, without a target.
    static let refused: [JSON] =
        [
            "javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
            "java\nscript:alert(1)", "\u{1}javascript:alert(1)", "javascript\u{200B}:alert(1)", "javascript :x",
            "\u{FEFF}https://example.com", " https://example.com", "https://example.com/\r\nx", "ht\ttps://example.com",
            "https\u{FF1A}//example.com", "file:///etc/passwd", "data:text/html,<script>", "vbscript:x", "ftp://x",
            "smb://x/y", "ms-msdt:x", "view-source:https://x", "//example.com", "example.com", "www.example.com", "",
            ":", "://", "https", "\u{FF48}ttps://x",
        ].map { ["type": "uri", "uri": .string($0)] } + [
            ["type": "launch", "filePath": "/bin/sh"], ["type": "launch", "filePath": "https://example.com"],
            ["type": "goToRemote", "relativePath": "other.pdf"], ["type": "goToEmbedded", "relativePath": "x"],
            ["type": "javaScript", "script": "app.alert(1)"], ["type": "submitForm", "uri": "https://example.com"],
            ["type": "importData", "uri": "https://example.com"], ["type": "resetForm"], ["type": "hide"],
            ["type": "named", "action": "print"], ["type": "named", "action": "Quit"], ["type": "named"],
            ["type": "named", "action": "nextpage"], ["type": "goTo", "pageIndex": -1],
            ["type": "URI", "uri": "https://x"],
            ["type": "uri"], ["type": "uri", "uri": 7], "https://example.com", .null, [],
            ["type": "launch", "uri": "https://example.com", "pageIndex": 1],
        ]

    @Test(arguments: refused) func linksThatAreNotWritten(_ action: JSON) throws {
        let entries = try #require(link(action))
        #expect(entries["Subtype"] == .name("Link"))
        #expect(entries["A"] == nil && entries["Dest"] == nil && entries["AA"] == nil)
    }
}

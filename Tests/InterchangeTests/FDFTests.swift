import Annotations
import Interchange
import PDFPages
import TestSupport
import Testing

@Suite("FDF")
struct FDFTests {
    private static let pages = [PageFrame(width: 600, height: 800), PageFrame(width: 600, height: 800)]

    private static func text(_ annotations: [String], more: String = "", trailer: String = "") -> [UInt8] {
        let list = annotations.indices.map { "\($0 + 2) 0 R" }.joined(separator: " ")
        var text = "%FDF-1.4\n%\u{e2}\n1 0 obj\n<</FDF <</F (paper.pdf) /Annots [\(list)] \(more)>> >>\nendobj\n"
        for (index, annotation) in annotations.enumerated() {
            text += "\(index + 2) 0 obj\n<<\(annotation)>>\nendobj\n"
        }
        return Array((text + "trailer\n<</Root 1 0 R \(trailer)>>\n%%EOF\n").utf8)
    }

    private func read(_ annotations: [String], more: String = "") throws -> FDFFile {
        try FDFFile(Self.text(annotations, more: more), pages: Self.pages)
    }

    @Test func annotationsAreRead() throws {
        let file = try read([
            "/Subtype/Highlight/Page 1/Rect[10 700 50 720]/QuadPoints[10 720 50 720 10 700 50 700]/NM(h)/C[1 1 0]/CA .5",
            #"/Subtype/Text/Page 0/Rect[0 0 20 20]/Contents(a \(b\)\n\303)/T<FEFF00450076>/Name/Key/NM(n)"#,
            "/Subtype/Ink/Page 0/Rect[0 0 9 9]/InkList 5 0 R/BS<</W 2.>>", "/Subtype/Popup/Page 0/Parent 2 0 R",
        ])
        #expect(file.problems.map(\.description) == ["fdf-\(file.annotations[2].id?.dropFirst(4) ?? ""): no strokes"])
        #expect(file.annotations.map(\.id).prefix(2) == ["h", "n"])
        let highlight = file.annotations[0].content
        #expect(highlight["type"] == "pspdfkit/markup/highlight" && highlight["pageIndex"] == 1)
        #expect(highlight["color"] == "#ffff00" && highlight["opacity"]?.double == 0.5)
        #expect(highlight["rects"]?.array?.first?.array?[1].double == 80)
        let note = file.annotations[1].content
        #expect(note["text"]?.string == "a (b)\nÃ" && note["creatorName"]?.string == "Ev" && note["icon"] == "key")
        #expect(note["name"] == nil, "the name is the id")
    }

    @Test func repliesAreThreads() throws {
        let file = try read([
            "/Subtype/Highlight/Page 0/Rect[0 0 9 9]/QuadPoints[0 9 9 9 0 0 9 0]/NM(h)",
            "/Subtype/Text/Page 0/Rect[0 0 9 9]/Contents(yes)/IRT 2 0 R",
            "/Subtype/Text/Page 0/Rect[0 0 9 9]/Contents(no)/IRT 3 0 R/NM(c)",
        ])
        #expect(file.annotations.map(\.id) == ["h"])
        #expect(file.comments.map { $0.content["rootId"] } == ["h", "h"])
        #expect(file.comments[1].id == "c")
        // An annotation without a name gets the same one each time.
        #expect(
            file.comments[0].id
                == (try read([
                    "/Subtype/Text/Page 0/Rect[0 0 9 9]/Contents(other)",
                    "/Subtype/Text/Page 0/Rect[0 0 9 9]/Contents(yes)",
                ])).annotations[1].id)
    }

    @Test func whatIsLeftOutIsTold() throws {
        let file = try read(
            [
                "/Subtype/Hologram/Page 0/Rect[0 0 9 9]/NM(x)", "/Subtype/Square/Page 7/Rect[0 0 9 9]/NM(far)",
                "/Subtype/Sound/Page 0/Rect[0 0 9 9]/NM(s)/Sound 9 0 R", "/Page 0",
            ], more: "/Fields[<</T(a)/Kids[<</T(b)/V(1)>><</T(c)>>]>><</T(d)/V/On>>]/JavaScript<<>>")
        #expect(
            file.problems.map(\.description) == [
                "x: unknown kind of annotation", "far: no such page in the document", "s: its file is left out",
                "an entry of the list is not an annotation", "2 form fields: values are not part of a layer",
                "scripts are not part of a layer",
            ])
        #expect(file.problems.map(\.isSkipped) == [true, true, false, true, true, true])
    }

    /// A file may be compressed, and may contain the word that ends it.
    @Test func attachedFilesAreRead() throws {
        let specification = #"/FS<</F(C:\\dir\\x.txt)/EF<</F"#
        let attachment = "/Subtype/FileAttachment/Page 0/Rect[0 0 9 9]"
        let annotations = ["4", "5", "6", "9"].map {
            "\(attachment)/NM(n\($0))\(specification) \(30 + (Int($0) ?? 0)) 0 R>>>>"
        }
        let hexadecimal = "789c4b4c4a0600024d0127"
        let streams = [
            "34 0 obj\n<</Length 13>>stream\nan endstream \nendstream\nendobj",
            "35 0 obj\n<</Filter[/ASCIIHexDecode/FlateDecode]>>\nstream\r\n\(hexadecimal)>\r\nendstream endobj",
            "36 0 obj\n<</Filter/LZWDecode>>stream\nabc\nendstream\nendobj",
        ].joined(separator: "\n")
        let text = String(decoding: Self.text(annotations), as: UTF8.self)
        let file = try FDFFile(
            Array(text.replacing("trailer", with: "\(streams)\ntrailer").utf8), pages: Self.pages)
        #expect(
            file.annotations.map { $0.file.map { String(decoding: $0, as: UTF8.self) } } == [
                "an endstream ", "abc", nil, nil,
            ])
        #expect(file.annotations.allSatisfy { $0.content["fileName"] == "x.txt" })
        #expect(file.annotations.prefix(2).allSatisfy { $0.content["postilla"] == nil })
        #expect(file.problems.map(\.description) == ["n6: its file is left out", "n9: its file is left out"])
    }

    /// The content of a stream may look like anything.
    @Test func streamsAreSkipped() throws {
        let bytes = Array(
            """
            %FDF-1.2
            1 0 obj<</Length 40>>stream
            9 0 obj<</FDF 1>>endobj trailer<</Root 9 0 R>>
            endstream
            endobj 2 0 obj<</FDF<</Annots[<</Subtype/Square/Page 0/Rect[0 0 9 9]>>]>>>>endobj
            xref
            0 2
            0000000000 65535 f
            trailer<</Root 2 0 R>>
            """.utf8)
        #expect(try FDFFile(bytes, pages: Self.pages).annotations.count == 1)
    }

    @Test(arguments: [
        ("%FDF-1.2", FDFError.notFDF), ("%FDF-1.2\n1 0 obj<</FDF 1>>endobj trailer<</Root 1 0 R>>", .notFDF),
        ("%FDF-1.2\ntrailer<</Root 1 0 R/Encrypt 2 0 R>>", .encrypted),
        ("%FDF-1.2\n1 0 obj \(String(repeating: "[", count: 100_000))", .nestedTooDeeply),
        ("%FDF-1.2\n1 0 obj \(String(repeating: "<</A", count: 100_000))", .nestedTooDeeply),
        ("%FDF-1.2\n1 0 obj<</A>>endobj", .syntax(offset: 20)), ("%FDF-1.2\n1 0 obj<41", .notFDF),
        ("%FDF-1.2\n1 0 obj[<41", .syntax(offset: 20)), ("%FDF-1.2\n1 0 obj(41\\", .notFDF),
        ("%FDF-1.2\n1 0 obj/", .notFDF), ("%FDF-1.2\n1 0 obj/#4", .notFDF),
        ("%FDF-1.2\n1 0 obj<</A", .syntax(offset: 20)),
        (
            "%FDF-1.2\ntrailer<</Root 1 0 R>>1 0 obj 2 0 R endobj 2 0 obj 1 0 R endobj", .notFDF
        ),
    ])
    func whatIsNoFDFIsAnError(_ text: String, _ error: FDFError) {
        #expect(throws: error) { try FDFFile(Array(text.utf8), pages: Self.pages) }
    }

    /// Each level repeats the one below ten times.
    @Test func repeatedObjectsDoNotGrow() throws {
        var text = "%FDF-1.2\n1 0 obj<</FDF<</Annots[<</Subtype/Ink/Page 0/Rect[0 0 9 9]/InkList 2 0 R>>]>>>>endobj\n"
        for number in 2..<20 {
            let next = Array(repeating: "\(number + 1) 0 R", count: 10).joined(separator: " ")
            text += "\(number) 0 obj[\(next)]endobj\n"
        }
        let file = try FDFFile(Array((text + "trailer<</Root 1 0 R>>").utf8), pages: Self.pages)
        #expect(file.annotations.isEmpty)
        #expect(file.problems.map(\.reason) == ["only a part of it can be read: a stroke that cannot be read"])
    }

    @Test("Damaged files are an error or a file, never a crash", arguments: 0..<12 as Range<UInt64>)
    func damaged(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = Self.text([
            "/Subtype/Highlight/Page 1/Rect[10 700 50 720]/QuadPoints[10 720 50 720 10 700 50 700]/NM(h)/C[1 1 0]/CA .5",
            #"/Subtype/Text/Page 0/Rect[0 0 20 20]/Contents(a \(b\)\n\303)/T<FEFF00450076>/IRT 2 0 R"#,
        ])
        for _ in 0..<200 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0...4, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[place] = random.pick(Array("0123456789<>[]()/\\%R \n".utf8))
                case 1: damaged.insert(random.pick(Array("<>[]()/\\%".utf8)), at: place)
                default: damaged.remove(at: place)
                }
            }
            guard let file = try? FDFFile(damaged, pages: Self.pages) else { continue }
            for item in file.annotations { #expect(throws: Never.self) { try JSON(parsing: item.content.text) } }
        }
    }
}

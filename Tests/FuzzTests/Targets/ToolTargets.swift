@testable import PDFPages

extension FuzzTarget {
    /// The tools' output for a PDF is as untrusted as the PDF.
    static let tools: [FuzzTarget] = [
        FuzzTarget(
            "pdfinfo",
            ["Title:  a\nPages: 2\nEncrypted: no\nPage    1 size: 595.276 x 841.89 pts (A4)\nPage    1 rot:  90\n"]
        ) { _ = InfoListing($0) },
        FuzzTarget(
            "pdftotext",
            [
                #" <page width="600" height="800"><flow><block xMin="1" yMin="2" xMax="3" yMax="4"><line><word xMin="1" yMin="2" xMax="3" yMax="4">a &amp; b&#233;</word></line></block></flow></page>"#
            ]
        ) { bytes in
            let sizes = [PageSize(width: 600, height: 800), PageSize(width: 1, height: 1)]
            let (first, second) = halves(bytes)
            var (whole, cut) = (PageTextReader(sizes: sizes), PageTextReader(sizes: sizes))
            let expected = whole.receive(Array(bytes.dropFirst()))
            let pages = cut.receive(Array(first)) + cut.receive(Array(second))
            try hold("\(pages)" == "\(expected)", "split, it reads different pages")
        },
        FuzzTarget(
            "qpdf",
            [
                #"{"version":2,"qpdf":[{"jsonversion":2},{"obj:1 0 R":{"value":{"/Type":"/Catalog","/Pages":"2 0 R"}},"obj:2 0 R":{"value":{"/Kids":["3 0 R"],"/Count":1}},"obj:3 0 R":{"value":{"/Annots":[{"/Subtype":"/Text","/Rect":[1,2,3,4],"/Contents":"u:x","/M":"u:D:20260131"}]}},"trailer":{"value":{"/Root":"1 0 R"}}}]}"#
            ]
        ) { bytes in
            var dump = ObjectDump()
            dump.receive(bytes)
            let tree = PageTree(dump, limit: 1_000)
            var walk = AnnotationWalk(tree: tree, file: dump)
            try? walk.walk()
        },
        FuzzTarget("pdf-object", [#"{"/A":["u:é","b:6869","12 0 R",1.5e3,true,null,"/N#20"],"/B":{}}"#]) { bytes in
            var reader = PDFObjectReader(bytes[...])
            _ = reader.object()
        },
        FuzzTarget(
            "pdf-syntax",
            [
                #"{"/A":["u:é","b:6869","12 0 R",1.5e3,true,null,"/N#20"],"/B":{"/C":"u:(\\\r"}}"#,
                #"{"/A":-0.5,"/B":[]}"#,
            ]
        ) { bytes in
            guard let source = ObjectSource(bytes[...]) else { return }
            let json = source.json
            try hold(ObjectSource(json[...])?.json == json, "split and joined, it differs")
            guard let text = PDFSyntax.text(json[...]) else { return }
            try hold(text.starts(with: "<<".utf8) && text.suffix(2).elementsEqual(">>".utf8), "not a dictionary")
            for entry in source.entries { _ = ObjectSource.items(entry.value) }
        },
        FuzzTarget(
            "pdf-tail",
            [
                "%PDF-1.7\nxref\n0 1\ntrailer<<>>\nstartxref\n9\n%%EOF",
                "x\n%PDF-1.7\n12 0 obj<<>>\nstartxref\r9\r%%EOF\r",
            ]
        ) { bytes in
            let tail = PDFTail(length: Int64(bytes.count)) { place, count in
                Array(bytes.dropFirst(Int(place)).prefix(count))
            }
            guard let tail else { return }
            try hold(tail.section + tail.origin < tail.length, "a section behind the end")
        },
    ]
}

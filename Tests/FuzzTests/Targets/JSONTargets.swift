import Annotations

extension FuzzTarget {
    static let json: [FuzzTarget] = [
        FuzzTarget("json", [#"{"a":[1.5e3,"\ud83d\ude00 é",{"b":null}],"c":true,"d":-0.0}"#, "[[[[]]]]", "1e999"]) {
            bytes in
            guard let value = try? JSONReader.parse(bytes) else { return }
            let text = value.text
            try hold((try? JSON(parsing: text)) == value, "the value read back differs from the one written")
        },
        FuzzTarget("content", [note, ink]) { bytes in
            guard let object = try? JSONReader.parse(bytes).object else { return }
            let content = Content(object)
            try? content.validate(pageCount: 3)
            let annotation = Annotation(id: "1", content: content)
            let again = Annotation(id: "1", content: Content(content.object))
            try hold(annotation == again, "the same content is read differently")
        },
    ]

    static let note =
        #"{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":{"format":"xhtml","value":"<p>a<br/>b &amp; c</p>"},"createdAt":"2026-01-31T23:59:59.999Z","creatorName":"ana"}"#
    static let ink =
        ##"{"v":1,"type":"pspdfkit/ink","pageIndex":2,"bbox":[0,0,9,9],"lines":{"points":[[[0,0],[9,9.5]]],"intensities":[[0.5,1]]},"strokeColor":"#00FF7f"}"##
}

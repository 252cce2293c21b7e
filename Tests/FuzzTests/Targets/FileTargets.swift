import Annotations
import Interchange

@testable import postilla

extension FuzzTarget {
    static let files: [FuzzTarget] = [
        FuzzTarget(
            "instant-json",
            [
                #"{"format":"https://pspdfkit.com/instant-json/v1","annotations":[{"id":"1","v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4]}],"comments":[{"rootId":"1","text":"x"}],"skippedPdfObjectIds":[7],"pdfId":{"permanent":"a"}}"#
            ]
        ) { _ = try? InstantJSONFile($0) },
        FuzzTarget(
            "xfdf",
            [
                ##"<?xml version="1.0" encoding="UTF-8"?><xfdf xmlns="http://ns.adobe.com/xfdf/" xml:space="preserve"><annots><highlight page="0" rect="1,2,3,4" coords="1,4,3,4,1,2,3,2" color="#FFFF00" name="a" date="D:20260131235959+01'00'" title="Ana"><contents>x &lt; &#x41;</contents></highlight><text page="0" rect="1,2,3,4" inreplyto="a" replyType="group" name="b"><contents-richtext><body xmlns="http://www.w3.org/1999/xhtml"><p>hi</p></body></contents-richtext></text><ink page="0" rect="0,0,9,9"><inklist><gesture>1,2;3,4</gesture></inklist></ink></annots></xfdf>"##,
                "<xfdf><!-- c --><annots><![CDATA[x]]><square page='0' rect='1,1,2,2' interior-color='#fff'/></annots></xfdf>",
            ]
        ) { _ = try? XFDFFile($0, pages: [PageFrame(width: 600, height: 800, turns: 1)]) },
        FuzzTarget(
            "fdf",
            [
                "%FDF-1.2\n1 0 obj<</FDF<</Annots[2 0 R 3 0 R]/Fields[<</T(a)/V(b)>>]>>>>endobj\n2 0 obj<</Type/Annot/Subtype/Highlight/Page 0/Rect[1 2 3 4]/QuadPoints[1 4 3 4 1 2 3 2]/NM(a)/Contents<FEFF0041>/C[1 1 0]>>endobj\n3 0 obj<</Subtype/Text/Page 0/Rect[1 2 3 4]/IRT 2 0 R/Contents(x\\051\\\ny)>>endobj\n4 0 obj<</Length 3>>stream\nabc\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
            ]
        ) { _ = try? FDFFile($0, pages: [PageFrame(width: 600, height: 800, turns: 1)]) },
        FuzzTarget("toml", ["a = \"\\u00e9\" # c\r\n[b.'c']\nd = [ 0x1_0,\n'e', ] \n\"f\" = true\n"]) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            guard let entries = try? TOMLReader.entries(of: text) else { return }
            try hold(Set(entries.map { Array($0.key.utf8) }).count == entries.count, "a key is set twice")
        },
    ]
}

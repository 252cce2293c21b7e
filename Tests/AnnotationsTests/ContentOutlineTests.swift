import Testing

@testable import Annotations

/// One pass over the text finds what the full tree contains, and writes the author's name where the tree would.
struct ContentOutlineTests {
    static let texts = [
        "{}",
        #"{"a":1}"#,
        #"{"creatorName":"Ana"}"#,
        #"{"creatorName":null,"type":"pspdfkit/note"}"#,
        #"{"v":2,"creatorName":"Ana \"the\" \u0041","pageIndex":0}"#,
        #"{"v":2,"pageIndex":0,"creatorName":{"nested":["}",{"creatorName":"x"}]}}"#,
        #"{"inner":{"creatorName":"inner","type":"no","rootId":"no"},"type":"pspdfkit/ink","text":{"value":"}"}}"#,
        #"{"type":"pspdfkit/comment","text":"a \\ b","creatorName":7}"#,
        #"{"rootId":"r","text":"é\u00e9😀","bbox":[1,2,3.50,-0]}"#,
        #"{"type":3,"rootId":null,"v":"2","text":[],"pageIndex":"1","bbox":"no"}"#,
    ]

    @Test(arguments: texts, [nil, "Ana", "", #"Bo "b" \ 😀"#])
    func theNameStandsWhereTheTreeWouldHaveIt(_ text: String, _ name: String?) throws {
        let content = try Content(text)
        let named = ContentOutline(content).authored(content, by: name)
        var tree = content.object
        tree["creatorName"] = name.map(JSON.string)
        // Parsed as strictly as external input.
        #expect(try Content(named.text).object == tree)
        if content["creatorName"] == name.map(JSON.string) { #expect(named.text.isExactly(content.text)) }
    }

    @Test(arguments: texts) func itFindsWhatTheTreeHas(_ text: String) throws {
        let content = try Content(text)
        let (outline, tree) = (ContentOutline(content), content.object)
        #expect(outline.type == tree["type"]?.string)
        #expect(outline.rootID == tree["rootId"]?.string)
        #expect(outline.creatorName == tree["creatorName"])
        let isComment = tree["rootId"]?.string != nil || tree["type"]?.string == "pspdfkit/comment"
        #expect(outline.contentType == (isComment ? .comments : .annotations))
    }

    /// Unchanged members keep their spelling.
    @Test func onlyTheNameIsWritten() throws {
        let content = try Content(#"{"a":1.50,"b":"\u0041\/","creatorName":"x","c":1e3}"#)
        let named = ContentOutline(content).authored(content, by: "Bo")
        #expect(named.text == #"{"a":1.50,"b":"\u0041\/","creatorName":"Bo","c":1e3}"#)
        let first = try Content(#"{"b":"\u0041"}"#)
        #expect(ContentOutline(first).authored(first, by: "Bo").text == #"{"b":"\u0041","creatorName":"Bo"}"#)
    }

    @Test func whatABrokenStoreReturnsHasNothing() {
        for text in ["", "{", #"{"type":"a""#, "[1]", #"{"creatorName":}"#] {
            let outline = ContentOutline(Content(checked: text))
            #expect(outline.contentType == .annotations && outline.rootID == nil)
            _ = outline.authored(Content(checked: text), by: "x")
        }
    }
}

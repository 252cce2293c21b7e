import Annotations
import TestSupport
import Testing

@testable import Interchange

@Suite("XFDF of a whole document")
struct XFDFTests {
    private static let pages = [
        PageFrame(width: 612, height: 792), PageFrame(left: 20, bottom: 30, width: 500, height: 700, turns: 1),
        PageFrame(left: -5, bottom: 0, width: 500, height: 700, turns: 2),
        PageFrame(left: 0.5, bottom: -7, width: 500, height: 700, turns: 3),
    ]

    private func write(_ records: [Record], roots: [Record.ID: Record] = [:]) -> String {
        let writer = XFDFWriter(pages: Self.pages)
        let lines = records.map { record in
            writer.add(record, under: record.content["rootId"]?.string.flatMap { roots[$0] })
        }
        return writer.begin() + lines.joined() + writer.end()
    }

    private func read(_ text: String) throws(XMLError) -> XFDFFile { try XFDFFile(Array(text.utf8), pages: Self.pages) }

    private func annots(_ text: String) throws(XMLError) -> XFDFFile {
        try read("<xfdf xmlns=\"http://ns.adobe.com/xfdf/\"><annots>\(text)</annots></xfdf>")
    }

    // MARK: Round trips

    @Test("Random annotations of every kind survive a round trip", arguments: XFDFSamples.kinds, 0..<4 as Range<UInt64>)
    func everyKind(kind: AnnotationKind, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let records = (0..<20).map {
            Record(id: "n \($0)".filter { $0 != " " }, content: XFDFSamples.content(kind, &random))
        }
        let text = write(records)
        let file = try read(text)
        #expect(file.problems == [], "\(text)")
        #expect(file.annotations.map(\.id) == records.map(\.id))
        for (item, record) in zip(file.annotations, records) {
            #expect(XFDFSamples.members(item.content) == XFDFSamples.members(record.content), "seed \(seed): \(text)")
        }
    }

    @Test func aThreadIsRepliesAndComesBackAsAThread() throws {
        var random = SeededRandom(seed: 7)
        let marker = Record(
            id: "m", content: .commentMarker(onPage: 1, at: Point(x: 100, y: 200)).changing { $0["v"] = 1 })
        let words = Record(id: "h", content: XFDFSamples.content(.highlight, &random))
        let roots = ["m": marker, "h": words]
        let replies = [("m", CommentText.plain("first & <second>")), ("h", .xhtml("<p>so <b>bold</b> &amp; <i/></p>"))]
            .enumerated().map { number, reply in
                Record(
                    id: "c\(number)",
                    content: .comment(reply.1, under: reply.0, roots[reply.0]!.content).changing {
                        $0["creatorName"] = "Ana"
                        $0["createdAt"] = "2024-06-25T18:22:16.000Z"
                    })
            }
        let file = try read(write([replies[0], marker, words, replies[1]], roots: roots))
        #expect(file.annotations.map(\.id) == ["m", "h"])
        #expect(file.annotations.map { $0.content["isCommentThreadRoot"] } == [true, true])
        #expect(file.annotations[0].content["type"]?.string == AnnotationKind.commentMarker.type)
        #expect(file.comments.map(\.id) == ["c0", "c1"])
        #expect(file.comments.map(\.content) == replies.map(\.content))
    }

    /// Launch and script links are read as data, and never written.
    @Test func hostileLinksAreReadAndNotWritten() throws {
        let file = try annots(
            """
            <link page="0" rect="0,0,9,9"><OnActivation><Action Trigger="U"><Launch><File OriginalName="a.exe"/></Launch>\
            </Action></OnActivation></link>
            <link page="0" rect="0,0,9,9"><OnActivation><Action Trigger="U"><URI Name="JavaScript:x"/></Action>\
            </OnActivation></link>
            <link page="0" rect="0,0,9,9"><OnActivation><Action Trigger="U"><GoToR><File OriginalName="b.pdf"/></GoToR>\
            </Action></OnActivation></link>
            <link page="0" rect="0,0,9,9"><OnActivation><Action Trigger="U"><JavaScript><Script>y</Script></JavaScript>\
            </Action></OnActivation></link>
            """)
        #expect(
            file.annotations.map { $0.content["action"] } == [
                ["type": "launch", "filePath": "a.exe"], ["type": "uri", "uri": "JavaScript:x"],
                ["type": "goToRemote", "relativePath": "b.pdf"], nil,
            ])
        let records = file.annotations.enumerated().map { Record(id: "l\($0)", content: $1.content) }
        let text = write(records)
        #expect(text.ranges(of: "<link ").count == 4)
        #expect(!text.contains("OnActivation"), "\(text)")
    }

    @Test func formattedTextsComeBack() throws {
        let note = Record(
            id: "n",
            content: try Content(
                #"{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":{"format":"xhtml","value":"<p>a <b>b</b></p>"}}"#
            ))
        #expect(try read(write([note])).annotations.first?.content["text"] == note.content["text"])
        // Malformed XHTML is written as plain text.
        let broken = Record(
            id: "n", content: note.content.changing { $0["text"] = ["format": "xhtml", "value": "<p>a <b>b"] })
        #expect(!write([broken]).contains("richtext"))
    }

    @Test func whatXFDFCannotTellIsLeftOut() throws {
        let records = [
            Record(id: "w", content: try Content(#"{"type":"pspdfkit/unknown","postilla":{"pdfSubtype":"Widget"}}"#)),
            Record(id: "far", content: try Content(#"{"type":"pspdfkit/note","pageIndex":9,"bbox":[1,2,3,4]}"#)),
        ]
        #expect(try read(write(records)).annotations.isEmpty)
    }

    // MARK: Attached files

    @Test func anAttachedFileComesWithItsData() throws {
        let content = try Content(
            #"{"v":1,"type":"postilla/file","pageIndex":0,"bbox":[9,9,20,20],"icon":"tag","fileName":"a&b.txt","note":"see"}"#
        )
        let record = Record(id: "f", content: content)
        let writer = XFDFWriter(pages: Self.pages)
        #expect(!writer.holds(record) && writer.holds(record, hasFile: true))
        #expect(writer.add(record).isEmpty)
        let bytes = [UInt8](0...255)
        let file = try read(writer.begin() + writer.add(record, file: bytes) + writer.end())
        #expect(file.problems.isEmpty)
        var item = try #require(file.annotations.first)
        #expect(item.content["fileName"] == "a&b.txt" && item.content["icon"] == "tag" && item.content["note"] == "see")
        #expect(item.content["postilla"] == nil)
        let name = String(repeating: "b", count: 64)
        let named = try #require(item.nameFile { _ in name })
        #expect(named.0.hex == name && named.1 == bytes)
        #expect(item.content["fileAttachmentId"]?.string == name && item.content["fileSize"] == 256)
    }

    @Test(arguments: [
        (##"<data MODE="raw" encoding="hex" length="3">61 62 63</data>"##, "abc"),
        (##"<data mode="filtered" encoding="ascii">abc</data>"##, "abc"),
        (##"<data MODE="FILTERED" ENCODING="HEX" FILTER="FlateDecode">616263</data>"##, "abc"), ("<data/>", ""),
        (##"<data MODE="raw" encoding="hex" filter="FlateDecode">789c4b4c4a0600024d0127</data>"##, "abc"),
        (##"<data MODE="raw" encoding="hex" filter="FlateDecode">789C</data>"##, nil),
        (##"<data MODE="raw" encoding="hex" filter="LZWDecode">789c4b4c4a0600024d0127</data>"##, nil),
        ("<data>6</data>", nil),
        ("<data>zz</data>", nil), ("", nil),
    ])
    func dataOfOtherProgramsIsReadOrTold(_ data: String, _ expected: String?) throws {
        let file = try annots(
            ##"<fileattachment page="0" rect="9,9,29,29" icon="Graph" file="C:\dir\x.txt">\##(data)</fileattachment>"##)
        let item = try #require(file.annotations.first)
        #expect(item.content["fileName"] == "x.txt")
        #expect(item.file.map { String(decoding: $0, as: UTF8.self) } == expected)
        #expect(file.problems.count == (expected == nil ? 1 : 0))
        #expect(file.problems.allSatisfy { !$0.isSkipped })
    }

    // MARK: Foreign files

    @Test func calloutsAndMarginsComeBack() throws {
        let file = try annots(
            """
            <freetext page="0" rect="10,622,210,692" callout="20,642,40,672,60,682" fringe="50,0,0,60" head="OpenArrow"
              IT="FreeTextCallout" width="1"><contents>here</contents></freetext>
            <square page="0" rect="10,10,110,110" fringe="1,2,3,4" style="cloudy" intensity="1"/>
            """)
        #expect(
            file.annotations[0].content["callout"]?.text
                == ##"{"start":[20,150],"knee":[40,120],"end":[60,110],"cap":"openArrow","innerRectInset":[50,0,0,60]}"##
        )
        #expect(file.annotations[1].content["cloudyBorderInset"] == [1, 2, 3, 4])
        let records = file.annotations.enumerated().map { Record(id: "r\($0)", content: $1.content) }
        let text = write(records)
        #expect(text.contains(##"IT="FreeTextCallout""##) && text.contains(##"head="OpenArrow""##))
        for (item, record) in zip(try read(text).annotations, records) {
            for key in ["callout", "cloudyBorderInset", "bbox"] { #expect(item.content[key] == record.content[key]) }
        }
    }

    /// An id has no spaces, but the names of other programs may.
    @Test func repliesToANameThatIsNoIDKeepTheirThread() throws {
        let xfdf = """
            <text name="a reply" inreplyto="the first note" page="0" rect="0,0,9,9"><contents>two</contents></text>
            <text name="the first note" page="0" rect="0,0,9,9"><contents>one</contents></text>
            <caret name="k k" page="0" rect="0,0,9,9"/>
            <strikeout page="0" rect="0,0,9,9" coords="0,9,9,9,0,0,9,0" inreplyto="k k" replyType="group"/>
            <text name="not answered" page="0" rect="0,0,9,9"/>
            """
        let file = try annots(xfdf)
        let root = try #require(file.annotations.first?.id)
        #expect(Record.isValidID(root) && file.annotations[0].content["text"] == "one")
        #expect(file.comments.map { $0.content["rootId"]?.string } == [root])
        let caret = try #require(file.annotations[1].id)
        #expect(file.annotations[2].content["postilla"] == ["inReplyTo": .string(caret), "replyType": "group"])
        #expect(file.annotations[3].id == nil)
        // The same in the next import.
        #expect(try annots(xfdf) == file)
    }

    @Test func aForeignFileIsRead() throws {
        let file = try read(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <xfdf xmlns="http://ns.adobe.com/xfdf/" xml:space="preserve">
              <fields><field name="a"><value>b</value></field></fields>
              <annots>
                <highlight color="#FFFF00" opacity="0.500000" creationdate="D:20240625182216-07'00'" flags="print"
                  date="D:20240625182216Z" name="h-1" page="0" coords="100,712,200,712,100,700,200,700"
                  rect="100,700,200,712" subject="Highlight" title="Ana">
                  <contents>why?</contents>
                  <popup flags="print,nozoom" open="no" page="0" rect="612,600,816,700"/>
                </highlight>
                <square page="0" rect="10,10,20,20" color="#000000" interior-color="#00FF00" width="2" style="cloudy"
                  intensity="2" flags="print,locked"/>
                <ink page="1" rect="20,30,100,100"><inklist><gesture>20,30;21,31.5</gesture></inklist></ink>
                <link page="0" rect="0,0,9,9"><OnActivation><Action Trigger="U"><URI Name="https://example.com/"/>
                  </Action></OnActivation></link>
              </annots>
              <f href="a.pdf"/>
            </xfdf>
            """)
        #expect(file.problems.map(\.description) == ["1 form field: values are not part of a layer"])
        #expect(file.annotations.map { $0.id == nil } == [false, true, true, true])
        let contents = file.annotations.map(\.content)
        #expect(contents[0]["rects"] == [[100, 80, 100, 12]])
        #expect(contents[0]["note"] == "why?")
        #expect(contents[0]["color"] == "#ffff00")
        #expect(contents[0]["opacity"] == 0.5)
        #expect(contents[0]["creatorName"] == "Ana")
        #expect(contents[0]["createdAt"] == "2024-06-26T01:22:16.000Z")
        #expect(contents[1]["fillColor"] == "#00ff00")
        #expect(contents[1]["cloudyBorderIntensity"] == 2)
        #expect(contents[1]["flags"] == ["locked"])
        #expect(contents[2]["lines"]?["points"] == [[[0, 0], [1.5, 1]]])
        #expect(contents[3]["action"] == ["type": "uri", "uri": "https://example.com/"])
    }

    @Test func repliesToRepliesAreOneThreadAndOthersAreNotes() throws {
        let file = try annots(
            """
            <text name="b" inreplyto="a" page="0" rect="0,0,9,9"><contents>two</contents></text>
            <underline name="a" page="0" rect="0,0,9,9" coords="0,9,9,9,0,0,9,0"/>
            <text name="c" inreplyto="b" page="0" rect="0,0,9,9"><contents>three</contents></text>
            <square name="s" page="0" rect="0,0,9,9"/>
            <text name="d" inreplyto="s" page="0" rect="0,0,9,9"><contents>of a shape</contents></text>
            <text name="e" inreplyto="nothing" page="0" rect="0,0,9,9"/>
            <text name="g" inreplyto="a" replyType="group" page="0" rect="0,0,9,9"><contents>part of it</contents></text>
            <text name="x" inreplyto="y" page="0" rect="0,0,9,9"/>
            <text name="y" inreplyto="x" page="0" rect="0,0,9,9"/>
            """)
        #expect(file.comments.map(\.id) == ["b", "c", "d"])
        #expect(file.comments.map { $0.content["rootId"] } == ["a", "a", "s"])
        #expect(file.annotations.map(\.id) == ["a", "s", "e", "g", "x", "y"])
        #expect(file.annotations[2].content["postilla"]?["inReplyTo"] == "nothing")
        // A markup that has only a thread is there for it; a shape is not.
        #expect(file.annotations.map { $0.content["isCommentThreadRoot"] } == [true, nil, nil, nil, nil, nil])
    }

    /// Replies to a note and to a shape, a state, a group and a reply of another kind, from another program.
    @Test func repliesGroupsAndStatesSurviveARoundTrip() throws {
        let text = """
            <text name="q" page="0" rect="10,10,28,28" icon="Help" title="Ana"><contents>why?</contents></text>
            <text name="r" page="0" rect="30,10,48,28" icon="Insert" color="#FF0000" flags="print,nozoom"
                inreplyto="q" replyType="reply" title="Bo" creationdate="D:20260102000000Z"><contents>so</contents></text>
            <text name="st" page="0" rect="10,10,28,28" flags="hidden,print,nozoom,norotate" inreplyto="q"
                state="Accepted" statemodel="Review" title="Bo"><contents>Accepted set by Bo</contents></text>
            <caret name="k" page="0" rect="0,0,9,9"/>
            <strikeout name="x" page="0" rect="0,0,9,9" coords="0,9,9,9,0,0,9,0" inreplyto="k" replyType="group"/>
            <square name="b" page="0" rect="0,0,9,9" inreplyto="q"/>
            """
        let once = try annots(text)
        #expect(once.comments.map { $0.content.state } == [nil, .accepted])
        #expect(once.comments.map { $0.content["rootId"] } == ["q", "q"])
        #expect(once.comments[0].content["icon"] == "insert")
        let records = (once.annotations + once.comments).map { Record(id: $0.id ?? "", content: $0.content) }
        let roots = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
        let written = write(records, roots: roots)
        for part in [
            #"inreplyto="k""#, #"replyType="group""#, #"inreplyto="q""#, #"replyType="reply""#, #"state="Accepted""#,
            #"statemodel="Review""#, #"icon="Insert""#, #"rect="30,10,48,28""#,
        ] {
            #expect(written.contains(part), "\(part) in \(written)")
        }
        let twice = try read(written)
        #expect(twice.annotations == once.annotations)
        #expect(twice.comments == once.comments)
    }

    /// What this program writes is, when it is imported again, what is there already.
    @Test func aNewStateIsReadAsItWasMade() throws {
        let note = Record(
            id: "n",
            content: Content.note(onPage: 2, at: Point(x: 40, y: 50), text: "please"))
        let state = Record(id: "s", content: Content.state(.completed, under: "n", note.content))
        let file = try read(write([note, state], roots: ["n": note]))
        #expect(file.comments.map(\.content) == [state.content])
    }

    @Test func whatIsUnknownOrIncompleteIsTold() throws {
        let file = try annots(
            """
            <hologram page="0" rect="0,0,9,9"/><square page="9" rect="0,0,9,9" name="far"/><square rect="0,0,9,9"/>
            <ink page="0" rect="0,0,9,9" name="ink"/><square page="0" rect="0,x,9,9" name="box"/>
            <square page="0" rect="0,0,9,9" name="one"/><square page="0" rect="0,0,9,9" name="one"/>
            <square page="0" rect="0,0,9,9" name="a b"/>
            """)
        #expect(
            file.problems.map(\.description) == [
                "<hologram>: unknown kind of annotation", "far: no such page in the document",
                "<square>: no such page in the document", "ink: no strokes", "box: no box",
            ])
        #expect(file.problems.map(\.isSkipped) == [true, true, true, false, false])
        // Of two annotations with one name, the first keeps it; an invalid id is ignored.
        #expect(file.annotations.map(\.id) == ["ink", "box", "one", nil, nil])
    }

    @Test func formFieldsAndFilesAreTold() throws {
        let text = """
            <xfdf><fields><field name="a"><field name="b"><value>1</value></field></field><field name="c"/></fields>
            <annots><fileattachment page="0" rect="0,0,9,9" name="f">
            <data MODE="raw" filter="FlateDecode">00</data></fileattachment></annots></xfdf>
            """
        let file = try read(text)
        #expect(
            file.problems.map(\.description) == [
                "1 form field: values are not part of a layer", "f: its file is left out",
            ])
    }

    /// As the vendor's programs write them.
    @Test func linksLeadWhereTheElementSays() throws {
        let file = try annots(
            """
            <link page="0" rect="0,0,9,9" target="https://example.com/a"/>
            <link page="0" rect="0,0,9,9"><Dest><XYZ Page="2" Left="1"/></Dest></link>
            <link page="0" rect="0,0,9,9" target="2"/>
            """)
        #expect(
            file.annotations.map { $0.content["action"] } == [
                ["type": "uri", "uri": "https://example.com/a"], ["type": "goTo", "pageIndex": 2], nil,
            ])
        #expect(file.problems.map(\.reason) == ["no readable target"])
    }

    /// Their elements need data, which a layer does not have.
    @Test(arguments: ["FileAttachment", "Sound", "Widget", "3D"])
    func whatXFDFCannotHoldIsCounted(_ subtype: String) throws {
        var object = JSONObject()
        object["type"] = "pspdfkit/unknown"
        object["pageIndex"] = 0
        object["bbox"] = [1, 2, 3, 4]
        object["postilla"] = ["pdfSubtype": .string(subtype)]
        let content = Content(object)
        let writer = XFDFWriter(pages: Self.pages)
        let record = Record(id: "1", content: content)
        #expect(writer.add(record) == "" && !writer.holds(record))
        var left = LeftOut()
        #expect(left.text == nil)
        for _ in 0..<2 { left.add(record) }
        var comment = JSONObject()
        comment["type"] = "pspdfkit/comment"
        comment["rootId"] = "gone"
        left.add(Record(id: "2", content: Content(comment)))
        let words = ["FileAttachment": "attached files", "Sound": "sounds", "Widget": "form fields", "3D": "3D models"]
        #expect(left.text == "2 \(words[subtype]!), 1 comment")
    }

    @Test(arguments: ["", "{}", "<fdf/>", "<xfdf>", "<xfdf><annots><text></annots></xfdf>", "<xfdf/><xfdf/>"])
    func whatIsNoXFDFIsAnError(_ text: String) {
        #expect(throws: XMLError.self) { try read(text) }
    }

    @Test("Damaged files are an error or a file, never a crash", arguments: 0..<12 as Range<UInt64>)
    func damaged(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let kinds = XFDFSamples.kinds
        let records = (0..<6).map { Record(id: "n\($0)", content: XFDFSamples.content(random.pick(kinds), &random)) }
        let bytes = Array(write(records).utf8)
        for _ in 0..<60 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0...4, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[place] = random.pick(Array("0123456789eE-.,;\"<>&a".utf8))
                case 1: damaged.insert(random.pick(Array("09-,;\"<".utf8)), at: place)
                default: damaged.remove(at: place)
                }
            }
            guard let file = try? XFDFFile(damaged, pages: Self.pages) else { continue }
            for item in file.annotations { #expect(throws: Never.self) { try JSON(parsing: item.content.text) } }
        }
    }
}

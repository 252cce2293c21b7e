import TestSupport
import Testing

@testable import Interchange

@Suite("The part of XML that data needs")
struct XMLReaderTests {
    private func events(_ text: String) throws(XMLError) -> [XMLReader.Event] { try events(Array(text.utf8)) }

    private func events(_ bytes: [UInt8]) throws(XMLError) -> [XMLReader.Event] {
        var reader = XMLReader(bytes)
        var events: [XMLReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    @Test func elementsAttributesAndText() throws {
        let text = """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
            <!-- <not read> -->
            <a x='1 "' y = "&lt;&#65;&#x1F44D;&amp;"><p:b/>t&gt;<![CDATA[<&amp;]]>\r\nu</a>\n
            """
        #expect(
            try events(text) == [
                .start("a", ["x": "1 \"", "y": "<A\u{1F44D}&"]), .start("p:b", [:]), .end("p:b"), .text("t>"),
                .text("<&amp;"), .text("\nu"), .end("a"),
            ])
    }

    static let bad: [(String, XMLError.Problem)] = [
        ("", .unexpectedEnd), ("  ", .unexpectedEnd), ("<a>", .unexpectedEnd), ("<a", .expected("a space or >")),
        ("<a></b>", .wrongEnd(open: "a")), ("<a/><b/>", .expected("the end of the file")),
        ("x<a/>", .expected("an element")), ("<a/>x", .expected("an element")),
        ("</a>", .expected("no end tag")), ("<1/>", .expected("a name")),
        ("<a b/>", .expected("=")), ("<a b=c/>", .expected("a quotation mark")), ("<a b='<'/>", .forbiddenCharacter),
        ("<a b='1' b='2'/>", .attributeTwice("b")), ("<a b='1'c='2'/>", .expected("a space or >")),
        ("<a>&b;</a>", .unknownEntity), ("<a>&</a>", .unknownEntity), ("<a>&#0x;</a>", .unknownEntity),
        ("<a>&#xD800;</a>", .unknownEntity), ("<a>&#0;</a>", .forbiddenCharacter),
        ("<a>\u{1}</a>", .forbiddenCharacter), ("<!-- ", .unexpectedEnd), ("<a><![CDATA[</a>", .unexpectedEnd),
        ("<?xml version='1.0' encoding='UTF-16'?><a/>", .notUTF8),
        // Entities that expand without bound or reference files.
        (#"<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>"#, .documentType),
        (#"<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>"#, .documentType),
        (#"<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd"><a/>"#, .documentType),
        (String(repeating: "<a>", count: 100_000), .tooDeep(limit: 32)),
        ("<a " + (0..<70).map { "a\($0)='' " }.joined() + "/>", .tooManyAttributes(limit: 64)),
    ]

    @Test(arguments: bad)
    func whatIsNoXMLIsAnError(_ text: String, _ problem: XMLError.Problem) {
        #expect { try events(text) } throws: { ($0 as? XMLError)?.problem == problem }
    }

    @Test func otherBytesThanUTF8() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
            #expect(throws: XMLError.self) { try events(Array("<a>".utf8) + bytes + Array("</a>".utf8)) }
            #expect(throws: XMLError.self) { try events(Array("<a b='".utf8) + bytes + Array("'/>".utf8)) }
        }
    }

    @Test("A document cut anywhere is an error, not a smaller document")
    func everyPrefix() throws {
        let bytes = Array("<?xml version='1.0'?><a b='&amp;'>é<c/><![CDATA[x]]><!-- y --></a>".utf8)
        for end in 0..<bytes.count { #expect(throws: XMLError.self) { try events(Array(bytes[..<end])) } }
    }

    @Test("Random nodes survive a round trip", arguments: 0..<20 as Range<UInt64>)
    func randomNodes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let node = Self.node(depth: 4, &random)
        var reader = XMLReader(Array(node.xml.utf8))
        guard case .start(let name, let attributes)? = try reader.next() else { return #expect(Bool(false)) }
        #expect(try XMLNode(name, attributes, from: &reader) == node, "seed \(seed)")
        #expect(try reader.next() == nil)
    }

    @Test("Damaged bytes are an error or a document, never a crash", arguments: 0..<20 as Range<UInt64>)
    func damaged(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            var bytes = Array(Self.node(depth: 3, &random).xml.utf8)
            for _ in 0...Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.removeSubrange(place...)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(random.pick(Array("<>&;/!?[]-='\"".utf8)), at: place)
                default: bytes.remove(at: place)
                }
            }
            _ = try? events(bytes)
        }
    }

    static func node(depth: Int, _ random: inout SeededRandom) -> XMLNode {
        let words = ["", "a", "<&>\"'", "é\u{1F44D}", " \n\t ", "]]>"]
        var node = XMLNode(random.pick(["a", "b-c", "_d"]))
        for name in ["x", "y"] where Bool.random(using: &random) { node.attributes[name] = random.pick(words) }
        for _ in 0..<Int.random(in: 0...3, using: &random) where depth > 0 {
            node.parts.append(.node(Self.node(depth: depth - 1, &random)))
            let text = random.pick(words)
            if !text.isEmpty { node.parts.append(.text(text)) }
        }
        return node
    }
}

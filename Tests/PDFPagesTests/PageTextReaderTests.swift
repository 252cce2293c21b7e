import Annotations
import Testing

@testable import PDFPages

@Suite("pdftotext's output becomes pages of words")
struct PageTextReaderTests {
    private let letter = PageSize(width: 612, height: 792)

    private func read(_ output: String, pages: Int = 1) -> [PageText] {
        var reader = PageTextReader(sizes: Array(repeating: letter, count: pages))
        return reader.receive(Array(output.utf8))
    }

    private let output = """
        <doc>
          <page width="612.000000" height="792.000000">
            <flow>
              <block xMin="72" yMin="90" xMax="300" yMax="120">
                <line xMin="72" yMin="90" xMax="300" yMax="100">
                  <word xMin="72.5" yMin="90" xMax="100" yMax="100">R&amp;D</word>
                  <word xMin="104" yMin="90" xMax="140.25" yMax="100">caf\u{e9}</word>
                </line>
                <line xMin="72" yMin="110" xMax="300" yMax="120">
                  <word xMin="72" yMin="110" xMax="80" yMax="120">next</word>
                </line>
              </block>
            </flow>
            <flow>
              <block xMin="320" yMin="90" xMax="500" yMax="100">
                <line xMin="320" yMin="90" xMax="500" yMax="100">
                  <word xMin="320" yMin="90" xMax="340" yMax="100">right</word>
                </line>
              </block>
            </flow>
          </page>
        </doc>
        """

    @Test func wordsKeepTheirLineBlockAndFlow() {
        let pages = read(output)
        #expect(pages.count == 1)
        #expect(pages[0].width == 612)
        #expect(pages[0].words.map(\.text) == ["R&D", "caf\u{e9}", "next", "right"])
        #expect(pages[0].words.map(\.line) == [0, 0, 1, 2])
        #expect(pages[0].words.map(\.block) == [0, 0, 0, 1])
        #expect(pages[0].words.map(\.flow) == [0, 0, 0, 1])
        #expect(pages[0].words[1].box == Rect(left: 104, top: 90, width: 36.25, height: 10))
    }

    @Test func itDoesNotMatterWhereTheOutputIsCut() {
        let whole = read(output)
        let bytes = Array(output.utf8)
        for size in [1, 2, 3, 7, 64] {
            var reader = PageTextReader(sizes: [letter])
            var pages: [PageText] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                pages += reader.receive(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(pages == whole, "in pieces of \(size)")
        }
    }

    @Test func numbersStartAgainOnEachPage() {
        let pages = read(output + output, pages: 2)
        #expect(pages.count == 2)
        #expect(pages[0] == pages[1])
    }

    @Test func pagesNobodyAskedForArePassedOver() {
        #expect(read(output + output).count == 1)
    }

    @Test(arguments: ["nan", "inf", "1e999", "-1e300", "", "x", "12,5", "0x1p4000"])
    func aBoxThatIsNoneStandsAtTheEndOfTheWordBefore(number: String) {
        let pages = read(
            """
            <page><word xMin="10" yMin="20" xMax="30" yMax="28">one</word>\
            <word xMin="\(number)" yMin="20" xMax="50" yMax="28">two</word></page>
            """)
        #expect(pages[0].words.map(\.text) == ["one", "two"])
        #expect(pages[0].words[1].box == Rect(left: 30, top: 20, width: 0, height: 8))
    }

    @Test func cornersInTheWrongOrderAreSwapped() {
        let pages = read("<page><word xMin=\"30\" yMin=\"28\" xMax=\"10\" yMax=\"20\">one</word></page>")
        #expect(pages[0].words[0].box == Rect(left: 10, top: 20, width: 20, height: 8))
    }

    @Test(arguments: [
        ("&lt;b&gt; &quot;x&apos;", "<b> \"x'"), ("&#233;&#xe9;", "\u{e9}\u{e9}"), ("&#xD800;", "&#xD800;"),
        ("&nosuch; & &", "&nosuch; & &"), ("&#999999999;", "&#999999999;"), ("&amp;amp;", "&amp;"), ("&#;", "&#;"),
    ])
    func entitiesAreDecodedOnceAndNothingElseIsTouched(text: String, expected: String) {
        #expect(decodeEntities(Array(text.utf8)) == expected)
    }

    @Test func bytesThatAreNoTextAreReplaced() {
        var reader = PageTextReader(sizes: [letter])
        var bytes = Array("<page><word xMin=\"1\" yMin=\"1\" xMax=\"2\" yMax=\"2\">a".utf8)
        bytes += [0xff, 0xc0, 0xaf]
        bytes += Array("</word></page>".utf8)
        #expect(reader.receive(bytes)[0].words[0].text.hasPrefix("a\u{fffd}"))
    }

    @Test func aWordWithoutEndIsCut() {
        let long = String(repeating: "x", count: PageTextReader.maxWordLength * 3)
        let pages = read("<page><word xMin=\"1\" yMin=\"1\" xMax=\"2\" yMax=\"2\">\(long)</word></page>")
        #expect(pages[0].words[0].text.count == PageTextReader.maxWordLength)
    }

    @Test func blanksAloneAreNoWord() {
        let pages = read("<page><word xMin=\"1\" yMin=\"1\" xMax=\"2\" yMax=\"2\"> \u{a0} </word></page>")
        #expect(pages[0].words.isEmpty)
    }

    @Test func anyBytesAreSurvived() {
        var generator = SplitMix(seed: 7)
        let bytes = Array(output.utf8)
        for _ in 0..<300 {
            var broken = bytes
            for _ in 0..<20 {
                broken[Int.random(in: 0..<broken.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            var reader = PageTextReader(sizes: [letter])
            let pages = reader.receive(broken)
            #expect(pages.count <= 1)
            #expect(pages.allSatisfy { $0.words.count <= 4 })
        }
    }
}

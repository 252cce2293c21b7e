import Annotations
import Glibc
import Interchange
import PDFPages
import TestSupport
import Testing

@Suite("Aligning editions")
struct EditionAlignmentTests {
    /// Lines of words, each 20 points wide, from the top of the page.
    private static func page(_ lines: [String], top: Double = 100) -> PageText {
        var words: [PageText.Word] = []
        for (line, text) in lines.enumerated() {
            for (place, word) in text.split(separator: " ").enumerated() {
                let box = Rect(left: 50 + Double(place) * 25, top: top + Double(line) * 20, width: 20, height: 12)
                words.append(PageText.Word(text: String(word), box: box, line: line, block: 0, flow: 0))
            }
        }
        return PageText(width: 600, height: 800, words: words)
    }

    private static func mark(_ rects: [Rect], page: Int = 0, id: String = "1") -> Record {
        var object = JSONObject()
        object["type"] = "pspdfkit/markup/highlight"
        object["pageIndex"] = .number(JSONNumber(Int64(page)))
        object["rects"] = .array(rects.map(\.json))
        object["bbox"] = rects.dropFirst().reduce(rects[0]) { $0.union($1) }.json
        return Record(id: id, content: Content(object))
    }

    private static func word(_ place: Int, _ line: Int, top: Double = 100, count: Int = 1) -> Rect {
        Rect(left: 50 + Double(place) * 25, top: top + Double(line) * 20, width: Double(count) * 25 - 5, height: 12)
    }

    private static let lines = ["one two three four five six", "seven eight nine ten eleven twelve"]

    @Test func theSamePagesMoveNothing() {
        let alignment = EditionAlignment(from: [Self.page(Self.lines)], to: [Self.page(Self.lines, top: 100.4)])
        #expect(alignment.isSameEdition && alignment.share == 1)
        let record = Self.mark([Rect(left: 1, top: 2, width: 3, height: 4)])
        #expect(alignment.moving([record]).found == [record])
    }

    /// Common words stand in every text, in the same order by chance, but seldom in passages.
    @Test func commonWordsDoNotMakeTwoTextsEditionsOfOne() {
        let paper = ["we show that the cost of a call is low and you can see in the table how it grew"]
        let slogan = ["the best of all and you get it now"]
        let other = EditionAlignment(from: [Self.page(slogan)], to: [Self.page(paper)])
        #expect(other.share < EditionAlignment.leastShare)
        let edited = ["today we show that the cost of a call is high and you can see in this table how it fell"]
        let edition = EditionAlignment(from: [Self.page(edited)], to: [Self.page(paper)])
        #expect(edition.share > 0.5)
        // Too short for passages.
        let short = EditionAlignment(from: [Self.page(["one two"])], to: [Self.page(["one two three"])])
        #expect(short.share == 1)
    }

    @Test func marksFollowTheirWords() {
        let cases: [(to: [PageText], rects: [Rect], page: Int, expected: [Rect]?)] = [
            // Further down.
            ([Self.page(Self.lines, top: 300)], [Self.word(1, 0, count: 2)], 0, [Self.word(1, 0, top: 300, count: 2)]),
            // On the next page.
            (
                [Self.page(["preface"]), Self.page(Self.lines)], [Self.word(1, 0, count: 2)], 1,
                [Self.word(1, 0, count: 2)]
            ),
            // Broken into two lines.
            (
                [Self.page(["one two", "three four five six", Self.lines[1]])], [Self.word(1, 0, count: 2)], 0,
                [Self.word(1, 0), Self.word(0, 1)]
            ),
            // One of three words was replaced.
            (
                [Self.page(["one two drei four five six", Self.lines[1]], top: 140)], [Self.word(1, 0, count: 3)], 0,
                [Self.word(1, 0, top: 140, count: 3)]
            ),
            // All of them were.
            (
                [Self.page(["one zwei drei four five six", Self.lines[1]], top: 140)], [Self.word(1, 0, count: 2)], 0,
                nil
            ),
        ]
        for (number, (to, rects, page, expected)) in cases.enumerated() {
            let alignment = EditionAlignment(from: [Self.page(Self.lines)], to: to)
            #expect(!alignment.isSameEdition)
            let (found, lost) = alignment.moving([Self.mark(rects)])
            #expect(lost.count == (expected == nil ? 1 : 0), "case \(number)")
            let places = found.first.map { Annotation($0) }
            #expect(places?.rects == expected, "case \(number)")
            if expected != nil { #expect(places?.pageIndex == page, "case \(number)") }
        }
    }

    @Test func aMarkMayEndWithinAWord() {
        let alignment = EditionAlignment(from: [Self.page(Self.lines)], to: [Self.page(Self.lines, top: 200)])
        let half = Rect(left: 85, top: 100, width: 15, height: 12)
        let (found, _) = alignment.moving([Self.mark([half])])
        #expect(Annotation(found[0]).rects == [Rect(left: 85, top: 200, width: 10, height: 12)])
    }

    @Test func aPassageThatWasMovedIsFound() {
        let others = (0..<6).map { line in (0..<6).map { "w\(line)\($0)" }.joined(separator: " ") }
        // The first two lines stand at the end, on another page.
        let alignment = EditionAlignment(
            from: [Self.page(Self.lines + others)], to: [Self.page(others), Self.page(Self.lines)])
        let note = RecordMergeTests.note("1", "margin", left: 30)
        let (found, lost) = alignment.moving([
            Self.mark([Self.word(1, 1, count: 3)]), note, Self.mark([Self.word(0, 4, count: 2)], id: "2"),
        ])
        #expect(lost.isEmpty)
        #expect(found.map { Annotation($0).pageIndex } == [1, 1, 0])
        #expect(Annotation(found[0]).rects == [Self.word(1, 1, count: 3)])
        #expect(Annotation(found[2]).rects == [Self.word(0, 2, count: 2)])
        #expect(alignment.share == 1)
    }

    @Test func wordsAreNamedAndFoundAgainIfOnlyOnePlaceHasThem() {
        let alignment = EditionAlignment(
            from: [Self.page(Self.lines)], to: [Self.page(["five six again", Self.lines[0]]), Self.page(["five six"])])
        let mark = Self.mark([Self.word(2, 0, count: 2)])
        #expect(alignment.words(of: mark.content) == ["three", "four"])
        let note = RecordMergeTests.note("1", "margin", left: 30)
        #expect(alignment.words(of: note.content) == ["one", "two", "three", "four", "five"])
        let elsewhere = Self.mark([Self.word(9, 9)], page: 7)
        #expect(alignment.words(of: elsewhere.content).isEmpty)
        let found = alignment.moving(elsewhere, toWords: ["three", "four"])
        #expect(found.map { Annotation($0).rects } == [Self.word(2, 1, count: 2)])
        #expect(found?.content["pageIndex"] == 0)
        for words in [["five", "six"], ["nowhere"], []] { #expect(alignment.moving(elsewhere, toWords: words) == nil) }
        #expect(alignment.moving(note, toWords: ["three", "four"]) == nil)
    }

    @Test func notesAndRepliesKeepTheirDistance() {
        let alignment = EditionAlignment(
            from: [Self.page(Self.lines)], to: [Self.page(["preface"]), Self.page(Self.lines, top: 150)])
        let note = RecordMergeTests.note("1", "margin", left: 30)
        let far = Record(
            id: "3",
            content: note.content.changing { $0["bbox"] = Rect(left: 500, top: 700, width: 20, height: 20).json })
        let records = [
            note, RecordMergeTests.reply("2", to: "1", "yes"), far, RecordMergeTests.reply("4", to: "3", "no"),
        ]
        let (found, lost) = alignment.moving(records)
        #expect(found.map(\.id) == ["1", "2"] && lost.map(\.id) == ["3", "4"])
        #expect(found.allSatisfy { $0.content["pageIndex"] == 1 })
        #expect(Annotation(found[0]).box == Rect(left: 30, top: 70, width: 20, height: 20))
    }

    /// Texts of one language share their frequent words, one by one, but no passages.
    @Test(arguments: 0..<10)
    func unrelatedTextsHaveNoPassagesInCommon(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        /// The nth word is as frequent as 1/n.
        func text() -> [String] {
            (0..<2000).map { _ in "w\(Int(exp(Double.random(in: 0..<7, using: &random))))" }
        }
        let (one, other) = (text(), text())
        func share(_ one: [String], _ other: [String]) -> Double {
            EditionAlignment(
                from: [Self.page([one.joined(separator: " ")])], to: [Self.page([other.joined(separator: " ")])]
            ).share
        }
        #expect(share(one, other) < 0.02)
        #expect(share(one, Array(one[700..<1400])) == 1)
        #expect(share(one, Array(other[..<1500]) + Array(one[..<500])) > 0.24)
        var edited = one
        for place in stride(from: 0, to: edited.count, by: 12) { edited[place] = "new" }
        #expect(share(one, edited) > 0.85)
    }

    @Test func shortTextsAreComparedWhole() {
        func share(_ one: String, _ other: String) -> Double {
            EditionAlignment(from: [Self.page([one])], to: [Self.page([other])]).share
        }
        #expect(share("Two words", "Two words more") == 1)
        #expect(share("Two words", "Two other ones") == 0)
        #expect(share("a b c d", "a b c e f g") == 0)
    }

    /// Long texts with many repetitions: what is found is equal and in order, and most of what both have is found.
    @Test(arguments: 0..<10)
    func randomEdits(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let words = (0..<3000).map { _ in "w\(Int.random(in: 0..<400, using: &random))" }
        var edited = words
        for _ in 0..<100 {
            let place = Int.random(in: 0..<edited.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: edited.remove(at: place)
            case 1: edited.insert("w\(Int.random(in: 0..<400, using: &random))", at: place)
            default: edited[place] = "w\(Int.random(in: 0..<400, using: &random))"
            }
        }
        func pages(_ words: [String]) -> [PageText] {
            stride(from: 0, to: words.count, by: 300).map { start in
                let part = words[start..<min(start + 300, words.count)]
                return Self.page(
                    stride(from: part.startIndex, to: part.endIndex, by: 10).map { line in
                        part[line..<min(line + 10, part.endIndex)].joined(separator: " ")
                    }, top: 10)
            }
        }
        let (from, to) = (pages(words), pages(edited))
        let alignment = EditionAlignment(from: from, to: to)
        #expect(alignment.share > 0.9, "seed \(seed): \(alignment.share)")
        var (found, places): (Int, [(Int, Int)]) = (0, [])
        for page in from.indices {
            for (number, word) in from[page].words.enumerated() {
                let (moved, _) = alignment.moving([Self.mark([word.box], page: page)])
                guard let record = moved.first else { continue }
                let annotation = Annotation(record)
                let target = annotation.pageIndex ?? 0
                let index = to[target].words.firstIndex { $0.box == annotation.rects[0] }
                #expect(
                    index.map { to[target].words[$0].text } == word.text, "seed \(seed), page \(page), word \(number)")
                places.append((target, index ?? -1))
                found += 1
            }
        }
        #expect(found > 2700, "seed \(seed)")
        #expect(zip(places, places.dropFirst()).allSatisfy { $0.0 < $1.0 || ($0.0 == $1.0 && $0.1 < $1.1) })
    }
}

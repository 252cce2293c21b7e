import Annotations
import PDFPages
import Screen
import TestSupport
import Testing

@testable import PageLayout

/// Properties of every page, checked on random and hostile ones.
@Suite struct PagePropertyTests {
    static let seeds = Array(0..<60)

    /// Creates words anywhere and in lines, of all sizes, some rotated, wide or overlapping.
    static func randomPage(_ seed: Int) -> PageText {
        var dice = SeededRandom(seed: UInt64(seed + 1))
        var page = PageText(width: 300 + Double(dice.roll(400)), height: 400 + Double(dice.roll(500)), words: [])
        let texts = [
            "a", "word", "hyphen-", "ated", "日本語", "שלום", "12", "=", "(so)", "e.", "U", "lo\u{301}ng", "\u{1B}x", "·",
        ]
        for _ in 0..<dice.roll(25) {
            let (x, y) = (Double(dice.roll(Int(page.width))), Double(dice.roll(Int(page.height))))
            let size = [6.0, 9, 10, 10, 10, 14, 30][dice.roll(7)]
            switch dice.roll(4) {
            case 0:
                for row in 0..<dice.roll(6) {
                    let words = (0..<dice.roll(9)).map { _ in texts[dice.roll(texts.count)] }
                    page.add(words.joined(separator: " "), x: x, y: y + size * 1.2 * Double(row), size: size)
                }
            case 1:
                for row in 0..<dice.roll(6) {
                    for column in 0..<4 {
                        let text = texts[dice.roll(texts.count)]
                        page.add(text, x: 40 + Double(column) * 80, y: y + 12 * Double(row))
                    }
                }
            case 2:
                let line = (page.words.last?.line ?? 0) + 1
                let box = Rect(left: x, top: y, width: size, height: size * 5)
                page.words.append(.init(text: "turned", box: box, line: line, block: 0, flow: 0))
            default:
                page.add(
                    (0..<dice.roll(12)).map { _ in texts[dice.roll(texts.count)] }.joined(separator: " "), x: x, y: y)
            }
        }
        return page
    }

    @Test(arguments: seeds)
    func everyWordIsAGlyphOnce(seed: Int) {
        let text = Self.randomPage(seed)
        let page = PageGlyphs(text)
        func letters(_ strings: [String]) -> [Character: Int] {
            strings.joined().filter { $0 != " " && $0 != "\n" }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        let source = text.words.map { CleanText(cleaning: $0.text).string }
        let shown = page.glyphs.map { String(String.UnicodeScalarView($0.shown.scalars)) }
        #expect(letters(source) == letters(shown))
        // Lines and blocks cover the glyphs without gaps.
        #expect(page.lines.flatMap { Array($0.glyphs) } == Array(page.glyphs.indices))
        #expect(page.blocks.flatMap { Array($0.glyphs) } == Array(page.glyphs.indices))
        #expect(page.glyphs.allSatisfy { page.lines[$0.line].block < page.blocks.count })
    }

    @Test(arguments: seeds)
    func everyGlyphHasOneCellInBothViews(seed: Int) {
        let page = PageGlyphs(Self.randomPage(seed))
        for view in [TypesetPage.reading(page, width: 30), .reading(page, width: 76), .layout(page)] {
            var seen: [Int: [TypesetPage.Spot]] = [:]
            for (row, cells) in view.rows.map(\.cells).enumerated() {
                #expect(cells.first == nil || cells.first == .blank)
                for case (let column, .glyph(let index)) in cells.enumerated() {
                    seen[index, default: []].append(.init(row: row, column: column))
                }
            }
            for (index, glyph) in page.glyphs.enumerated() {
                let spot = view.spots[index]
                #expect(view.rows.indices.contains(spot.row))
                if case .placeholder = view.rows[spot.row].role { continue }
                // A hidden hyphen has no cell, nor does a space that does not fit after its row.
                if glyph.role == .lineEndHyphen && view.view == .reading || glyph.isSpace && seen[index] == nil {
                    continue
                }
                #expect(seen[index]?.count == glyph.cells)
                #expect(seen[index]?.first == spot)
            }
        }
    }

    @Test(arguments: seeds)
    func theReadingViewKeepsItsWidth(seed: Int) {
        let page = PageGlyphs(Self.randomPage(seed))
        for width in [24, 40, 76] {
            let view = TypesetPage.reading(page, width: width)
            for row in view.rows { #expect(row.cells.count <= width + 2) }
            #expect(view.width <= width + 2)
        }
    }

    @Test(arguments: seeds)
    func motionsThereAndBackEndWhereTheyBegan(seed: Int) {
        let page = PageGlyphs(Self.randomPage(seed))
        let view = TypesetPage.reading(page, width: 40)
        var dice = SeededRandom(seed: UInt64(seed))
        for _ in 0..<min(40, page.count) {
            let glyph = dice.roll(page.count)
            if page.glyphs[glyph].role == .lineEndHyphen { continue }
            let cursor = PageCursor(glyph: glyph)
            if let right = view.moved(cursor, by: .right, in: page) {
                #expect(view.moved(right, by: .left, in: page)?.glyph == glyph)
            }
            if let word = view.moved(cursor, by: .wordForward, in: page) {
                let back = view.moved(word, by: .wordBack, in: page)?.glyph
                #expect(back.map { $0 <= glyph } ?? true)
            }
            for motion in PageMotion.allCases {
                guard let next = view.moved(cursor, by: motion, in: page) else { continue }
                #expect(page.glyphs.indices.contains(next.glyph))
            }
        }
    }

    @Test(arguments: seeds)
    func wordsAreReachedOneByOneToTheEndOfThePage(seed: Int) {
        let page = PageGlyphs(Self.randomPage(seed))
        guard !page.isEmpty else { return }
        let view = TypesetPage.reading(page, width: 40)
        var cursor = PageCursor(glyph: 0)
        var steps = 0
        while let next = view.moved(cursor, by: .wordForward, in: page), steps <= page.count {
            #expect(next.glyph > cursor.glyph)
            cursor = next
            steps += 1
        }
        #expect(page.words.last?.core.lowerBound == cursor.glyph)
    }

    @Test(arguments: seeds)
    func theBoxesOfASelectionHoldItsGlyphs(seed: Int) {
        let page = PageGlyphs(Self.randomPage(seed))
        var dice = SeededRandom(seed: UInt64(seed + 7))
        for _ in 0..<min(10, page.count) {
            let (first, second) = (dice.roll(page.count), dice.roll(page.count))
            let range = page.trimmed(min(first, second)..<max(first, second) + 1)
            let rects = page.rects(of: range)
            for index in range where !page.glyphs[index].isSpace {
                let box = page.glyphs[index].box
                #expect(rects.contains { $0.overlap(box) > 0.99 * box.width * box.height })
            }
            #expect(rects.count <= Set(range.map { page.glyphs[$0].line }).count)
        }
    }

    @Test func hostileBoxesAreLeftOut() {
        var text = drawnPage("good words")
        for box in [
            Rect(left: .nan, top: 0, width: 1, height: 1), Rect(left: 0, top: .infinity, width: 1, height: 1),
            Rect(left: 0, top: 0, width: 1e300, height: 1), Rect(left: -1e9, top: 0, width: 1, height: 1),
        ] {
            text.words.append(.init(text: "bad", box: box, line: 1, block: 0, flow: 0))
        }
        text.words.append(.init(text: "", box: Rect(left: 0, top: 0, width: 1, height: 1), line: 2, block: 0, flow: 0))
        text.words.append(
            .init(text: "   ", box: Rect(left: 0, top: 0, width: 1, height: 1), line: 2, block: 0, flow: 0))
        let page = PageGlyphs(text)
        #expect(page.text(of: 0..<page.count) == "good words")
    }

    @Test func boxesWithoutSizeOrTurnedInsideOutAreKept() {
        var text = PageText(width: 100, height: 100, words: [])
        for (index, box) in [
            Rect(left: 10, top: 10, width: 0, height: 0), Rect(left: 60, top: 40, width: -20, height: -8),
        ].enumerated() {
            text.words.append(.init(text: "word", box: box, line: index, block: 0, flow: 0))
        }
        let page = PageGlyphs(text)
        #expect(page.words.count == 2)
        #expect(TypesetPage.layout(page).rows.count <= 10)
    }

    @Test func tooManyWordsAreCutOff() {
        var text = PageText(width: 600, height: 800, words: [])
        for index in 0..<30_000 {
            let box = Rect(left: Double(index % 100) * 6, top: Double(index / 100) * 2.7, width: 5, height: 2)
            text.words.append(.init(text: "x", box: box, line: index / 100, block: 0, flow: 0))
        }
        #expect(PageGlyphs(text).words.count == PageWord.maxWords)
    }
}

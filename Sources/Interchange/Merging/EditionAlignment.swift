package import Annotations
package import PDFPages

/// Moves annotations of one edition of a document to the same words in another one.
///
/// Text markups follow the words that they mark. Everything else keeps its distance from the nearest word that both
/// editions have. A page with the same words at the same places in both is not compared further.
package struct EditionAlignment: Sendable {
    private let from: [PageText]
    private let to: [PageText]
    private let alignment: WordAlignment
    /// The words of all pages, and the first of each page.
    private let words: [Word]
    private let starts: [Int]
    private let newWords: [Word]
    /// The share of the words that both editions have, of the shorter one.
    package let share: Double
    /// The share of the words that both editions have in passages, of the shorter one.
    package let shareOfPassages: Double

    private struct Word {
        let page: Int
        let word: PageText.Word
        var box: Rect { word.box }
    }

    /// How far a word may be from an annotation that it holds, in points.
    private static let reach = 144.0
    /// The share of the words that two editions of one document have in common at least.
    package static let leastShare = 0.2
    /// How many words are given of what a mark marks, and of what is next to another annotation.
    private static let (maxWords, maxWordsBeside) = (60, 5)

    /// - Parameters:
    ///   - from: the pages of the edition that has the annotations.
    ///   - to: the pages of the edition that gets them.
    package init(from: [PageText], to: [PageText]) {
        (self.from, self.to) = (from, to)
        words = Self.words(of: from)
        newWords = Self.words(of: to)
        starts = from.indices.reduce(into: [0]) { $0.append($0[$1] + from[$1].words.count) }
        alignment = WordAlignment(words.map(\.word.text), newWords.map(\.word.text))
        share = alignment.share
        shareOfPassages = alignment.shareOfPassages
    }

    private static func words(of pages: [PageText]) -> [Word] {
        pages.enumerated().flatMap { page, text in text.words.map { Word(page: page, word: $0) } }
    }

    /// Whether there is anything to compare.
    package var hasWords: Bool { !words.isEmpty && !newWords.isEmpty }

    /// Whether one edition has words and the other one has none, so that nothing tells whether they are one document.
    package var hasWordsOnOneSide: Bool { words.isEmpty != newWords.isEmpty }

    /// Whether both editions look the same, as far as their words tell.
    package var isSameEdition: Bool { from.count == to.count && from.indices.allSatisfy(isSame) }

    private func isSame(page: Int) -> Bool {
        guard from.indices.contains(page), to.indices.contains(page) else { return false }
        let (one, other) = (from[page], to[page])
        guard abs(one.width - other.width) < 1, abs(one.height - other.height) < 1 else { return false }
        // A page that was only scanned in one of them has no words there.
        guard !one.words.isEmpty, !other.words.isEmpty else { return true }
        return one.words.count == other.words.count
            && zip(one.words, other.words).allSatisfy { $0.text.isExactly($1.text) && $0.box.isNear($1.box) }
    }

    /// Returns the records at their places in the other edition, and those that have none there. A reply follows its
    /// annotation.
    package func moving(_ records: [Record]) -> (found: [Record], lost: [Record]) {
        var places: [ByteOrdered: Shift?] = [:]
        var (found, lost): ([Record], [Record]) = ([], [])
        for var record in records where record.contentType != .comments {
            let moved = shift(of: record.content)
            places[ByteOrdered(record.id)] = .some(moved)
            guard let moved else {
                lost.append(record)
                continue
            }
            record.content = moved.apply(to: record.content)
            found.append(record)
        }
        for var record in records where record.contentType == .comments {
            guard let root = record.content["rootId"]?.string, let shift = places[ByteOrdered(root)] else {
                found.append(record)
                continue
            }
            guard let shift else {
                lost.append(record)
                continue
            }
            record.content = shift.applyToReply(record.content)
            found.append(record)
        }
        return (found, lost)
    }

    /// Where an annotation goes.
    private struct Shift {
        var page: Int
        var offset: Point
        /// For text markups; empty for everything else.
        var rects: [Rect] = []
        var size: PageText?

        func apply(to content: Content) -> Content {
            guard rects.isEmpty else {
                let box = rects.dropFirst().reduce(rects[0]) { $0.union($1) }
                return onPage(content).changing { object in
                    object["rects"] = .array(rects.map(\.json))
                    object["bbox"] = box.json
                }
            }
            guard offset != Point(x: 0, y: 0), let box = content["bbox"].flatMap(Rect.init(json:)) else {
                return onPage(content)
            }
            return onPage(content.changingBox(to: within(box.moved(by: offset)))).changing { object in
                guard var callout = object["callout"]?.object else { return }
                for key in ["start", "knee", "end"] {
                    callout[key] = callout[key].flatMap(Point.init(json:)).map {
                        Point(x: $0.x + offset.x, y: $0.y + offset.y).json
                    }
                }
                object["callout"] = .object(callout)
            }
        }

        func applyToReply(_ content: Content) -> Content {
            onPage(content).changing { object in
                guard let box = object["bbox"].flatMap(Rect.init(json:)) else { return }
                object["bbox"] = within(box.moved(by: offset)).json
            }
        }

        private func onPage(_ content: Content) -> Content {
            guard content["pageIndex"]?.integer != Int64(page) else { return content }
            return content.changing { $0["pageIndex"] = .number(JSONNumber(Int64(page))) }
        }

        private func within(_ box: Rect) -> Rect {
            guard let size else { return box }
            var box = box
            box.left = max(0, min(box.left, size.width - box.width))
            box.top = max(0, min(box.top, size.height - box.height))
            return box
        }
    }

    private func shift(of content: Content) -> Shift? {
        guard let page = content["pageIndex"]?.integer.flatMap({ Int(exactly: $0) }), from.indices.contains(page) else {
            return nil
        }
        if isSame(page: page) { return Shift(page: page, offset: Point(x: 0, y: 0)) }
        let rects = (content["rects"]?.array ?? []).compactMap(Rect.init(json:))
        if AnnotationKind(of: content.object).isMarkup, !rects.isEmpty { return shift(ofWordsUnder: rects, page) }
        return content["bbox"].flatMap(Rect.init(json:)).flatMap { shift(near: $0, page) }
    }

    /// Follows the marked words; those that the other edition lacks are left out, if most are there.
    private func shift(ofWordsUnder rects: [Rect], _ page: Int) -> Shift? {
        let marked = words(under: rects, page)
        let found = marked.compactMap { mark in
            alignment.partners[mark.word].map { (word: newWords[$0], start: mark.start, end: mark.end) }
        }
        guard !found.isEmpty, found.count * 2 >= marked.count else { return nil }
        // An annotation stands on one page.
        let pages = Dictionary(grouping: found, by: \.word.page)
        guard let most = pages.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }) else { return nil }
        return shift(from: rects[0], to: most.value, on: most.key)
    }

    /// Returns the words that a text markup marks, and between which parts of their widths.
    private func words(under rects: [Rect], _ page: Int) -> [(word: Int, start: Double, end: Double)] {
        var marked: [(word: Int, start: Double, end: Double)] = []
        for rect in rects {
            for index in starts[page]..<starts[page + 1] {
                let box = words[index].box
                guard box.middle.y > rect.top - 1, box.middle.y < rect.bottom + 1, box.width > 0 else { continue }
                let (left, right) = (max(box.left, rect.left), min(box.right, rect.right))
                guard right - left > 0.2 * min(box.width, rect.width) else { continue }
                // A mark may begin or end within a word.
                marked.append((index, (left - box.left) / box.width, (right - box.left) / box.width))
            }
        }
        return marked
    }

    private func shift(from old: Rect, to words: [(word: Word, start: Double, end: Double)], on page: Int) -> Shift {
        var (lines, last): ([Rect], Int?) = ([], nil)
        for mark in words {
            var box = mark.word.box
            box = Rect(
                left: box.left + mark.start * box.width, top: box.top, width: (mark.end - mark.start) * box.width,
                height: box.height)
            if last == mark.word.word.line, let line = lines.popLast() { box = line.union(box) }
            lines.append(box)
            last = mark.word.word.line
        }
        return Shift(
            page: page, offset: Point(x: lines[0].left - old.left, y: lines[0].top - old.top), rects: lines,
            size: to[page])
    }

    /// Keeps the distance from the nearest word that both editions have.
    private func shift(near box: Rect, _ page: Int) -> Shift? {
        guard let nearest = word(nearest: box, page, where: { alignment.partners[$0] != nil }),
            let partner = alignment.partners[nearest]
        else { return nil }
        let (old, new) = (words[nearest], newWords[partner])
        return Shift(
            page: new.page, offset: Point(x: new.box.left - old.box.left, y: new.box.top - old.box.top),
            size: to[new.page])
    }

    private func word(nearest box: Rect, _ page: Int, where isGood: (Int) -> Bool = { _ in true }) -> Int? {
        var nearest: (distance: Double, word: Int)?
        for index in starts[page]..<starts[page + 1] where isGood(index) {
            let distance = words[index].box.distance(to: box.middle)
            if distance < nearest?.distance ?? .infinity { nearest = (distance, index) }
        }
        guard let nearest, nearest.distance <= Self.reach + max(box.width, box.height) / 2 else { return nil }
        return nearest.word
    }

    // MARK: Words

    /// Returns the words that a text markup marks in the old edition, or those next to another annotation; empty if there
    /// are none.
    package func words(of content: Content) -> [String] {
        guard let page = content["pageIndex"]?.integer.flatMap({ Int(exactly: $0) }), from.indices.contains(page) else {
            return []
        }
        let rects = (content["rects"]?.array ?? []).compactMap(Rect.init(json:))
        if AnnotationKind(of: content.object).isMarkup, !rects.isEmpty {
            return words(under: rects, page).prefix(Self.maxWords).map { words[$0.word].word.text }
        }
        guard let box = content["bbox"].flatMap(Rect.init(json:)), let nearest = word(nearest: box, page) else {
            return []
        }
        let first = max(starts[page], nearest - Self.maxWordsBeside / 2)
        return words[first..<min(starts[page + 1], first + Self.maxWordsBeside)].map(\.word.text)
    }

    /// Returns a text markup at the only place of the new edition that has these words; nil if none or several have them.
    package func moving(_ record: Record, toWords sought: [String]) -> Record? {
        guard AnnotationKind(of: record.content.object).isMarkup, !sought.isEmpty, sought.count <= newWords.count,
            let old = record.content["rects"]?.array?.first.flatMap(Rect.init(json:))
        else { return nil }
        let sought = sought.map(ByteOrdered.init)
        let places = (0...newWords.count - sought.count).filter { start in
            sought.indices.allSatisfy { ByteOrdered(newWords[start + $0].word.text) == sought[$0] }
        }
        guard places.count == 1, let start = places.first else { return nil }
        let found = newWords[start..<start + sought.count].map { (word: $0, start: 0.0, end: 1.0) }
        let page = found[0].word.page
        var record = record
        record.content = shift(from: old, to: found.filter { $0.word.page == page }, on: page).apply(to: record.content)
        return record
    }
}

extension Rect {
    fileprivate func moved(by offset: Point) -> Rect {
        Rect(left: left + offset.x, top: top + offset.y, width: width, height: height)
    }

    fileprivate func isNear(_ other: Rect) -> Bool {
        abs(left - other.left) < 1 && abs(top - other.top) < 1 && abs(right - other.right) < 1
            && abs(bottom - other.bottom) < 1
    }

    fileprivate func distance(to point: Point) -> Double {
        let x = max(left - point.x, point.x - right, 0)
        let y = max(top - point.y, point.y - bottom, 0)
        return (x * x + y * y).squareRoot()
    }
}

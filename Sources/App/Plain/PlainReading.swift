import Annotations
import Authorization
import InstantCore
import PDFPages
import PageLayout
import Screen

// Printing the page.
extension PlainState {
    /// `page 3, 4 marks>`
    var prompt: CleanText {
        if writing != nil { return "" }
        if let prompt = app.prompt { return CleanText(cleaning: prompt.label.trimmed + " ") }
        switch question {
        case .token?: return "token, or @ and a file name (hidden): "
        case .which(let choice)?: return "which of \(choice.places.count)? "
        case nil: break
        }
        guard let document = app.document else { return "library> " }
        let count = document.page.rows.count
        return "page \(document.page.index + 1), \(count) mark\(count == 1 ? "" : "s")> "
    }

    var hidesInput: Bool { question == .token && app.prompt == nil && writing == nil }

    /// Prints `hotos17, layer review, 7 pages, 38 annotations, 2 unread, read-only: no write`.
    mutating func sayOpened() -> [Effect] {
        guard let document = app.document else {
            if let problem = app.opening?.problem {
                say("\(app.cannotOpen): \(problem)")
                hasFailed = true
                return app.quit()
            }
            return []
        }
        changes.clear()
        app.document?.focus = .page
        var facts: [CleanText] = ["\(document.title)"]
        if !document.isLocal {
            facts.append(document.reference.layer.isEmpty ? "default layer" : "layer \(document.reference.layer)")
        }
        facts.append(document.pageCount.map { "\($0) page\($0 == 1 ? "" : "s")" } ?? document.pdf.plain)
        if let window = document.list.window {
            facts.append("\(window.all) annotation\(window.all == 1 ? "" : "s")")
            if window.unread > 0 { facts.append("\(window.unread) unread") }
        }
        if let why = document.editDenial({ _ in .createAnnotation(group: document.groupForNew) }) {
            facts.append(CleanText(cleaning: why.saysReadOnly || why.isOfFile ? why.description : "read-only: \(why)"))
        }
        if document.page.index > 0 { facts.append("at page \(document.page.index + 1)") }
        if let file = document.file {
            if file.unwritten > 0 { facts.append("\(file.unwrittenChanges) not in the file: type w to write") }
            if file.condition == .missing { facts.append("the file is missing") }
            if file.condition == .silent { facts.append("the disk with the file does not answer") }
            if !file.lostMarks.isEmpty { facts.append("\(file.lostMarks.count) marks without words: type lost-marks") }
        }
        if isOffline, !document.isLocal { facts.append("offline: this is the local copy") }
        return only(facts.dropFirst().reduce(facts[0]) { $0 + ", " + $1 })
    }

    mutating func sayPage() {
        guard let document = app.document else { return }
        if let why = document.pdf.problem { return say(why) }
        let count = document.page.rows.count
        say("Page \(document.page.index + 1) of \(document.pageCount ?? 0), \(count) mark\(count == 1 ? "" : "s").")
        if document.page.glyphs?.isEmpty != false { sayMarksByPlace() }
    }

    /// Prints one sentence per line, with the start and end of its marks.
    mutating func sayText() {
        guard let document = app.document else { return }
        guard let glyphs = document.page.glyphs, !glyphs.isEmpty, let marks = document.page.marks else {
            say(document.pdf.problem ?? document.reasonForNoText)
            return sayMarksByPlace()
        }
        let names = document.page.rows.map { name(of: $0) }
        let next = document.texts.glyphs(document.page.index + 1)
        let hyphen = glyphs.cutWord
        for range in glyphs.sentences {
            let cuts = marks.cuts(within: range)
            var text: CleanText = ""
            var place = range.lowerBound
            for cut in cuts {
                text += glyphs.words(place..<cut.glyph)
                let row = document.page.rows[cut.mark]
                text +=
                    cut.isStart
                    ? " [start \(names[cut.mark])\(byAuthor(of: row))] " : " [end \(names[cut.mark])]"
                place = cut.glyph
            }
            if let hyphen, range.contains(hyphen), place <= hyphen {
                text += glyphs.words(place..<hyphen)
                text +=
                    next.map { "\($0.firstWord) [continues on page \(document.page.index + 2)]" as CleanText } ?? "..."
                place = hyphen + 1
            }
            say((text + glyphs.words(place..<range.upperBound)).withSingleBlanks)
            for mark in marks.ending(within: range) {
                sayNote(document.page.rows[mark], isMark: !marks.ranges[mark].isEmpty)
            }
        }
    }

    /// Prints, after a sentence, a note on it or the text of a mark that ends in it.
    private mutating func sayNote(_ row: ListRow, isMark: Bool) {
        guard !isMark || !row.text.isEmpty else { return }
        let name = name(of: row)
        say((isMark ? name + " says" : "\(name)\(byAuthor(of: row))" as CleanText).saying(row.text))
    }

    /// Prints the positions of the marks of a page without text.
    private mutating func sayMarksByPlace() {
        guard let document = app.document else { return }
        let sizes = document.pdf.info?.pages ?? []
        for row in document.page.rows {
            let size = sizes.indices.contains(document.page.index) ? sizes[document.page.index] : nil
            let place = size.flatMap { row.box?.place(width: $0.width, height: $0.height) } ?? "unknown position"
            let name = name(of: row)
            say(("\(place): \(name)\(byAuthor(of: row))" as CleanText).saying(row.text))
        }
    }

    mutating func sayFound(_ words: String) {
        guard let glyphs = app.document?.page.glyphs else { return say("This page has no text.") }
        let found = glyphs.occurrences(of: words)
        guard !found.isEmpty else { return say("Not on this page: \(words)") }
        var last: Range<Int>?
        for place in found {
            let sentence = glyphs.sentence(around: place.lowerBound)
            if sentence != last { say(glyphs.words(sentence)) }
            last = sentence
        }
    }

    /// Returns `highlight 1`.
    mutating func name(of row: ListRow) -> CleanText { "\(row.kind.name) \(numbers.number(of: row.id))" }

    /// Returns ` by ana`; empty for a record without an author.
    func byAuthor(of row: ListRow) -> CleanText { app.document?.author(of: row).map { " by \($0)" } ?? "" }
}

extension StatusLine {
    static func plain(_ app: AppState) -> CleanText {
        guard let document = app.document else { return "library" }
        let line = StatusLine(app, document, art: .ascii, hasTitle: true)
        let title = CleanText(cleaning: document.isLocal ? document.name : document.title).truncated(to: 30)
        let place: CleanText = document.isLocal ? title : "\(title) / \(document.layerName)"
        let page: CleanText = "p\(document.page.index + 1)\(document.pageCount.map { "/\($0)" } ?? "")"
        let unread = document.list.window?.unread ?? 0
        let texts =
            line.parts.filter { !$0.isRight }.map(\.forms[0]) + [page]
            + line.parts.filter(\.isRight).map(\.forms[0]) + (unread > 0 ? ["\(unread) new"] : [])
        return ([place] + texts).joined(separator: "   ").truncated(to: PlainState.width)
    }
}

extension PDFState {
    fileprivate var plain: CleanText {
        switch self {
        case .ready(let info): "\(info.pages.count) pages"
        case .downloading(let progress): progress.map { "PDF downloading: \($0.amounts)" } ?? "PDF downloading"
        case .missing, .opening: "PDF not downloaded"
        case .failed(let why): "no PDF: \(why)"
        }
    }

    /// Why no page can be read; nil if it can.
    fileprivate var problem: CleanText? {
        switch self {
        case .ready: nil
        case .missing: "The PDF is not downloaded yet. Type download."
        case .failed(let why): "\(why)"
        default: plain
        }
    }
}

extension PageMarks {
    fileprivate struct Cut {
        var glyph: Int
        var mark: Int
        var isStart: Bool
    }

    /// Returns where marks start and end within a sentence; ends come first at the same glyph.
    fileprivate func cuts(within range: Range<Int>) -> [Cut] {
        var cuts: [Cut] = []
        for mark in marks.indices {
            guard let start = ranges[mark].first?.lowerBound, let end = ranges[mark].last?.upperBound else { continue }
            if range.contains(start) { cuts.append(Cut(glyph: start, mark: mark, isStart: true)) }
            if end > range.lowerBound, end <= range.upperBound {
                cuts.append(Cut(glyph: end, mark: mark, isStart: false))
            }
        }
        return cuts.sorted { ($0.glyph, $0.isStart ? 1 : 0, $0.mark) < ($1.glyph, $1.isStart ? 1 : 0, $1.mark) }
    }

    /// Returns the marks whose last word is in a sentence, and marks without words that are next to it.
    fileprivate func ending(within range: Range<Int>) -> [Int] {
        marks.indices.filter { mark in
            let last = ranges[mark].last.map { $0.upperBound - 1 } ?? anchors[mark]
            return last.map(range.contains) ?? false
        }
    }
}

extension PageGlyphs {
    /// The first word of the page, with what is attached to it.
    fileprivate var firstWord: CleanText {
        words.first.map { CleanText(cleaning: text(of: $0.glyphs)) } ?? ""
    }

    /// Returns the text of a range on one line.
    fileprivate func words(_ range: Range<Int>) -> CleanText {
        CleanText.lines(cleaning: text(of: range)).joined(separator: " ")
    }
}

extension CleanText {
    fileprivate var withSingleBlanks: CleanText {
        CleanText(cleaning: string.split(separator: " ").joined(separator: " "))
    }
}

import Annotations
import InstantCore
import Screen

// Printing lists: the library, annotations, one annotation, unsent edits.
extension PlainState {
    private static let atOnce = 20

    mutating func sayLibrary() {
        let (entries, files) = (app.library.entries ?? [], app.library.files)
        for (index, file) in files.enumerated() {
            var facts: CleanText = "\(index + 1) \(file.path), a PDF in this folder"
            if file.isMissing { facts = facts + ", file missing" }
            if file.unwritten > 0 { facts = facts + ", \(FileStatus.changes(file.unwritten)) not in the file" }
            say(facts)
        }
        if entries.isEmpty { say("No layers yet. Type demo, add SERVER or open FILE.") }
        for (index, entry) in entries.enumerated().map({ ($0.offset + files.count, $0.element) }) {
            let layer = entry.id.layer.isEmpty ? "default layer" : "layer \(entry.id.layer)"
            var facts: [CleanText] = ["\(index + 1) \(entry.title ?? entry.id.documentID), \(layer)"]
            if entry.unsent > 0 { facts.append("\(entry.unsent) unsent") }
            if entry.unread > 0 { facts.append("\(entry.unread) unread") }
            if let problem = entry.problem { facts.append("\(problem)") }
            facts.append("\(entry.id.userID ?? "anonymous") at \(entry.id.server)")
            say(facts.dropFirst().reduce(facts[0]) { $0 + ", " + $1 })
        }
    }

    // MARK: Annotations

    mutating func list(_ filter: String) {
        app.setFilter(filter)
        app.document?.list.isStale = true
        listed = 0
        look(at: 0)
        step = .listing
    }

    /// Moves the list to this row, so that the words under the marks listed there are loaded.
    private mutating func look(at index: Int) {
        app.document?.list.move(to: index)
        app.document?.list.top = index
    }

    mutating func sayList() {
        guard let document = app.document else { return }
        let total = document.list.total
        guard listed < total else {
            say(total == 0 ? "None." : "End of the list.")
            return sayHidden()
        }
        let end = min(total, listed + Self.atOnce)
        // Load rows outside the window first.
        if document.list.row(end - 1) == nil {
            look(at: listed)
            step = .listing
            return
        }
        for index in listed..<end {
            if let row = document.list.row(index) { say(sentence(of: row, document)) }
        }
        listed = end
        if end < total { say("\(total - end) more; type more") } else { sayHidden() }
    }

    private mutating func sayHidden() {
        let hidden = app.document?.list.hidden ?? ""
        if !hidden.isEmpty { say(hidden + "; type list show:all") }
    }

    /// Returns `3 highlight on page 2 by ana: "some of the challenges" Which ones? (unread, 2 replies, 5m)`.
    private mutating func sentence(of row: ListRow, _ document: DocumentState) -> CleanText {
        let place: CleanText = row.pageIndex.map { " on page \($0 + 1)" } ?? ""
        var line: CleanText = "\(numbers.number(of: row.id)) \(row.name)\(place)\(byAuthor(of: row))"
        var said: [CleanText] = []
        if let words = document.quotes.words(of: row), !words.isEmpty { said.append("\"\(words)\"") }
        if !row.text.isEmpty { said += CleanText.lines(cleaning: row.text) }
        if !said.isEmpty { line += ": " + said.joined(separator: " ") }
        var facts: [CleanText] = []
        if let warning = row.warning { facts.append("\(warning)") }
        if row.isUnread { facts.append("unread") }
        if row.delivery != .delivered { facts.append("\(row.delivery.plain)") }
        if let state = row.review, state != .unset { facts.append("\(state.rawValue)") }
        if row.remarks > 0 { facts.append("\(row.remarks) repl\(row.remarks == 1 ? "y" : "ies")") }
        if let moment = row.changedAt { facts.append("\(RelativeTime.age(of: moment, at: app.now))") }
        guard let first = facts.first else { return line }
        return facts.dropFirst().reduce(line + " (" + first) { $0 + ", " + $1 } + ")"
    }

    /// Makes the annotation with the typed number current, then continues with the step.
    mutating func withRecord(
        _ text: String, _ word: PlainWord, _ next: (Record.ID) -> PlainStep
    ) -> [Effect] {
        guard let number = Int(text), let id = numbers[number] else {
            return only("Usage: \(word.rawValue) N, the number of an annotation in list, read or show")
        }
        step = next(id)
        app.setFilter(FilterSyntax.showAll)
        app.document?.focus = .list
        return app.seek(id)
    }

    /// Returns the record that the command looked up; if it is gone, prints a sentence and returns nil.
    mutating func sought(_ id: Record.ID) -> ListRow? {
        app.document?.focus = .page
        guard let row = app.document?.list.current, row.id.isExactly(id) else {
            app.notice = nil
            say("The annotation no longer exists.")
            return nil
        }
        return row
    }

    mutating func sayRecord(_ id: Record.ID) -> [Effect] {
        guard let row = sought(id), let document = app.document else { return [] }
        say(document.facts(of: row, utcOffset: app.utcOffset).joined(separator: ", "))
        let quote = document.quote(of: row, .ascii)
        if !quote.isEmpty { say(quote) }
        let text = document.detail.map { Annotation($0).text } ?? row.text
        if !text.isEmpty { for line in CleanText.lines(cleaning: text) { say(line) } }
        for comment in document.thread.root.isExactly(id) ? document.thread.comments : [] {
            let said = Annotation(comment)
            let author = Author.name(said.author, user: comment.createdBy) ?? "anonymous"
            if let state = said.state {
                say("\(author) \(state.said)")
            } else {
                say(CleanText(cleaning: author).saying(said.text))
            }
        }
        return app.markCurrentRead()
    }

    // MARK: Unsent edits

    mutating func sayOutbox() {
        let items = app.document?.outbox.items ?? []
        let drafts = app.document?.goneDrafts ?? []
        let copies = app.document?.outbox.copies ?? []
        if items.isEmpty, drafts.isEmpty, copies.isEmpty { say("Everything is sent.") }
        defer {
            for copy in copies {
                let object = copy.unsent == 1 ? "it" : "them"
                let advice: CleanText = "postilla sync --from \(copy.server) sends \(object) here"
                say("\(copy.edits) made under \(copy.server), not sent: " + advice)
            }
            for draft in drafts {
                say("\(draft.name), but its annotation is gone: \(app.document?.drafts[draft] ?? "")")
            }
        }
        for item in items {
            let place: CleanText = item.pageIndex.map { " on page \($0 + 1)" } ?? ""
            let age = item.since.map { RelativeTime.age(of: $0, at: app.now) } ?? ""
            let reason: CleanText = item.reason.map { ": \($0)" } ?? ""
            say(
                "\(numbers.number(of: item.id)) \(item.kind.name)\(place) \(item.done), \(age), \(item.delivery.plain)\(reason)"
            )
            guard item.delivery == .conflict else { continue }
            say("was: \(ConflictCard.text(item.base) ?? "nothing")")
            say("\(item.theirAuthor ?? "theirs"): \(ConflictCard.text(item.theirs) ?? "deleted")")
            say("yours: \(ConflictCard.text(item.mine) ?? "deleted")")
            say("Type mine \(numbers.number(of: item.id)) or theirs \(numbers.number(of: item.id)) to resolve it")
        }
    }

    mutating func resolve(_ text: String, _ word: PlainWord) -> [Effect] {
        guard let number = Int(text), let id = numbers[number],
            let item = app.document?.outbox.items.first(where: { $0.id.isExactly(id) })
        else { return only("Usage: \(word.rawValue) N, a number in outbox") }
        guard item.delivery == .conflict || (item.delivery == .refused && word == .theirs) else {
            return only("\(number) is not in conflict.")
        }
        let resolution: Resolution = word == .mine ? .mine : .theirs
        step = .resolving(id, resolution)
        return [.resolve(id, resolution, of: item.sides)]
    }
}

extension DeliveryState {
    fileprivate var plain: String {
        switch self {
        case .delivered: "sent"
        case .unsent: "unsent"
        case .parked: "held"
        case .conflict: "in conflict"
        case .refused: "refused"
        }
    }
}

extension CleanText {
    /// Returns `note 4 by ana: what it says`, on one line; without the colon if the text is empty.
    func saying(_ text: String) -> CleanText {
        text.isEmpty ? self : self + ": " + CleanText.lines(cleaning: text).joined(separator: " ")
    }
}

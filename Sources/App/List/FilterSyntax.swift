import Annotations
import InstantCore

/// The list filter as typed: words to find, and terms such as `kind:highlight`, `by:ana`, `group:"second readers"`,
/// `page:3`, `is:unread`, `is:unsent`, `is:resolved`, `is:open`, `is:mention`, `state:accepted`, `show:all`. `~hlt` matches these
/// letters in this order. `!` before a word, a kind, an author, a group or a page leaves out the rows that match.
enum FilterSyntax {
    /// - Parameter user: The user whose mentions `is:mention` finds; it finds nothing without one.
    static func parse(_ text: String, user: String? = nil) -> ListFilter {
        var filter = ListFilter()
        var words: [String] = []
        var showsAll = false
        for word in terms(of: text) {
            if let other = word.dropping(prefix: "!"), !other.isEmpty {
                leaveOut(String(other), &filter.excluded)
                continue
            }
            switch Term(word) {
            case .kinds(let kinds): filter.kinds.formUnion(kinds)
            case .author(let author): filter.author = author
            case .group(let group): filter.group = group
            case .page(let index): filter.pageIndex = index
            case .property(.unread), .property(.new): filter.unreadOnly = true
            case .property(.unsent): filter.pendingOnly = true
            case .property(.resolved): filter.resolved = true
            case .property(.open): filter.resolved = false
            case .property(.mention): filter.mentions = user ?? ""
            case .state(let state): filter.states.insert(state)
            case .showAll: showsAll = true
            case .letters(let letters): if !letters.isEmpty { filter.fuzzy.append(letters) }
            case .words(let text), .unknown(let text, _): words.append(text)
            }
        }
        // No mention is hidden, whatever it is about.
        if filter.mentions != nil { showsAll = true }
        // A filter that names a hidden kind asks for it.
        filter.hidesFurniture = !showsAll && filter.kinds.isDisjoint(with: AnnotationKind.furniture)
        // A filter that names a state asks for it.
        if !showsAll, filter.resolved == nil, filter.states.isEmpty { filter.resolved = false }
        filter.headsOnly = !showsAll
        filter.text = words.joined(separator: " ")
        // The list shows the marked words, so the filter must match them too.
        filter.inQuotes = !filter.text.isEmpty || !filter.fuzzy.isEmpty || !filter.excluded.words.isEmpty
        filter.inComments = !filter.text.isEmpty || !filter.excluded.words.isEmpty
        return filter
    }

    private static func leaveOut(_ word: String, _ excluded: inout ListFilter.Excluded) {
        switch Term(word) {
        case .kinds(let kinds): excluded.kinds.formUnion(kinds)
        case .author(let author): excluded.authors.insert(author)
        case .group(let group): excluded.groups.insert(group)
        case .page(let index): excluded.pages.insert(index)
        case .property, .state, .showAll, .letters, .words, .unknown: excluded.words.insert(unquoted(word))
        }
    }

    /// What a term asks for that does not exist, as `kind:hihglight`. Such a term is sought as words.
    static func problem(with text: String) -> String? {
        for term in terms(of: text) {
            if case .unknown(_, let problem) = Term(String(term.dropping(prefix: "!") ?? term[...])) { return problem }
        }
        return nil
    }

    /// A term without the `!` before it.
    private enum Term {
        enum Property: String, CaseIterable { case unread, new, unsent, resolved, open, mention }

        case kinds(Set<AnnotationKind>)
        case author(String)
        case group(String)
        /// Counted from 0.
        case page(Int)
        case property(Property)
        case state(AnnotationState)
        case showAll
        case letters(String)
        case words(String)
        case unknown(words: String, problem: String)

        init(_ word: String) {
            let words = unquoted(word)
            let parts = word.split(scalar: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? unquoted(String(parts[1])) : nil
            switch (parts.first?.lowercased(), value) {
            case ("kind", let name?):
                let kinds = FilterSyntax.kinds(name)
                self = kinds.isEmpty ? .unknown(words, "Unknown kind: \(name); f lists the kinds here") : .kinds(kinds)
            case ("by", let author?) where !author.isEmpty: self = .author(author)
            case ("group", let group?): self = .group(group)
            case ("page", let text?):
                let number = Int(text) ?? 0
                self = number > 0 ? .page(number - 1) : .unknown(words, "Not a page number: \(text)")
            case ("is", let name?):
                let known = Property.allCases.map(\.rawValue).joined(separator: ", ")
                self =
                    Property(rawValue: name).map(Term.property)
                    ?? .unknown(words, "Unknown: is:\(name); known are \(known)")
            case ("state", let name?):
                let known = AnnotationState.reviews.map(\.rawValue).joined(separator: ", ")
                self =
                    AnnotationState.review(name).map(Term.state)
                    ?? .unknown(words, "Unknown state: \(name); known are \(known)")
            case ("show", let name?):
                self = name == "all" ? .showAll : .unknown(words, "Unknown: show:\(name); known is show:all")
            default:
                self =
                    word.dropping(prefix: "~").map { .letters(String($0.prefix(scalars: maxLetters))) } ?? .words(words)
            }
        }

        private static func unknown(_ words: String, _ problem: String) -> Term {
            .unknown(words: words, problem: problem)
        }
    }

    private static let maxLetters = 64
    /// The term that also lists furniture.
    static let showAll = "show:all"
    /// The term for what mentions the user.
    static let mention = "is:mention"

    /// Splits the text at spaces outside quotation marks.
    static func terms(of text: String) -> [String] {
        var isQuoted = false
        return text.split(whereScalar: { scalar in
            if scalar == "\"" { isQuoted.toggle() }
            return scalar == " " && !isQuoted
        }).map(String.init)
    }

    static func quoted(_ value: String) -> String { value.contains(scalar: " ") ? "\"\(value)\"" : value }

    private static func unquoted(_ value: String) -> String { value.replacing(scalars: "\"", with: "") }

    /// Adds a term to the text, or removes it. A new author, group or page replaces the previous one.
    static func toggled(_ term: String, in text: String) -> String {
        var terms = terms(of: text)
        if terms.containsExactly(term) {
            terms.removeAll { $0.isExactly(term) }
        } else {
            for single in ["by:", "group:", "page:"] where term.begins(with: single) {
                terms.removeAll { $0.begins(with: single) }
            }
            if ["is:resolved", "is:open"].contains(term) {
                terms.removeAll { ["is:resolved", "is:open"].contains($0) }
            }
            terms.append(term)
        }
        return terms.joined(separator: " ")
    }

    /// Returns all kinds with this name (`highlight`, `strike-out`) or letter (`H`, `S`).
    private static func kinds(_ name: String) -> Set<AnnotationKind> {
        let name = name.lowercased()
        return Set(AnnotationKind.known.filter { term($0).lowercased() == name || $0.letter.lowercased() == name })
    }

    /// The names that `kind:` accepts.
    static var kindNames: [String] { AnnotationKind.known.filter { $0 != .comment }.map(term) }

    /// Returns a kind as it is typed: `free-text`.
    static func term(_ kind: AnnotationKind) -> String {
        kind.name.replacing(scalars: " ", with: "-").replacing(scalars: "'", with: "")
    }
}

extension AnnotationState {
    /// The states of the review model.
    static let reviews = allCases.filter { $0.model == .review }

    /// Returns the state of the review model with this name, in any case of letters.
    static func review(_ name: String) -> AnnotationState? { reviews.first { $0.rawValue == name.lowercased() } }
}

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
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? unquoted(String(parts[1])) : ""
            switch (parts.first?.lowercased(), value) {
            case ("kind", let name) where !kinds(name).isEmpty: filter.kinds.formUnion(kinds(name))
            case ("by", let author) where !author.isEmpty: filter.author = author
            case ("group", let group) where parts.count == 2: filter.group = group
            case ("page", let number) where (Int(number) ?? 0) > 0: filter.pageIndex = (Int(number) ?? 1) - 1
            case ("is", "unread"), ("is", "new"): filter.unreadOnly = true
            case ("is", "unsent"): filter.pendingOnly = true
            case ("is", "resolved"): filter.resolved = true
            case ("is", "open"): filter.resolved = false
            case ("is", "mention"): filter.mentions = user ?? ""
            case ("state", let name) where AnnotationState.review(name) != nil:
                if let state = AnnotationState.review(name) { filter.states.insert(state) }
            case ("show", "all"): showsAll = true
            case _ where word.hasPrefix("!") && word.count > 1:
                leaveOut(String(word.dropFirst()), &filter.excluded)
            case _ where word.hasPrefix("~"):
                if word.count > 1 { filter.fuzzy.append(String(word.dropFirst().prefix(maxLetters))) }
            default: words.append(unquoted(word))
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
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? unquoted(String(parts[1])) : ""
        switch (parts.first?.lowercased(), value) {
        case ("kind", let name) where !kinds(name).isEmpty: excluded.kinds.formUnion(kinds(name))
        case ("by", let author) where !author.isEmpty: excluded.authors.insert(author)
        case ("group", let group) where parts.count == 2: excluded.groups.insert(group)
        case ("page", let number) where (Int(number) ?? 0) > 0: excluded.pages.insert((Int(number) ?? 1) - 1)
        default: excluded.words.insert(unquoted(word))
        }
    }

    /// What a term asks for that does not exist, as `kind:hihglight`. Such a term is sought as words.
    static func problem(with text: String) -> String? {
        for term in terms(of: text) {
            let word = term.hasPrefix("!") ? term.dropFirst() : Substring(term)
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let value = unquoted(String(parts[1]))
            switch parts[0].lowercased() {
            case "kind" where kinds(value).isEmpty: return "Unknown kind: \(value); f lists the kinds here"
            case "page" where (Int(value) ?? 0) < 1: return "Not a page number: \(value)"
            case "is" where !properties.contains(value):
                return "Unknown: is:\(value); known are \(properties.joined(separator: ", "))"
            case "state" where AnnotationState.review(value) == nil:
                return "Unknown state: \(value); known are "
                    + AnnotationState.reviews.map(\.rawValue).joined(separator: ", ")
            case "show" where value != "all": return "Unknown: show:\(value); known is show:all"
            default: continue
            }
        }
        return nil
    }

    private static let properties = ["unread", "new", "unsent", "resolved", "open", "mention"]

    private static let maxLetters = 64
    /// The term that also lists furniture.
    static let showAll = "show:all"
    /// The term for what mentions the user.
    static let mention = "is:mention"

    /// Splits the text at spaces outside quotation marks.
    static func terms(of text: String) -> [String] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == " " && !isQuoted
        }.map(String.init)
    }

    static func quoted(_ value: String) -> String { value.contains(" ") ? "\"\(value)\"" : value }

    private static func unquoted(_ value: String) -> String { value.filter { $0 != "\"" } }

    /// Adds a term to the text, or removes it. A new author, group or page replaces the previous one.
    static func toggled(_ term: String, in text: String) -> String {
        var terms = terms(of: text)
        if terms.contains(term) {
            terms.removeAll { $0 == term }
        } else {
            for single in ["by:", "group:", "page:"] where term.hasPrefix(single) {
                terms.removeAll { $0.hasPrefix(single) }
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
    static func term(_ kind: AnnotationKind) -> String { kind.name.replacing(" ", with: "-").replacing("'", with: "") }
}

extension AnnotationState {
    /// The states of the review model.
    static let reviews = allCases.filter { $0.model == .review }

    /// Returns the state of the review model with this name, in any case of letters.
    static func review(_ name: String) -> AnnotationState? { reviews.first { $0.rawValue == name.lowercased() } }
}

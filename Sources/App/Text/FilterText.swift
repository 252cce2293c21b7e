import Annotations
import InstantCore

/// The filter of the list as a person types it: words to find, and terms such as `kind:highlight`, `by:ana`, `page:3`,
/// `is:unread`, `is:unsent`.
enum FilterText {
    static func parse(_ text: String) -> ListFilter {
        var filter = ListFilter()
        var words: [Substring] = []
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1)
            let value = parts.count == 2 ? String(parts[1]) : ""
            switch (parts.first?.lowercased(), value) {
            case ("kind", let name) where !kinds(name).isEmpty: filter.kinds.formUnion(kinds(name))
            case ("by", let author) where !author.isEmpty: filter.author = author
            case ("page", let number) where (Int(number) ?? 0) > 0: filter.pageIndex = (Int(number) ?? 1) - 1
            case ("is", "unread"), ("is", "new"): filter.unreadOnly = true
            case ("is", "unsent"): filter.pendingOnly = true
            default: words.append(word)
            }
        }
        filter.text = words.joined(separator: " ")
        return filter
    }

    /// All kinds that go by a name (`highlight`, `strike-out`) or by a letter (`H`, `S`).
    private static func kinds(_ name: String) -> Set<AnnotationKind> {
        let name = name.lowercased()
        return Set(AnnotationKind.known.filter { term($0) == name || $0.letter.lowercased() == name })
    }

    /// The names that `kind:` takes.
    static var kindNames: [String] { AnnotationKind.known.filter { $0 != .comment }.map(term) }

    /// A kind as it is typed: `free-text`.
    static func term(_ kind: AnnotationKind) -> String { kind.name.replacing(" ", with: "-") }
}

import Annotations

extension AnnotationKind {
    /// The letters that lists and pages show, with the names of the kinds that have them, in alphabetical order.
    static var lettersWithNames: [(letter: Character, names: String)] {
        let names = Dictionary(grouping: known, by: \.letter).mapValues { $0.map(\.name).joined(separator: ", ") }
        return names.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [("?", unknown("").name)]
    }
}

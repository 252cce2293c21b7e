import Annotations
import TestSupport

/// One remark on a document: the same words become an annotation for Postilla, a line for less and a subject for
/// neomutt.
struct Remark {
    /// Counted from 0; written at the start of the text, so that its row can be recognised on a screen.
    var number: Int
    var pageIndex: Int
    var kind: AnnotationKind
    var author: String
    var text: String
    /// Points from the top of the page.
    var top: Double

    /// Returns this many remarks, in document order; the same in each run.
    static func all(_ count: Int, pages: Int) -> [Remark] {
        var random = SeededRandom(seed: 7)
        return (0..<count).map { number in
            let page = number * pages / max(count, 1)
            let before = (page * count + pages - 1) / pages
            let perPage = Double(max(count / pages, 1))
            return Remark(
                number: number, pageIndex: page, kind: random.chance(1, of: 3) ? .note : .highlight,
                author: random.pick(["ana", "ben", "chiara", "dmitri", "eve"]),
                text: "#" + String(number) + " " + sentence(using: &random),
                top: 60 + Double(number - before) / perPage * 600)
        }
    }

    private static func sentence(using random: inout SeededRandom) -> String {
        let words = (0..<Int.random(in: 4...11, using: &random)).map { _ in random.pick(vocabulary) }
        return words.joined(separator: " ")
    }

    private static let vocabulary = [
        "harbour", "watch", "light", "tide", "pilot", "which", "figure", "compare", "with", "the", "table", "section",
        "unclear", "source", "missing", "agree", "please", "check", "number", "draught", "berth", "signal", "again",
        "before", "after", "mooring", "rope", "engine", "north", "channel", "depth", "buoy", "log", "entry", "relief",
    ]
}

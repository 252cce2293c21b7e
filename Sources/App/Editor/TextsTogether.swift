import Annotations
import Screen

/// The texts of several records as one text, each under a line of its own that says what it is.
struct TextsTogether: Equatable, Sendable {
    let records: [Record]

    init(_ records: [Record]) { self.records = records }

    /// `=== 2/3 highlight, page 4, ana ===`
    private func heading(_ index: Int) -> String {
        let annotation = Annotation(records[index])
        let page = annotation.pageIndex.map { ", page \($0 + 1)" } ?? ""
        let author = annotation.author.map { ", " + CleanText(cleaning: $0).string } ?? ""
        return "=== \(index + 1)/\(records.count) \(annotation.kind.name)\(page)\(author) ==="
    }

    var text: String {
        records.indices.map { heading($0) + "\n" + Annotation(records[$0]).text }.joined(separator: "\n")
    }

    /// The texts that are not what they were, by record. A text without its heading, or left without a word, stays as
    /// it was; what stands above the first heading is nobody's.
    func changes(in text: String) -> [Record.ID: String] {
        var parts: [Int: [Substring]] = [:]
        var current: Int?
        var next = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let found = records.indices.dropFirst(next).first(where: { line == heading($0) }) {
                current = found
                next = found + 1
                parts[found] = []
            } else if let current {
                parts[current]?.append(line)
            }
        }
        var changes: [Record.ID: String] = [:]
        for (index, lines) in parts {
            let said = lines.joined(separator: "\n")
            guard !said.allSatisfy(\.isWhitespace), said != Annotation(records[index]).text else { continue }
            changes[records[index].id] = said
        }
        return changes
    }
}

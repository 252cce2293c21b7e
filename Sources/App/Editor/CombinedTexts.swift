import Annotations
import Screen

/// The texts of several records as one text. A heading line above each identifies its record.
struct CombinedTexts: Equatable, Sendable {
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

    /// Returns the changed texts by record. A record whose heading is missing or whose text is blank keeps its text;
    /// lines above the first heading are ignored.
    ///
    /// - Parameter isCleaned: Whether control characters were removed from the texts: without them, a text is unchanged.
    func changes(in text: String, isCleaned: Bool = false) -> [ByteOrdered: String] {
        var parts: [Int: [Substring]] = [:]
        var current: Int?
        var next = 0
        for line in text.split(scalar: "\n", omittingEmptySubsequences: false) {
            if let found = records.indices.dropFirst(next).first(where: { String(line).isExactly(heading($0)) }) {
                current = found
                next = found + 1
                parts[found] = []
            } else if let current {
                parts[current]?.append(line)
            }
        }
        var changes: [ByteOrdered: String] = [:]
        for (index, lines) in parts {
            let said = lines.joined(separator: "\n")
            let old = Annotation(records[index]).text
            guard !said.isBlank, !said.isExactly(old), !isCleaned || !said.isExactly(LeavingText(old).string) else {
                continue
            }
            changes[ByteOrdered(records[index].id)] = said
        }
        return changes
    }
}

import Annotations
import Screen

/// The question before a deletion, which names everything that would be deleted:
/// `Delete this highlight and 3 comments (2 by cy)?`
struct DeletionQuestion: Equatable, Sendable {
    private let records: [BatchRecord]
    private let user: String?

    /// - Parameter user: The user, whose own records are listed without an owner.
    init(_ records: [BatchRecord], user: String?) { (self.records, self.user) = (records, user) }

    /// Whether the deletion includes another person's record, or a record that was not requested.
    var isNeeded: Bool {
        records.contains { !$0.comments.isEmpty || $0.root != nil } || !owners(of: records.map(\.record)).isEmpty
    }

    var text: String {
        let comments = records.flatMap(\.comments)
        let roots = records.compactMap(\.root)
        let words = records.first.map { Annotation($0.record).text }.map {
            CleanText(cleaning: $0.prefix(scalars: 80).description)
        }
        let quote = words.map { $0.isEmpty ? "" : " “\($0.truncated(to: 24).string)”" } ?? ""
        let what =
            records.count == 1 ? "this \(name(of: records[0].record))\(quote)" : "\(records.count) annotations"
        var parts = [what + naming(records.map(\.record))]
        if !comments.isEmpty {
            parts.append("\(comments.count) comment\(comments.count == 1 ? "" : "s")" + naming(comments))
        }
        if let root = roots.first { parts.append("its \(name(of: root))" + naming(roots)) }
        return "Delete \(parts.joined(separator: " and "))? y/N "
    }

    private func name(of record: Record) -> String { Annotation(record).kind.name }

    /// Returns ` by cy` for a single record, ` (2 by cy, 1 by dan)` for several; empty if all are the user's own.
    private func naming(_ records: [Record]) -> String {
        let owners = owners(of: records)
        guard let first = owners.first else { return "" }
        guard records.count > 1 else { return " by \(first.name)" }
        let named = owners.prefix(3).map { "\($0.count) by \($0.name)" }
        let others = owners.dropFirst(3).reduce(0) { $0 + $1.count }
        return " (" + (named + (others > 0 ? ["\(others) by others"] : [])).joined(separator: ", ") + ")"
    }

    /// Returns the other owners of these records, in alphabetical order, with the number of their records. Records of
    /// the PDF have no owner.
    private func owners(of records: [Record]) -> [(name: String, count: Int)] {
        let others = records.filter { $0.createdBy != nil && !$0.createdBy.isExactly(user) }
        let names = others.map { Author.name(Annotation($0).author, user: $0.createdBy) ?? "someone" }
        return names.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }.sorted { $0.key < $1.key }
            .map { (name: $0.key, count: $0.value) }
    }
}

import Annotations
import InstantCore

/// A report of what a deletion also deleted: sentences for people, or one line of JSON for each deleted record.
struct DeletionReport {
    /// One requested deletion, as it was planned.
    struct Entry {
        var planned: PlannedDeletion
        var outcome: EditOutcome
        /// The records that are still there: the server keeps a root that has comments which this user does not see.
        var kept: Set<ByteOrdered>
    }

    var entries: [Entry]
    /// The user, whose own records are listed without an owner.
    let user: String?

    /// Sentences about records that were also deleted; none if there are none.
    var sentences: [String] {
        entries.filter { $0.outcome.exit == .done }.flatMap { entry -> [String] in
            let also = entry.outcome == .waiting ? "will also delete" : "also deleted"
            let comments = entry.planned.comments.filter { !entry.kept.contains(ByteOrdered($0.id)) }
            var sentences: [String] = []
            if !comments.isEmpty {
                let count = "\(comments.count) comment\(comments.count == 1 ? "" : "s")"
                sentences.append("\(also) \(count)\(Self.owners(of: comments, user)) of \(entry.planned.record.id)")
            }
            if let root = entry.planned.root {
                let name = "the \(Annotation(root).kind.name) \(root.id)\(Self.owners(of: [root], user))"
                sentences.append(
                    entry.kept.contains(ByteOrdered(root.id))
                        ? "kept \(name): it has other comments, or was changed"
                        : "\(also) \(name), whose last comment this was")
            }
            return sentences
        }
    }

    /// Returns ` by cy`, or ` (2 by cy, 1 by dan)`; empty if all are the user's own or came with the PDF.
    private static func owners(of records: [Record], _ user: String?) -> String {
        let names = records.filter { $0.createdBy != nil && !$0.createdBy.isExactly(user) }
            .map { Annotation($0).author ?? $0.createdBy ?? "" }
        let counts = names.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }.sorted { $0.key < $1.key }
        guard let first = counts.first else { return "" }
        guard records.count > 1 else { return " by \(first.key)" }
        return " (\(counts.map { "\($0.value) by \($0.key)" }.joined(separator: ", ")))"
    }

    /// `{"id":…,"status":…,"reason"?}` for each requested record; a record that was also deleted has `with`, the
    /// requested one.
    var lines: [String] {
        entries.flatMap { entry in
            entry.planned.records.enumerated().map { index, record in
                JSONWriter.text {
                    $0.member("id", record.id)
                    let isKept = entry.outcome.exit == .done && index > 0 && entry.kept.contains(ByteOrdered(record.id))
                    $0.member("status", isKept ? "kept" : entry.outcome.status)
                    if index > 0 { $0.member("with", entry.planned.record.id) }
                    if let reason = entry.outcome.reason { $0.member("reason", reason) }
                    $0.member("createdBy", orNull: record.createdBy)
                }
            }
        }
    }
}

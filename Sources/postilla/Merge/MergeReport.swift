import Annotations
import Interchange

/// A report of what a merge did or would do: a row for each change of each copy, and a summary of each copy.
struct MergeReport {
    private var listing: Listing
    private let isDryRun: Bool
    private var outcomes: [EditOutcome] = []
    private var hasConflicts = false
    /// The paths of the copies.
    private let names: [String]
    private var problems: [Int]

    init(_ options: ListingOptions, of files: [MergeFile], isDryRun: Bool) throws {
        self.isDryRun = isDryRun
        names = files.map(\.path)
        problems = files.map { _ in 0 }
        listing = try Listing(
            options,
            [
                .init("action", 10), .init("file", 20), .init("id", 26), .init("kind", 14), .init("page", 4),
                .init("reason", .rest),
            ], members: ["status", "members", "kept", "other", "replies"])
    }

    /// - Parameter outcome: what a server said, if one was asked.
    mutating func tell(_ entry: CopyMerge.Entry, _ outcome: EditOutcome?) {
        let row = MergeRow(entry, failed: outcome.flatMap { $0.exit == .done ? nil : $0 })
        if let outcome { outcomes.append(outcome) }
        if row.action == "conflict" { hasConflicts = true }
        let annotation = Annotation(entry.record)
        let name = names[entry.copy]
        let fields = [
            row.action, name, entry.record.id, annotation.kind.name, annotation.pageIndex.map { "\($0 + 1)" } ?? "",
            row.reason ?? "",
        ]
        listing.add(fields, style: row.isTrouble ? .trouble : .plain) {
            JSONWriter.text {
                $0.member("id", entry.record.id)
                $0.member("action", row.action)
                $0.member("file", name)
                if let outcome { $0.member("status", outcome.status) }
                if let reason = row.reason { $0.member("reason", reason) }
                row.write(to: &$0)
            }
        }
    }

    mutating func tell(_ problem: FileProblem, of copy: Int) {
        problems[copy] += 1
        if problem.isSkipped { outcomes.append(.invalid(problem.reason)) }
        let (action, name) = (problem.isSkipped ? "skip" : "incomplete", names[copy])
        listing.add([action, name, problem.name ?? "", "", "", problem.reason], style: .trouble) {
            JSONWriter.text {
                $0.member("id", orNull: problem.name)
                $0.member("action", action)
                $0.member("file", name)
                if problem.isSkipped { $0.member("status", "invalid") }
                $0.member("reason", problem.reason)
            }
        }
    }

    /// Writes the summary of each copy.
    mutating func end(_ counts: [CopyMerge.Counts]) {
        listing.end(nothing: "no changes")
        for (place, count) in counts.enumerated() {
            var parts = ["\(count.added) added", "\(count.changed) changed", "\(count.deleted) deleted"]
            parts.append("\(count.unchanged) unchanged")
            if count.conflicts > 0 { parts.append("\(count.conflicts) conflict\(count.conflicts == 1 ? "" : "s")") }
            if count.missing > 0 { parts.append("\(count.missing) missing, kept") }
            if problems[place] > 0 { parts.append("\(problems[place]) not merged or incomplete") }
            Output.message((isDryRun ? "dry run: " : "") + "\(names[place]): " + parts.joined(separator: ", "))
        }
    }

    /// - Throws: ``CommandFailure`` with the status of all rows together.
    func check() throws {
        let status = outcomes.exit
        if status != .notPermitted, hasConflicts {
            throw CommandFailure("some changes contradict each other; see the conflicts above", .conflict)
        }
        guard status == .done else { throw CommandFailure("some parts were not merged; see the reasons above", status) }
    }
}

/// What a row says of one finding.
struct MergeRow {
    let action: String
    var reason: String?
    private let finding: CopyMerge.Entry.Finding

    var isTrouble: Bool { ["conflict", "skip"].contains(action) }

    init(_ entry: CopyMerge.Entry, failed: EditOutcome?) {
        finding = entry.finding
        switch entry.finding {
        case .added: action = failed == nil ? "create" : "skip"
        case .changed(let members):
            action = failed == nil ? "update" : "skip"
            reason = members.joined(separator: " ")
        case .deleted: action = failed == nil ? "delete" : "skip"
        case .missing:
            action = "missing"
            reason = "not in this file; kept"
        case .keptDeleted(let byCopy):
            action = "conflict"
            reason = byCopy ? "deleted in this file, changed elsewhere; kept" : "changed here, deleted elsewhere; kept"
        case .conflict(let members, let mine, let theirs, let replies):
            action = "conflict"
            let values = members.map { member in
                "\(member): kept \(Self.words(mine, member)), not \(Self.words(theirs, member))"
            }
            let reply = replies.isEmpty ? "" : "; the other text is now a reply"
            reason = values.joined(separator: "; ") + reply
        }
        if let why = failed?.reason { reason = why }
    }

    func write(to object: inout JSONWriter) {
        switch finding {
        case .changed(let members): object.member("members", .array(members.map(JSON.string)))
        case .conflict(let members, let mine, let theirs, let replies):
            object.member("members", .array(members.map(JSON.string)))
            object.member("kept", source: Self.json(mine, members))
            object.member("other", source: Self.json(theirs, members))
            object.member("replies", .array(replies.map(JSON.string)))
        case .added, .deleted, .missing, .keptDeleted: break
        }
    }

    private static func part(_ record: Record, _ members: [String]) -> JSONObject {
        var part = JSONObject()
        for member in members {
            let keys = member == "place" ? Content.placeMembers.sorted() : [member]
            for key in keys { part[key] = record.content[key] }
        }
        return part
    }

    private static func json(_ record: Record, _ members: [String]) -> String {
        JSON.object(part(record, members)).text
    }

    private static func words(_ record: Record, _ member: String) -> String {
        let value = record.content[member]
        if member == "place" {
            let box = (record.content["bbox"].flatMap(Rect.init(json:))).map {
                "\(Int(saturating: $0.left)),\(Int(saturating: $0.top))"
            }
            return box ?? "nowhere"
        }
        guard let value else { return "none" }
        if let text = CommentText(json: value)?.words {
            return "\u{201c}" + (text.unicodeScalars.count > 60 ? text.prefix(scalars: 60) + "…" : text) + "\u{201d}"
        }
        return value.text
    }
}

import Annotations
import Interchange

/// A report of what an import did or would do, record by record, with a summary.
struct ImportReport {
    private var listing: Listing
    private let isDryRun: Bool
    private let isTable: Bool
    private var counts: [String: Int] = [:]
    private var outcomes: [EditOutcome] = []

    init(_ options: ListingOptions, isDryRun: Bool) throws {
        self.isDryRun = isDryRun
        isTable = options.format == .table
        listing = try Listing(
            options,
            [
                .init("action", 9), .init("status", 8), .init("id", 26), .init("kind", 14), .init("page", 4),
                .init("reason", .rest),
            ], members: [])
    }

    /// - Parameter done: nil when nothing was done.
    mutating func tell(_ step: ImportPlanner.Step, _ done: EditOutcome?) {
        var outcome = done
        if case .skip(let why) = step.action { outcome = why }
        let failed = outcome.map { $0.exit != .done } ?? false
        counts[failed ? "skip" : step.action.word, default: 0] += 1
        if let outcome { outcomes.append(outcome) }
        guard !isTable || step.action != .unchanged else { return }
        let annotation = Annotation(id: step.id, content: step.item.content)
        let fields = [
            step.action.word, outcome?.status ?? "", step.id, annotation.kind.name,
            annotation.pageIndex.map { "\($0 + 1)" } ?? "", outcome?.reason ?? "",
        ]
        listing.add(fields, style: failed ? .trouble : .plain) { Self.json(step, outcome) }
    }

    /// Tells what of the file is not a record, or not completely.
    mutating func tell(_ problem: FileProblem) {
        let word = problem.isSkipped ? "skip" : "incomplete"
        counts[word, default: 0] += 1
        if problem.isSkipped { outcomes.append(.invalid(problem.reason)) }
        let fields = [word, problem.isSkipped ? "invalid" : "", problem.name ?? "", "", "", problem.reason]
        listing.add(fields, style: .trouble) {
            JSONWriter.text {
                $0.member("id", orNull: problem.name)
                $0.member("action", word)
                if problem.isSkipped { $0.member("status", "invalid") }
                $0.member("reason", problem.reason)
            }
        }
    }

    /// - Throws: ``CommandFailure`` with the status of all records together.
    func end() throws {
        listing.end(nothing: "no changes")
        let names = [("create", "created"), ("update", "updated"), ("unchanged", "unchanged"), ("skip", "skipped")]
        var numbers = names.map { "\(counts[$0.0, default: 0]) \($0.1)" }
        if let incomplete = counts["incomplete"] { numbers.append("\(incomplete) incomplete") }
        Output.message((isDryRun ? "dry run: " : "") + numbers.joined(separator: ", "))
        guard outcomes.exit == .done else {
            throw CommandFailure("some records were not imported; see the reasons above", outcomes.exit)
        }
    }

    private static func json(_ step: ImportPlanner.Step, _ outcome: EditOutcome?) -> String {
        JSONWriter.text {
            $0.member("id", step.id)
            $0.member("action", step.action.word)
            if let outcome { $0.member("status", outcome.status) }
            if let reason = outcome?.reason { $0.member("reason", reason) }
        }
    }
}

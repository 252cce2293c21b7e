import Annotations
import ArgumentParser
import Authorization
import Instant
import InstantCore

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete annotations or comments.",
        discussion: """
            All ids are checked first: if one does not exist (exit 1) or may not be deleted (exit 4), nothing is \
            deleted. Deleting an annotation also deletes the comments that you may see, including other people's. \
            Deleting the last comment also deletes an annotation that was created for the thread. Both are reported on \
            standard error. With -, ids or NDJSON records are read from standard input; without any, nothing is deleted. \
            If someone else has added a comment in the meantime, the deletion is a conflict (exit 6, \
            see postilla conflicts).

            --ndjson prints one line for each deleted record; "with" names the record that you asked to delete. "kept" \
            is an annotation that has other comments, which you may not see, or was changed:
              {"id":…,"status":"applied|waiting|conflict|denied|kept","with"?,"reason"?,"createdBy":…}

            Examples:
              postilla delete 01HV60ME365HS69FVQ1CE6PK2G
              postilla list --kind stamp --format ndjson | postilla delete - --dry-run > plan
              postilla apply plan
            """)

    @OptionGroup var ids: IDArguments

    @Flag(help: "Print one line of JSON for each deleted record.")
    var ndjson = false

    @OptionGroup var dry: DryRunOption
    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let (session, given) = try await LayerSession.open(layer, reading: ids.read)
        guard !given.isEmpty else { return Output.message("no ids: nothing deleted") }
        try await session.synchronize()
        do {
            let ids = try given.map(session.id(of:))
            try check(ids, session)
            if dry.dryRun {
                var run = try DryRun(session)
                for deletion in try session.descriptor.layer.deletions(of: ids) { try run.add(deletion) }
                return run.write()
            }
            var planned: [PlannedDeletion] = []
            for id in ids {
                // The id was given twice, or the record was deleted with its root.
                guard let deletion = try session.descriptor.layer.deletions(of: [id]).first else { continue }
                _ = try session.descriptor.delete(id, with: deletion.records.dropFirst().map(\.id))
                planned.append(deletion)
            }
            do { try await session.deliverOrExplain(ids, "not deleted") } catch {
                try tell(planned, session)
                throw error
            }
            try await session.finish { _ in try tell(planned, session) }
        } catch { throw CommandFailure(reading: error) }
    }

    private func tell(_ planned: [PlannedDeletion], _ session: LayerSession) throws {
        let layer = try session.descriptor.layer
        let entries = try planned.map { deletion in
            let kept = try deletion.records.dropFirst().map(\.id).filter { try layer.record($0) != nil }
            return DeletionReport.Entry(
                planned: deletion, outcome: try session.outcome(of: deletion.record.id),
                kept: Set(kept.map(ByteOrdered.init)))
        }
        let report = DeletionReport(entries: entries, user: session.descriptor.userID)
        for line in ndjson ? report.lines : [] { Output.json(line) }
        for sentence in report.sentences { Output.message(sentence) }
    }

    private func check(_ ids: [Record.ID], _ session: LayerSession) throws {
        guard let grant = session.descriptor.status.grant else { throw EditError.noGrant }
        for id in ids {
            guard let record = try session.descriptor.layer.record(id) else {
                throw CommandFailure("no annotation \(id) in this layer; nothing deleted")
            }
            if case .denied(let denial) = grant.decide(.delete(.init(record))) {
                throw CommandFailure("\(id): \(denial); nothing deleted", .notPermitted)
            }
        }
    }
}

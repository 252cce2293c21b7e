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
            standard error. If someone else has added a comment in the meantime, the deletion is a conflict (exit 6, \
            see postilla conflicts).

            --ndjson prints one line for each deleted record; "with" names the record that you asked to delete. "kept" \
            is an annotation that has other comments, which you may not see, or was changed:
              {"id":…,"status":"applied|waiting|conflict|denied|kept","with"?,"reason"?,"createdBy":…}

            Examples:
              postilla delete 01HV60ME365HS69FVQ1CE6PK2G
              postilla list --kind stamp --format ndjson | jq -r .id | xargs -r postilla delete
            """)

    @Argument(help: ArgumentHelp("Ids, from list.", valueName: "id"))
    var ids: [String]

    @Flag(help: "Print one line of JSON for each deleted record.")
    var ndjson = false

    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let session = try await LayerSession.open(layer)
        try await session.synchronize()
        do {
            try check(session)
            var planned: [PlannedDeletion] = []
            for id in ids {
                // The id was given twice, or the record was deleted with its root.
                guard let deletion = try session.descriptor.layer.deletions(of: [id]).first else { continue }
                _ = try session.descriptor.delete(id, with: deletion.records.dropFirst().map(\.id))
                planned.append(deletion)
            }
            var problem: (any Error)?
            do { try await session.deliverOrExplain(ids, "not deleted") } catch { problem = error }
            try tell(planned, session)
            if let problem { throw problem }
            try await session.finish()
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

    private func check(_ session: LayerSession) throws {
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

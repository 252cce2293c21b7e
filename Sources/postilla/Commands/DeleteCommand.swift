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
            deleted. Deleting an annotation also deletes its comments. If someone else has added a comment in the \
            meantime, the deletion is a conflict (exit 6, see postilla conflicts).

            Examples:
              postilla delete 01HV60ME365HS69FVQ1CE6PK2G
              postilla list --kind stamp --format ndjson | jq -r .id | xargs -r postilla delete
            """)

    @Argument(help: ArgumentHelp("Ids, from list.", valueName: "id"))
    var ids: [String]

    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let session = try await LayerSession.open(layer)
        try await session.synchronize()
        do {
            try check(session)
            for id in ids {
                // The id was given twice, or the record was deleted with its root.
                guard try session.descriptor.layer.record(id) != nil else { continue }
                _ = try session.descriptor.delete(id)
            }
            try await session.deliverOrExplain(ids, "not deleted")
        } catch { throw CommandFailure(reading: error) }
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

import Annotations
import ArgumentParser
import Authorization
import Instant
import InstantCore

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete annotations or comments.",
        discussion: """
            All are looked up and asked for permission first: when one is not there (exit 1) or may not be deleted \
            (exit 4), none is. With an annotation its comments go; a comment that someone else has put there meanwhile \
            makes it a conflict (exit 6, see postilla conflicts).

            Examples:
              postilla delete 01HV60ME365HS69FVQ1CE6PK2G
              postilla list --kind stamp --format ndjson | jq -r .id | xargs postilla delete
            """)

    @Argument(help: ArgumentHelp("The ids, as list writes them.", valueName: "id"))
    var ids: [String]

    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let session = try await LayerSession.open(layer)
        try await session.synchronize()
        do {
            try check(session)
            for id in ids {
                // Given twice, or gone with its root: it is gone all the same.
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
                throw CommandFailure("there is no annotation \(id) in this layer; nothing was deleted")
            }
            if case .denied(let denial) = grant.decide(.delete(.init(record))) {
                throw CommandFailure("\(id): \(denial); nothing was deleted", .notPermitted)
            }
        }
    }
}

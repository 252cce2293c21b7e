import Annotations
import Authorization
import Instant
import InstantCore
import Synchronization

extension LayerSession {
    /// Warns, before a record is created, that its author will not see it.
    func warnIfHidden(_ content: Content, group: String?? = nil) throws {
        if let denial = try viewDenial(content, group) { Output.message(HiddenRecordWarning.text(denial)) }
    }

    fileprivate func viewDenial(_ content: Content, _ group: String??) throws -> Denial? {
        let choice = group.map(LayerMetadata.GroupChoice.init(group:))
        return try descriptor.layer.viewDenial(ofNew: content, group: choice)
    }
}

/// The warning of a command that creates many records: given once.
final class HiddenRecordWarning: Sendable {
    private let wasGiven = Mutex(false)

    func give(_ session: LayerSession, _ content: Content, group: String??) throws {
        guard !wasGiven.withLock({ $0 }), let denial = try session.viewDenial(content, group) else { return }
        wasGiven.withLock { $0 = true }
        Output.message(Self.text(denial))
    }

    fileprivate static func text(_ denial: Denial) -> String {
        "warning: the server will accept this, but not show it to you: viewing it \(denial)"
    }
}

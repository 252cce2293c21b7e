import Annotations

/// A layer's counter of changes: every applied change gets the next value, in commit order. 0 is the base.
package typealias Revision = Int64

/// The position of a view: everything visible up to this revision was received. Valid within one epoch.
package struct Cursor: Hashable, Sendable {
    /// Layer generation and view scope, opaque to the client.
    package var epoch: String
    package var revision: Revision

    package init(epoch: String, revision: Revision) {
        self.epoch = epoch
        self.revision = revision
    }

    /// `epoch.revision`: the `id:` of an event, and the value of `Last-Event-ID`.
    package var eventID: String { "\(epoch).\(revision)" }

    package init?(eventID: String) {
        guard let (epoch, number) = eventID.parted(atLast: "."), let revision = Revision(number), revision >= 0,
            !epoch.isEmpty
        else { return nil }
        self.init(epoch: String(epoch), revision: revision)
        guard self.eventID.isExactly(eventID) else { return nil }
    }
}

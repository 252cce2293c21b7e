package import Annotations

/// An event of `GET events`.
package enum LiveEvent: Hashable, Sendable {
    /// All records changed by one transaction that this view may see.
    case change(ChangeEvent)
    case session(SessionEvent)
    /// The participants.
    case presence(PresenceEvent)
    /// A keep-alive: a comment line every 15 s.
    case heartbeat
}

/// `event: change`. Its `id:` is ``Cursor/eventID`` of (epoch, revision).
package struct ChangeEvent: WireMessage {
    package var epoch: String
    package var revision: Revision
    /// The last revision sent to this view before this event; a gap means that a change was missed.
    package var previous: Revision
    package var changes: [SyncItem]
    /// Whether the changes are left out, because the answer to the reader's push has them.
    package var isOmitted: Bool

    package init(
        epoch: String, revision: Revision, previous: Revision, changes: [SyncItem], isOmitted: Bool = false
    ) {
        self.epoch = epoch
        self.revision = revision
        self.previous = previous
        self.changes = changes
        self.isOmitted = isOmitted
    }

    /// Whether a reader with this cursor lacks changes that the event does not have.
    package func isGap(after cursor: Revision) -> Bool { previous > cursor || (isOmitted && revision > cursor) }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("epoch", epoch)
            $0.member("revision", revision)
            $0.member("previous", previous)
            $0.member("changes", items: changes)
            if isOmitted { $0.member("omitted", true) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var epoch: String?
        var revision: Revision?
        var previous: Revision?
        var changes: [SyncItem]?
        var isOmitted = false
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "epoch": epoch = try reader.string()
            case "revision": revision = try reader.integer()
            case "previous": previous = try reader.integer()
            case "changes": changes = try reader.items()
            case "omitted": isOmitted = try reader.bool()
            default: try reader.skip()
            }
        }
        self.init(
            epoch: try epoch.required("epoch", reader), revision: try revision.required("revision", reader),
            previous: try previous.required("previous", reader),
            changes: try changes.required("changes", reader), isOmitted: isOmitted)
    }
}

/// `event: session`: the state of the token, the layer or the stream itself.
package struct SessionEvent: WireMessage {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The stream is open and delivers everything after its cursor.
        case open
        /// The token expires soon.
        case expiring
        /// The token expired: the stream ends.
        case expired
        case revoked
        /// The document or the layer is gone.
        case lost
        /// The listener was too slow, or the cursor is from another epoch: pull, then listen again.
        case behind
        /// The server is stopping: reconnect.
        case closing
    }

    package var kind: Kind
    package var reason: String?
    /// `expiring`: when the token expires, by the server's clock.
    package var at: Timestamp?

    package init(_ kind: Kind, reason: String? = nil, at: Timestamp? = nil) {
        self.kind = kind
        self.reason = reason
        self.at = at
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("kind", kind.rawValue)
            if let reason { $0.member("reason", reason) }
            if let at { $0.member("at", at.milliseconds) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var kind: Kind?
        var reason: String?
        var at: Int64?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "kind": kind = Kind(rawValue: try reader.string())
            case "reason": reason = try reader.optionalString()
            case "at": at = try reader.integer()
            default: try reader.skip()
            }
        }
        self.init(
            try kind.required("kind", reader), reason: reason, at: at.map(Timestamp.init(milliseconds:)))
    }
}

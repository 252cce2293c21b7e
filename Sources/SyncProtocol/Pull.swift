package import Annotations

/// `GET records?after=&at=&epoch=&limit=`: one page of the live visible records, in id order.
package struct SnapshotPage: WireMessage {
    package var epoch: String
    /// The revision of the snapshot, fixed by the first page. Later changes are requested with `since`.
    package var at: Revision
    /// Each has its own revision, which may be newer than ``at``.
    package var records: [SyncItem]
    /// The id after which to request the next page; nil on the last.
    package var next: Record.ID?

    package init(epoch: String, at: Revision, records: [SyncItem], next: Record.ID?) {
        self.epoch = epoch
        self.at = at
        self.records = records
        self.next = next
    }

    package var size: Int { records.reduce(256) { $0 + $1.size } }

    package func write(to json: inout JSONWriter) {
        Self.write(epoch: epoch, at: at, to: &json) { json in
            for item in records { item.write(to: &json) }
            return next
        }
    }

    /// - Parameter records: Writes each record, and returns the id after which to request the next page.
    fileprivate static func write(
        epoch: String, at revision: Revision, to json: inout JSONWriter,
        _ records: (inout JSONWriter) throws -> Record.ID?
    ) rethrows {
        try json.object {
            $0.member("epoch", epoch)
            $0.member("at", revision)
            var next: Record.ID?
            try $0.member("records", array: { next = try records(&$0) })
            $0.member("next", orNull: next)
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var epoch: String?
        var at: Revision?
        var records: [SyncItem]?
        var next: Record.ID?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "epoch": epoch = try reader.string()
            case "at": at = try reader.integer()
            case "records": records = try reader.items()
            case "next": next = try reader.optionalString()
            default: try reader.skip()
            }
        }
        self.init(
            epoch: try epoch.required("epoch", reader), at: try at.required("at", reader),
            records: try records.required("records", reader), next: next)
    }
}

/// A ``SnapshotPage`` as sent over the wire.
package struct WrittenPage: Sendable {
    package let bytes: [UInt8]
    package let at: Revision
    package let next: Record.ID?

    /// - Parameters:
    ///   - size: The approximate size in bytes.
    ///   - records: Writes the records as ``SnapshotPage`` does; called once, while the page is written.
    package init(
        epoch: String, at revision: Revision, size: Int, _ records: (inout JSONWriter) throws -> Record.ID?
    ) rethrows {
        var json = JSONWriter(capacity: size)
        var next: Record.ID?
        try SnapshotPage.write(epoch: epoch, at: revision, to: &json) {
            next = try records(&$0)
            return next
        }
        bytes = json.bytes
        at = revision
        self.next = next
    }
}

/// The latest state of everything that changed in a view after a cursor: the response to `GET records?since=`, the end
/// of the response to `POST changes`, and the source of a `change` event.
package struct Delta: WireMessage {
    package var epoch: String
    package var changes: [SyncItem]
    /// Everything visible up to this revision is in ``changes`` or was not requested.
    package var upTo: Revision
    /// More changes exist: request them from ``upTo``.
    package var more: Bool

    package init(epoch: String, changes: [SyncItem], upTo: Revision, more: Bool) {
        self.epoch = epoch
        self.changes = changes
        self.upTo = upTo
        self.more = more
    }

    package var size: Int { changes.reduce(256) { $0 + $1.size } }

    package func write(to json: inout JSONWriter) {
        json.object { writeMembers(to: &$0) }
    }

    func writeMembers(to json: inout JSONWriter, omitting sent: SentContents? = nil) {
        json.member("epoch", epoch)
        json.member("changes", items: changes, omitting: sent)
        json.member("upTo", upTo)
        json.member("more", more)
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var partial = Partial()
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            if try !partial.take(key, &reader) { try reader.skip() }
        }
        self = try partial.delta(reader).required("upTo", reader)
    }

    /// The members read so far; also used for the response to a push.
    struct Partial {
        var sent: SentContents?
        var epoch: String?
        var changes: [SyncItem]?
        var upTo: Revision?
        var more = false

        mutating func take(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch key {
            case "epoch": epoch = try reader.optionalString()
            case "changes": changes = try reader.items(sent: sent)
            case "upTo": upTo = try reader.integer()
            case "more": more = try reader.bool()
            default: return false
            }
            return true
        }

        /// Returns nil if the response has no delta.
        func delta(_ reader: JSONReader) throws(JSONError) -> Delta? {
            guard let upTo else { return nil }
            return Delta(
                epoch: try epoch.required("epoch", reader), changes: try changes.required("changes", reader),
                upTo: upTo,
                more: more)
        }
    }
}

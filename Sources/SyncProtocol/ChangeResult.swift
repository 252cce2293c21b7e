import Annotations

/// The answer to one change. Applied, conflict, denied, invalid and gone consume its n; gap and mismatch do not.
package struct ChangeResult: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case applied
        /// Someone else was first; ``ChangeResult/item`` is what won.
        case conflict
        case denied
        case invalid
        /// There is no such record, or none the bearer may see.
        case gone
        /// Not the n that comes next: something before it is missing.
        case gap
        /// This n was something else when it came first.
        case mismatch
    }

    package var n: Int64
    package var status: Status
    /// Of an applied change: the revision it got.
    package var revision: Revision?
    /// In words, for a person.
    package var reason: String?
    /// Conflict: the record as it stands. Never one the bearer may not see.
    package var item: SyncItem?

    package init(
        n: Int64, status: Status, revision: Revision? = nil, reason: String? = nil, item: SyncItem? = nil
    ) {
        self.n = n
        self.status = status
        self.revision = revision
        self.reason = reason
        self.item = item
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("n", n)
            $0.member("status", status.rawValue)
            if let revision { $0.member("revision", revision) }
            if let reason { $0.member("reason", reason) }
            if let item {
                $0.key("record")
                item.write(to: &$0)
            }
        }
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        var n: Int64?
        var status: Status?
        var revision: Revision?
        var reason: String?
        var item: SyncItem?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "n": n = try reader.integer()
            case "status": status = Status(rawValue: try reader.string())
            case "revision": revision = try reader.integer()
            case "reason": reason = try reader.optionalString()
            case "record": item = try SyncItem(from: &reader)
            default: try reader.skip()
            }
        }
        self.init(
            n: try n.required("n", reader), status: try status.required("status", reader), revision: revision,
            reason: reason, item: item)
    }
}

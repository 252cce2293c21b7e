import Annotations

/// The result of one change. Applied, conflict, denied, invalid and gone consume its n; gap and mismatch do not.
package struct ChangeResult: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case applied
        /// Another client was first; ``ChangeResult/item`` is the winner.
        case conflict
        case denied
        case invalid
        /// No such record exists, or the token may not view it.
        case gone
        /// Not the next n: an earlier change is missing.
        case gap
        /// This n was first sent with a different change.
        case mismatch
    }

    package var n: Int64
    package var status: Status
    /// The revision of an applied change; after a mismatch, that of the change that used the number, if it was applied.
    package var revision: Revision?
    /// An explanation for the user.
    package var reason: String?
    /// The current record after a conflict; never one that the token may not view.
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

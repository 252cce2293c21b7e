package import Annotations

/// What a change wants.
package enum ChangeKind: String, Hashable, Sendable, CaseIterable {
    case create, update, delete
    /// Brings back what the same user deleted, while its tombstone lives.
    case restore
}

/// One sealed change: never altered until it is answered.
package struct Change: Hashable, Sendable {
    /// Strictly +1 for each clientID, from 1.
    package var n: Int64
    package var kind: ChangeKind
    package var id: Record.ID
    /// The revision of the record the person saw; 0 for a create and for an untouched base record.
    package var baseRevision: Revision
    /// Delete of a root only: the newest revision in the thread the person saw.
    package var threadRevision: Revision?
    /// Of a create or update; for an update another group than the stored one is a move.
    package var group: String?
    /// Of a create or update; nil otherwise.
    package var content: Content?

    package init(
        n: Int64, kind: ChangeKind, id: Record.ID, baseRevision: Revision, threadRevision: Revision? = nil,
        group: String? = nil, content: Content? = nil
    ) {
        self.n = n
        self.kind = kind
        self.id = id
        self.baseRevision = baseRevision
        self.threadRevision = threadRevision
        self.group = group
        self.content = content
    }

    /// The text that must be the same when a change is sent again; a server keeps a hash of it.
    package var canonicalText: String {
        var json = JSONWriter()
        write(to: &json)
        return json.text
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("n", n)
            $0.member("op", kind.rawValue)
            $0.member("id", id)
            $0.member("baseRevision", baseRevision)
            if let threadRevision { $0.member("threadRevision", threadRevision) }
            $0.member("group", orNull: group)
            if let content { $0.member("content", source: content.text) }
        }
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        var n: Int64?
        var kind: ChangeKind?
        var id: Record.ID?
        var baseRevision: Revision = 0
        var threadRevision: Revision?
        var group: String?
        var content: Content?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "n": n = try reader.integer()
            case "op":
                kind = ChangeKind(rawValue: try reader.string())
                guard kind != nil else { throw reader.error(.wrongType("create, update, delete or restore")) }
            case "id": id = try reader.string()
            case "baseRevision": baseRevision = try reader.integer()
            case "threadRevision":
                if case .null = try reader.peek() { try reader.null() } else { threadRevision = try reader.integer() }
            case "group": group = try reader.optionalString()
            case "content":
                if case .null = try reader.peek() { try reader.null() } else { content = try Content(from: &reader) }
            default: try reader.skip()
            }
        }
        self.init(
            n: try n.required("n", reader), kind: try kind.required("op", reader), id: try id.required("id", reader),
            baseRevision: baseRevision, threadRevision: threadRevision, group: group, content: content)
    }
}

/// `POST changes`.
package struct PushRequest: Message {
    /// 1–64 of `[A-Za-z0-9_-]`, random for each (store, layer, user) and bound to the user by the server.
    package var clientID: String
    /// The highest n whose answer is stored here: the server may forget up to it.
    package var acked: Int64
    /// nil: no changes come back.
    package var cursor: Cursor?
    package var changes: [Change]

    package init(clientID: String, acked: Int64, cursor: Cursor?, changes: [Change]) {
        self.clientID = clientID
        self.acked = acked
        self.cursor = cursor
        self.changes = changes
    }

    package static func isValidClientID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("clientID", clientID)
            $0.member("acked", acked)
            if let cursor {
                $0.member("since", cursor.revision)
                $0.member("epoch", cursor.epoch)
            }
            $0.key("changes")
            $0.array(changes) { $1.write(to: &$0) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var clientID: String?
        var acked: Int64 = 0
        var since: Revision?
        var epoch: String?
        var changes: [Change] = []
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "clientID": clientID = try reader.string()
            case "acked": acked = try reader.integer()
            case "since": since = try reader.integer()
            case "epoch": epoch = try reader.optionalString()
            case "changes":
                try reader.array { (reader: inout JSONReader) throws(JSONError) in
                    changes.append(try Change(from: &reader))
                }
            default: try reader.skip()
            }
        }
        var cursor: Cursor?
        if let since, let epoch { cursor = Cursor(epoch: epoch, revision: since) }
        self.init(
            clientID: try clientID.required("clientID", reader), acked: acked, cursor: cursor, changes: changes)
    }
}

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

/// The answer to `POST changes`: one result for each change, and what the view has missed.
package struct PushAnswer: Message {
    package var results: [ChangeResult]
    /// nil when no cursor was given or ``reset`` is set.
    package var delta: Delta?
    /// The cursor is of another epoch or too old: load a snapshot. The changes were taken all the same.
    package var reset: Bool

    package init(results: [ChangeResult], delta: Delta?, reset: Bool = false) {
        self.results = results
        self.delta = delta
        self.reset = reset
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.key("results")
            $0.array(results) { $1.write(to: &$0) }
            delta?.writeMembers(to: &$0)
            if reset { $0.member("reset", true) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var results: [ChangeResult]?
        var partial = Delta.Partial()
        var reset = false
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "results":
                var list: [ChangeResult] = []
                try reader.array { (reader: inout JSONReader) throws(JSONError) in
                    list.append(try ChangeResult(from: &reader))
                }
                results = list
            case "reset": reset = try reader.bool()
            default: if try !partial.take(key, &reader) { try reader.skip() }
            }
        }
        self.init(
            results: try results.required("results", reader), delta: try partial.delta(reader), reset: reset)
    }
}

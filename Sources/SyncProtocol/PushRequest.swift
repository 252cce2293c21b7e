package import Annotations

/// `POST changes`.
package struct PushRequest: WireMessage {
    /// 1–64 of `[A-Za-z0-9_-]`, random for each (store, layer, user) and bound to the user by the server.
    package var clientID: String
    /// The highest n whose result the client has stored: the server may discard results up to it.
    package var acked: Int64
    /// nil to receive no changes.
    package var cursor: Cursor?
    package var changes: [Change]
    /// Whether the answer may refer to the contents of ``changes`` instead of repeating them (``SentContents``).
    package var omitsSent: Bool

    package init(
        clientID: String, acked: Int64, cursor: Cursor?, changes: [Change], omitsSent: Bool = false
    ) {
        self.clientID = clientID
        self.acked = acked
        self.cursor = cursor
        self.changes = changes
        self.omitsSent = omitsSent
    }

    package var size: Int { changes.reduce(256) { $0 + 128 + ($1.content?.text.utf8.count ?? 0) } }

    package static let clientIDRule = "a clientID must have 1 to 64 of the characters A-Z a-z 0-9 _ -"

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
            if omitsSent { $0.member("omitSent", true) }
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
        var omitsSent = false
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "clientID": clientID = try reader.string()
            case "acked": acked = try reader.integer()
            case "since": since = try reader.integer()
            case "epoch": epoch = try reader.optionalString()
            case "omitSent": omitsSent = try reader.bool()
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
            clientID: try clientID.required("clientID", reader), acked: acked, cursor: cursor, changes: changes,
            omitsSent: omitsSent)
    }
}

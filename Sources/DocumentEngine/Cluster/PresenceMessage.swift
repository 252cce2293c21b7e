import Annotations
import EngineCore
import SyncProtocol

/// One server's participants, as sent to the others, small enough for one NOTIFY. A message can be lost; the next
/// announcement repeats it.
struct PresenceMessage: Hashable, Sendable {
    var people: [PeerPerson] = []
    var left: [Presence.ParticipantKey] = []

    /// The maximum size of a message in bytes; PostgreSQL's limit is below 8,000.
    static let maxBytes = 7_900
    /// The bytes around the entries.
    private static let frame = 64

    /// Packs participants into as few messages as possible. If a participant does not fit, first the selection is
    /// dropped, then the name; a participant who still does not fit is left out.
    static func pack(_ people: [PeerPerson], left: [Presence.ParticipantKey]) -> [PresenceMessage] {
        var notices: [PresenceMessage] = []
        var (notice, bytes) = (PresenceMessage(), frame)
        func add(_ entry: some NoticeEntry, _ change: (inout PresenceMessage) -> Void) {
            let size = entry.size + 1
            if bytes + size > maxBytes {
                notices.append(notice)
                (notice, bytes) = (PresenceMessage(), frame)
            }
            change(&notice)
            bytes += size
        }
        for person in people {
            guard let person = person.fitting(maxBytes - frame) else { continue }
            add(person) { $0.people.append(person) }
        }
        for whom in left { add(whom) { $0.left.append(whom) } }
        return notices + (notice == PresenceMessage() ? [] : [notice])
    }

    var text: String {
        JSONWriter.text {
            $0.key("people")
            $0.array(people) { $1.write(to: &$0) }
            $0.key("left")
            $0.array(left) { $1.write(to: &$0) }
        }
    }

    /// - Returns: nil if the text is not a presence message.
    init?(_ text: some StringProtocol) {
        var reader = JSONReader(Array(text.utf8))
        do throws(JSONError) {
            try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
                switch key {
                case "people":
                    try reader.array { (reader: inout JSONReader) throws(JSONError) in
                        people.append(try PeerPerson(from: &reader))
                    }
                case "left":
                    try reader.array { (reader: inout JSONReader) throws(JSONError) in
                        left.append(try Presence.ParticipantKey(from: &reader))
                    }
                default: try reader.skip()
                }
            }
            try reader.end()
        } catch { return nil }
    }

    init() {}
}

private protocol NoticeEntry {
    func write(to json: inout JSONWriter)
}

extension NoticeEntry {
    /// The serialised size in bytes.
    var size: Int {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes.count
    }
}

extension PeerPerson: NoticeEntry {
    fileprivate func fitting(_ limit: Int) -> PeerPerson? {
        if size < limit { return self }
        var smaller = self
        smaller.person.whereabouts.selection = []
        if smaller.size < limit { return smaller }
        smaller.person.name = nil
        return smaller.size < limit ? smaller : nil
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.object {
            $0.member("layer", layer)
            if let presentingSince { $0.member("since", presentingSince.milliseconds) }
            if let session { $0.member("session", session) }
            person.writeMembers(to: &$0)
        }
    }

    fileprivate init(from reader: inout JSONReader) throws(JSONError) {
        var (layer, since): (Int64?, Int64?) = (nil, nil)
        var session: String?
        var partial = PresentPerson.Partial()
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "layer": layer = try reader.integer()
            case "since": since = try reader.integer()
            case "session": session = try reader.string()
            default: if try !partial.take(key, &reader) { try reader.skip() }
            }
        }
        guard let layer else { throw reader.error(.missing("layer")) }
        self.init(
            layer: layer, person: try partial.person(reader),
            presentingSince: since.map(Timestamp.init(milliseconds:)), session: session)
    }
}

extension Presence.ParticipantKey: NoticeEntry {
    fileprivate func write(to json: inout JSONWriter) {
        json.object {
            $0.member("layer", layer)
            $0.member("id", id)
        }
    }

    fileprivate init(from reader: inout JSONReader) throws(JSONError) {
        var (layer, id): (Int64?, String?) = (nil, nil)
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "layer": layer = try reader.integer()
            case "id": id = try reader.string()
            default: try reader.skip()
            }
        }
        guard let layer, let id else { throw reader.error(.missing(layer == nil ? "layer" : "id")) }
        self.init(layer: layer, id: id)
    }
}

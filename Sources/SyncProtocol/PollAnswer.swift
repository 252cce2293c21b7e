package import Annotations

/// The response to a long poll: the changes, and the participants if they were requested and have changed.
package struct PollAnswer: WireMessage {
    package var delta: Delta
    package var presence: PresenceList?

    package init(_ delta: Delta, presence: PresenceList? = nil) {
        self.delta = delta
        self.presence = presence
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            delta.writeMembers(to: &$0)
            if let presence {
                $0.key("presence")
                presence.write(to: &$0)
            }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var partial = Delta.Partial()
        var presence: PresenceList?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "presence": presence = try PresenceList(from: &reader)
            default: if try !partial.take(key, &reader) { try reader.skip() }
            }
        }
        self.init(try partial.delta(reader).required("upTo", reader), presence: presence)
    }
}

/// All participants.
package struct PresenceList: WireMessage {
    /// Letters, digits and `-`. The client sends it with the next poll, which is answered once the version changes.
    package var version: String
    package var people: [PresentPerson]

    package init(version: String, people: [PresentPerson]) {
        self.version = version
        self.people = people
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("version", version)
            $0.member("people", people: people)
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var version: String?
        var people: [PresentPerson]?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "version": version = try reader.string()
            case "people": people = try reader.people()
            default: try reader.skip()
            }
        }
        self.init(
            version: try version.required("version", reader), people: try people.required("people", reader))
    }
}

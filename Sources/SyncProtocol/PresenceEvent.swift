package import Annotations

/// A participant who has the layer open, as others see them.
package struct PresentPerson: WireMessage {
    /// Assigned by the server until the participant leaves.
    package var id: String
    /// nil if anonymous.
    package var userID: String?
    /// The name in the participant's token.
    package var name: String?
    package var whereabouts: Location
    package var isPresenting: Bool

    package init(
        id: String, userID: String?, name: String?, whereabouts: Location = Location(), isPresenting: Bool = false
    ) {
        self.id = id
        self.userID = userID
        self.name = name
        self.whereabouts = whereabouts
        self.isPresenting = isPresenting
    }

    package func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }

    package func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("user_id", orNull: userID)
        json.member("name", orNull: name)
        whereabouts.writeMembers(to: &json)
        if isPresenting { json.member("presenting", true) }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var partial = Partial()
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            if try !partial.take(key, &reader) { try reader.skip() }
        }
        self = try partial.person(reader)
    }

    /// The members read so far; also used for the messages between servers.
    package struct Partial {
        private var id: String?
        private var userID: String?
        private var name: String?
        private var whereabouts = Location()
        private var isPresenting = false

        package init() {}

        /// - Returns: Whether the member belongs to a participant.
        package mutating func take(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch key {
            case "id": id = try reader.string()
            case "user_id": userID = try reader.optionalString()
            case "name": name = try reader.optionalString()
            case "presenting": isPresenting = try reader.bool()
            default: return try whereabouts.take(key, &reader)
            }
            return true
        }

        package func person(_ reader: JSONReader) throws(JSONError) -> PresentPerson {
            PresentPerson(
                id: try id.required("id", reader), userID: userID, name: name, whereabouts: whereabouts,
                isPresenting: isPresenting)
        }
    }
}

/// `event: presence`: participants who are present, joined, moved or left.
package struct PresenceEvent: WireMessage {
    /// Whether the list is complete: all others have left.
    package var isComplete: Bool
    /// Their current state, regardless of earlier events.
    package var people: [PresentPerson]
    /// The ids of participants who left.
    package var left: [String]

    package init(isComplete: Bool = false, people: [PresentPerson] = [], left: [String] = []) {
        self.isComplete = isComplete
        self.people = people
        self.left = left
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            if isComplete { $0.member("complete", true) }
            $0.member("people", people: people)
            if !left.isEmpty {
                $0.key("left")
                $0.array(left) { $0.string($1) }
            }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        self.init()
        var people: [PresentPerson]?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "complete": isComplete = try reader.bool()
            case "people": people = try reader.people()
            case "left":
                try reader.array { (reader: inout JSONReader) throws(JSONError) in left.append(try reader.string()) }
            default: try reader.skip()
            }
        }
        self.people = try people.required("people", reader)
    }
}

extension JSONWriter {
    mutating func member(_ key: String, people: [PresentPerson]) {
        self.key(key)
        array(people) { $1.write(to: &$0) }
    }
}

extension JSONReader {
    mutating func people() throws(JSONError) -> [PresentPerson] {
        var people: [PresentPerson] = []
        try array { (reader: inout JSONReader) throws(JSONError) in people.append(try PresentPerson(from: &reader)) }
        return people
    }
}

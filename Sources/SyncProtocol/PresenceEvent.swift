package import Annotations

/// Somebody who has the layer open, as others see them.
package struct PresentPerson: WireMessage {
    /// Given by the server for as long as they are there.
    package var id: String
    /// nil: anonymous.
    package var userID: String?
    /// The name that their token carries.
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

    /// The members as they come in, shared with what servers tell each other.
    package struct Partial {
        private var id: String?
        private var userID: String?
        private var name: String?
        private var whereabouts = Location()
        private var isPresenting = false

        package init() {}

        /// - Returns: whether the member was one of a person.
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

/// `event: presence`: who is there, came, moved or left.
package struct PresenceEvent: WireMessage {
    /// These are all: whoever is not among them is not there.
    package var isComplete: Bool
    /// As they are now, whatever was told before.
    package var people: [PresentPerson]
    /// Ids of those who are not there any more.
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

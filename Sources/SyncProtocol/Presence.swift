package import Annotations

/// `POST presence`: the presence of a client that has a layer open.
package struct PresenceSign: WireMessage {
    /// 1–64 of `[A-Za-z0-9_-]`, random for each opening of a layer. Secret: anyone who knows it can send presence as
    /// this client.
    package var session: String
    package var whereabouts: Location
    /// A request to present.
    package var isPresenting: Bool
    /// Whether the client has left.
    package var hasLeft: Bool

    package init(
        session: String, whereabouts: Location = Location(), isPresenting: Bool = false, hasLeft: Bool = false
    ) {
        self.session = session
        self.whereabouts = whereabouts
        self.isPresenting = isPresenting
        self.hasLeft = hasLeft
    }

    package static func isValidSession(_ text: String) -> Bool { PushRequest.isValidClientID(text) }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("session", session)
            whereabouts.writeMembers(to: &$0)
            if isPresenting { $0.member("presenting", true) }
            if hasLeft { $0.member("left", true) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var session: String?
        self.init(session: "")
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "session": session = try reader.string()
            case "presenting": isPresenting = try reader.bool()
            case "left": hasLeft = try reader.bool()
            default: if try !whereabouts.take(key, &reader) { try reader.skip() }
            }
        }
        self.session = try session.required("session", reader)
    }
}

/// The response to a presence message.
package struct PresenceAnswer: WireMessage {
    /// The id under which others see this session; nil if they do not see it.
    package var id: String?
    /// The id of the participant who presents this layer. Only one does at a time; a second request has no effect.
    package var presenter: String?

    package init(id: String?, presenter: String?) {
        self.id = id
        self.presenter = presenter
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("id", orNull: id)
            $0.member("presenter", orNull: presenter)
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var members: (id: String?, presenter: String?) = (nil, nil)
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "id": members.id = try reader.optionalString()
            case "presenter": members.presenter = try reader.optionalString()
            default: try reader.skip()
            }
        }
        self.init(id: members.id, presenter: members.presenter)
    }
}

extension Location {
    /// Writes the members; empty ones are left out.
    func writeMembers(to json: inout JSONWriter) {
        if let pageIndex { json.member("pageIndex", pageIndex) }
        if !selection.isEmpty {
            json.key("selection")
            json.array(selection) { json, area in
                json.object {
                    $0.member("pageIndex", area.pageIndex)
                    $0.member("rects", .array(area.rects.map(\.json)))
                }
            }
        }
        if let record { json.member("record", record) }
    }

    /// - Returns: Whether the member belongs to a location.
    mutating func take(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch key {
        case "pageIndex": pageIndex = try reader.optionalPageIndex()
        case "record": record = try reader.optionalString()
        case "selection":
            var areas: [PageArea] = []
            try reader.array { (reader: inout JSONReader) throws(JSONError) in areas.append(try PageArea(from: &reader))
            }
            selection = areas
        default: return false
        }
        return true
    }
}

extension PageArea {
    fileprivate init(from reader: inout JSONReader) throws(JSONError) {
        var pageIndex: Int?
        var rects: [Rect] = []
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "pageIndex": pageIndex = try reader.optionalPageIndex()
            case "rects":
                try reader.array { (reader: inout JSONReader) throws(JSONError) in
                    guard let rect = Rect(json: try reader.value()) else {
                        throw reader.error(.wrongType("a box: [left, top, width, height]"))
                    }
                    rects.append(rect)
                }
            default: try reader.skip()
            }
        }
        self.init(pageIndex: try pageIndex.required("pageIndex", reader), rects: rects)
    }
}

extension JSONReader {
    fileprivate mutating func optionalPageIndex() throws(JSONError) -> Int? {
        if case .null = try peek() {
            try null()
            return nil
        }
        return Int(clamping: try integer())
    }
}

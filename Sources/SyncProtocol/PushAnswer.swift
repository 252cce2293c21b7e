package import Annotations

/// The response to `POST changes`: one result for each change, and the changes that the client has missed.
package struct PushAnswer: WireMessage {
    package var results: [ChangeResult]
    /// nil if no cursor was given or ``reset`` is set.
    package var delta: Delta?
    /// The cursor is from another epoch or too old: load a snapshot. The changes were processed anyway.
    package var reset: Bool

    package init(results: [ChangeResult], delta: Delta?, reset: Bool = false) {
        self.results = results
        self.delta = delta
        self.reset = reset
    }

    package func write(to json: inout JSONWriter) { write(to: &json, omitting: nil) }

    private func write(to json: inout JSONWriter, omitting sent: SentContents?) {
        json.object {
            $0.key("results")
            $0.array(results) { $1.write(to: &$0) }
            delta?.writeMembers(to: &$0, omitting: sent)
            if reset { $0.member("reset", true) }
        }
    }

    /// Returns the answer without the contents that the request has sent, if it allows that.
    package func bytes(answering request: PushRequest) -> [UInt8] {
        guard request.omitsSent else { return bytes }
        var json = JSONWriter(capacity: size)
        write(to: &json, omitting: SentContents(request.changes))
        return json.bytes
    }

    /// Reads an answer that may refer to contents in its request.
    package init(bytes: [UInt8], answering request: PushRequest) throws(JSONError) {
        var reader = JSONReader(bytes)
        try self.init(from: &reader, sent: request.omitsSent ? SentContents(request.changes) : nil)
        try reader.end()
    }

    package init(from reader: inout JSONReader) throws(JSONError) { try self.init(from: &reader, sent: nil) }

    private init(from reader: inout JSONReader, sent: SentContents?) throws(JSONError) {
        var results: [ChangeResult]?
        var partial = Delta.Partial(sent: sent)
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

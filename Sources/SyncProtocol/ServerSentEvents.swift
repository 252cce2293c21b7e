package import Annotations

/// Server-sent events as text (WHATWG HTML, "Server-sent events").
extension LiveEvent {
    /// One event as bytes for the wire.
    package var frame: [UInt8] {
        switch self {
        case .heartbeat: Array(": still here\n\n".utf8)
        case .session(let event): Self.frame("event: session\ndata: ", event)
        case .presence(let event): Self.frame("event: presence\ndata: ", event)
        case .change(let event):
            Self.frame(
                "id: \(Cursor(epoch: event.epoch, revision: event.revision).eventID)\nevent: change\ndata: ", event)
        }
    }

    /// Writes the frame in one piece.
    private static func frame(_ head: String, _ message: some WireMessage) -> [UInt8] {
        var writer = JSONWriter(after: head, capacity: message.size)
        message.write(to: &writer)
        return writer.bytes(endingIn: "\n\n")
    }
}

/// A parser of server-sent events, fed with bytes split anywhere: LF, CR and CRLF end a line, a blank line ends an
/// event, comment lines are heartbeats.
package struct ServerSentEventParser {
    package enum Failure: Error, Hashable, Sendable {
        case lineTooLong(limit: Int)
        case badEvent(JSONError)
    }

    private let maximumLine: Int
    private var line: [UInt8] = []
    private var event = ""
    private var data: [UInt8] = []
    private var hasData = false
    /// Whether the previous byte was CR: a following LF belongs to it.
    private var afterCR = false
    private var atStart = true

    package init(maximumLine: Int = 2 << 20) { self.maximumLine = maximumLine }

    /// - Returns: The events completed by these bytes, in order, except events with unknown names.
    package mutating func feed(_ bytes: some Sequence<UInt8>) throws(Failure) -> [LiveEvent] {
        var events: [LiveEvent] = []
        var failure: Failure?
        func take(_ bytes: UnsafeBufferPointer<UInt8>) {
            do throws(Failure) { try self.take(bytes, &events) } catch { failure = error }
        }
        if bytes.withContiguousStorageIfAvailable(take) == nil { Array(bytes).withUnsafeBufferPointer(take) }
        if let failure { throw failure }
        return events
    }

    /// Works line by line, not byte by byte: most input is one long line.
    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ events: inout [LiveEvent]) throws(Failure) {
        var rest = bytes[...]
        if afterCR, let first = rest.first {
            afterCR = false
            if first == 0x0A { rest = rest.dropFirst() }
        }
        while !rest.isEmpty {
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
            let room = maximumLine - line.count - data.count
            line.append(contentsOf: rest[..<end].prefix(max(0, room)))
            guard end - rest.startIndex <= room else { throw .lineTooLong(limit: maximumLine) }
            guard end < rest.endIndex else { return }
            let isCR = rest[end] == 0x0D
            rest = rest[(end + 1)...]
            try endLine(&events)
            guard isCR else { continue }
            // The next byte may not have arrived yet.
            afterCR = rest.isEmpty
            if rest.first == 0x0A { rest = rest.dropFirst() }
        }
    }

    private mutating func endLine(_ events: inout [LiveEvent]) throws(Failure) {
        defer { line.removeAll(keepingCapacity: true) }
        if atStart {
            atStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard let first = line.first else { return try dispatch(&events) }
        if first == UInt8(ascii: ":") {
            events.append(.heartbeat)
            return
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == 0x20 { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": event = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(0x0A) }
            data.append(contentsOf: value)
            hasData = true
        default: break  // id and retry are ignored: a change has its own position
        }
    }

    private mutating func dispatch(_ events: inout [LiveEvent]) throws(Failure) {
        defer {
            event = ""
            data.removeAll(keepingCapacity: true)
            hasData = false
        }
        guard hasData else { return }
        do {
            switch event {
            case "change": events.append(.change(try ChangeEvent(bytes: data)))
            case "session": events.append(.session(try SessionEvent(bytes: data)))
            case "presence": events.append(.presence(try PresenceEvent(bytes: data)))
            default: break
            }
        } catch { throw .badEvent(error) }
    }
}

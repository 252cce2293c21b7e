import Glibc

/// One HTTP response, read from the bytes of a connection.
package struct Answer {
    package var status = 0
    package var fields: [(name: String, value: String)] = []
    package var body: [UInt8] = []

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Whether the server closes the connection after it.
    package var closes: Bool { self["connection"]?.lowercased().contains("close") == true }
    /// Whether more responses to the same request follow.
    package var isInterim: Bool { (100..<200).contains(status) }
    package var text: String { String(decoding: body.prefix(400), as: UTF8.self) }
}

/// Reads the responses of one connection from pieces of any size. It is strict: a byte outside a response is an error.
package struct AnswerReader {
    private enum State {
        case head
        case body(left: Int)
        case untilClose
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
    }

    /// The bytes are not a response.
    package struct Garbage: Error, CustomStringConvertible {
        package let description: String
    }

    private var buffer: [UInt8] = []
    private var start = 0
    private var state = State.head
    /// The response being read.
    package private(set) var partial = Answer()

    package init() {}

    package mutating func take(_ bytes: some Collection<UInt8>) {
        if start > 1 << 16 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer += bytes
    }

    /// Whether no partial response is left.
    package var isBetweenAnswers: Bool { if case .head = state { start == buffer.count } else { false } }
    package var hasHead: Bool { if case .head = state { false } else { true } }
    package var unread: ArraySlice<UInt8> { buffer[start...] }

    /// Returns the next complete response; nil if more bytes are needed.
    ///
    /// - Parameters:
    ///   - isHead: Whether it answers a HEAD request and has no body.
    ///   - isEnd: Whether the server has closed the connection.
    package mutating func next(isHead: Bool, isEnd: Bool = false) throws -> Answer? {
        while true {
            switch state {
            case .head:
                guard let head = try line(until: [13, 10, 13, 10], limit: 64 << 10) else { return nil }
                partial = try Self.parse(head)
                state = try bodyState(isHead)
                if case .body(0) = state { return finish() }
            case .body(let left):
                let piece = take(upTo: left)
                guard piece == left else {
                    state = .body(left: left - piece)
                    return nil
                }
                return finish()
            case .untilClose:
                _ = take(upTo: .max)
                return isEnd ? finish() : nil
            case .chunkSize:
                guard let line = try line(until: [13, 10], limit: 1024) else { return nil }
                let digits = String(decoding: line, as: UTF8.self).split(separator: ";").first ?? ""
                guard let size = Int(digits, radix: 16) else {
                    throw Garbage(description: "\(digits) is not a chunk size")
                }
                state = size == 0 ? .trailers : .chunk(left: size)
            case .chunk(let left):
                let piece = take(upTo: left)
                state = piece == left ? .chunkEnd : .chunk(left: left - piece)
                if piece < left { return nil }
            case .chunkEnd:
                guard let line = try line(until: [13, 10], limit: 64) else { return nil }
                guard line.isEmpty else { throw Garbage(description: "a chunk is longer than its size") }
                state = .chunkSize
            case .trailers:
                guard let line = try line(until: [13, 10], limit: 8192) else { return nil }
                if line.isEmpty { return finish() }
            }
        }
    }

    /// Returns the part of the body received so far and removes it from the response.
    package mutating func takeBody() -> [UInt8] {
        defer { partial.body = [] }
        return partial.body
    }

    private mutating func finish() -> Answer {
        state = .head
        defer { partial = Answer() }
        return partial
    }

    private mutating func take(upTo limit: Int) -> Int {
        let count = min(limit, buffer.count - start)
        partial.body += buffer[start..<start + count]
        start += count
        return count
    }

    private mutating func line(until end: [UInt8], limit: Int) throws -> [UInt8]? {
        let found = buffer.withUnsafeBytes { bytes -> Int? in
            var index = start
            while index + end.count <= bytes.count,
                let place = memchr(bytes.baseAddress! + index, Int32(end[0]), bytes.count - index)
            {
                index = UnsafeRawPointer(place) - bytes.baseAddress!
                if index + end.count <= bytes.count, memcmp(place, end, end.count) == 0 { return index }
                index += 1
            }
            return nil
        }
        if let found {
            defer { start = found + end.count }
            return Array(buffer[start..<found])
        }
        guard buffer.count - start <= limit else { throw Garbage(description: "a line without an end") }
        return nil
    }

    private static func parse(_ head: [UInt8]) throws -> Answer {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", let status = Int(words[1]) else {
            throw Garbage(description: "\(lines.first ?? "") is not a status line")
        }
        var answer = Answer()
        answer.status = status
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Garbage(description: "\(line) is not a field") }
            let value = line[line.index(after: colon)...]
            answer.fields.append((line[..<colon].lowercased(), value.trimmingPrefix { $0 == " " }.description))
        }
        return answer
    }

    private func bodyState(_ isHead: Bool) throws -> State {
        if isHead || partial.isInterim || partial.status == 204 || partial.status == 304 { return .body(left: 0) }
        if partial["transfer-encoding"]?.lowercased() == "chunked" { return .chunkSize }
        guard let length = partial["content-length"] else { return .untilClose }
        guard let count = Int(length), count >= 0 else { throw Garbage(description: "\(length) is not a length") }
        return .body(left: count)
    }
}

import Annotations

/// An incremental parser of `multipart/form-data` (RFC 7578, RFC 2046 section 5.1); input may be split anywhere. It
/// buffers at most one delimiter's length of a part's content, one delimiter's line and one part's head, and takes time
/// in proportion to the input.
struct MultipartParser {
    enum Event: Hashable {
        /// The start of a part.
        case part(Head)
        /// More of the part's content.
        case content([UInt8])
        case end
    }

    struct Head: Hashable {
        var name: String
        var fileName: String?
    }

    enum Failure: Error, Hashable {
        case headTooLarge
        case badHead
        /// The body ended before its last delimiter.
        case cut
    }

    private enum State {
        case preamble
        /// Behind a delimiter.
        case delimiter
        case head, content, epilogue
    }

    private static let headLimit = 8 << 10
    private let delimiter: [UInt8]
    private var state = State.preamble
    /// Unparsed input, after ``taken`` parsed bytes: moving the rest to the front after each event would take longer
    /// the larger the input is.
    private var buffer: [UInt8]
    private var taken = 0
    private var pending: ArraySlice<UInt8> { buffer[taken...] }
    /// How much of the unparsed input is known not to hold the end of its line or head.
    private var searched = 0
    /// How many bytes were searched, counting those searched again.
    private(set) var steps = 0

    init(boundary: String) {
        delimiter = Array("\r\n--\(boundary)".utf8)
        // With this, the first delimiter is found like any other, although no line precedes it.
        buffer = [0x0D, 0x0A]
    }

    /// Returns the boundary that a content type names; nil if there is none or it is invalid.
    static func boundary(contentType: String) -> String? {
        for parameter in contentType.split(scalar: ";").dropFirst() {
            let parts = parameter.split(scalar: "=", maxSplits: 1).map { $0.trimmingSpaces }
            guard parts.count == 2, parts[0].lowercased() == "boundary" else { continue }
            let value = parts[1].unquoted
            return (1...70).contains(value.utf8.count) ? value : nil
        }
        return nil
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) throws(Failure) -> [Event] {
        buffer.append(contentsOf: bytes)
        var events: [Event] = []
        while let event = try step() { if let event { events.append(event) } }
        buffer.removeFirst(taken)
        taken = 0
        return events
    }

    func finish() throws(Failure) {
        guard state == .epilogue else { throw .cut }
    }

    /// - Returns: nil if more bytes are needed; otherwise the event of this step, if any.
    private mutating func step() throws(Failure) -> Event?? {
        switch state {
        case .preamble:
            guard let at = find(delimiter) else {
                keep(last: delimiter.count - 1)
                return nil
            }
            return begin(.delimiter, droppingFirst: at + delimiter.count)
        case .delimiter: return try delimited()
        case .head: return try head()
        case .content: return content()
        case .epilogue:
            drop(pending.count)
            return nil
        }
    }

    /// Parses what follows a delimiter: `--` after the last part, otherwise a line end.
    private mutating func delimited() throws(Failure) -> Event?? {
        guard pending.count >= 2 else { return nil }
        if pending.starts(with: "--".utf8) {
            state = .epilogue
            return .some(.end)
        }
        guard let end = try findEnd([0x0D, 0x0A]) else { return nil }
        return begin(.head, droppingFirst: end)
    }

    private mutating func begin(_ state: State, droppingFirst count: Int) -> Event?? {
        drop(count)
        self.state = state
        return .some(nil)
    }

    private mutating func head() throws(Failure) -> Event?? {
        guard let end = try findEnd([0x0D, 0x0A, 0x0D, 0x0A]) else { return nil }
        guard let text = String(validating: pending.prefix(end), as: UTF8.self), let head = Head(text) else {
            throw .badHead
        }
        // Keep the last line end: a delimiter may follow immediately.
        drop(end + 2)
        state = .content
        skipLineEnd = true
        return .some(.part(head))
    }

    /// Whether the next content starts with a line end that belongs to the head. If the content is empty, that line end
    /// starts the delimiter.
    private var skipLineEnd = false

    private mutating func content() -> Event?? {
        if let at = find(delimiter) {
            if at > 0 { return .some(.content(take(at))) }
            skipLineEnd = false
            return begin(.delimiter, droppingFirst: delimiter.count)
        }
        let count = pending.count - (delimiter.count - 1)
        guard count > (skipLineEnd ? 2 : 0) else { return nil }
        return .some(.content(take(count)))
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        let bytes = Array(pending.prefix(count).dropFirst(skipLineEnd ? 2 : 0))
        skipLineEnd = false
        drop(count)
        return bytes
    }

    private mutating func keep(last count: Int) { drop(max(0, pending.count - count)) }

    private mutating func drop(_ count: Int) {
        taken += count
        searched = 0
    }

    /// Returns where the end of a line or head starts; nil if it has not arrived. Searches only what is new.
    private mutating func findEnd(_ end: [UInt8]) throws(Failure) -> Int? {
        let found = find(end, from: searched)
        guard found ?? pending.count <= Self.headLimit else { throw .headTooLarge }
        searched = max(0, pending.count - (end.count - 1))
        return found
    }

    /// Returns where these bytes start, searching by their first byte.
    private mutating func find(_ needle: [UInt8], from start: Int = 0) -> Int? {
        let found: Int? = pending.withUnsafeBytes { bytes in
            var from = start
            while from + needle.count <= bytes.count {
                guard let first = bytes[from...].firstIndex(of: needle[0]), first + needle.count <= bytes.count else {
                    return nil
                }
                if bytes[first..<first + needle.count].elementsEqual(needle) { return first }
                from = first + 1
            }
            return nil
        }
        steps += (found.map { $0 + needle.count } ?? pending.count) - start
        return found
    }
}

extension MultipartParser.Head {
    /// Parses the head lines of a part; nil for a part without a name, which a form cannot contain.
    fileprivate init?(_ text: String) {
        var disposition: [String: String] = [:]
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.range(ofScalars: "\r\n") ?? rest.endIndex..<rest.endIndex
            let line = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
            if line.isEmpty { continue }
            let parts = line.split(scalar: ":", maxSplits: 1).map { $0.trimmingSpaces }
            guard parts.count == 2 else { return nil }
            switch parts[0].lowercased() {
            case "content-disposition": disposition = Self.parameters(parts[1])
            default: break
            }
        }
        guard let name = disposition["name"] else { return nil }
        self.init(name: name, fileName: disposition["filename"])
    }

    /// Parses `form-data; name="file"; filename="a;b.pdf"`.
    private static func parameters(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        var inQuotes = false
        let pieces = text.split(whereScalar: { scalar in
            if scalar == "\"" { inQuotes.toggle() }
            return scalar == ";" && !inQuotes
        })
        for piece in pieces.dropFirst() {
            let parts = piece.split(scalar: "=", maxSplits: 1).map { $0.trimmingSpaces }
            if parts.count == 2 { values[parts[0].lowercased()] = parts[1].unquoted }
        }
        return values
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String { String(trimming { $0 == " " || $0 == "\t" }) }
}

extension String {
    fileprivate var unquoted: String {
        dropping(prefix: "\"")?.dropping(suffix: "\"").map(String.init) ?? self
    }
}

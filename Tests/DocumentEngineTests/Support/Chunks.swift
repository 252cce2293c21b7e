/// The complete pieces of a chunked body (RFC 9112 §7.1), in order.
struct Chunks: Sequence, IteratorProtocol {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func next() -> String? {
        guard let end = rest.firstIndex(of: 0x0D) else { return nil }
        guard let count = Int(String(rest[..<end]) ?? "", radix: 16) else { return "no length" }
        let body = rest[end...].dropFirst(2)
        let piece = body.prefix(count)
        guard body.dropFirst(count).prefix(2).elementsEqual([0x0D, 0x0A]) else { return nil }
        rest = body.dropFirst(count + 2)
        return String(piece)
    }
}

import Annotations

/// The requested bytes of a file (RFC 9110 section 14.1.2). Supports one range; a request for several gets the whole
/// file.
enum ByteRange: Hashable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable

    init(header: String?, of length: Int64) {
        guard let range = header?.dropping(prefix: "bytes=") else {
            self = .whole
            return
        }
        let bounds = range.split(scalar: "-", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.trimming(scalars: { $0 == " " }) }
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            self = .whole
            return
        }
        switch (Int64(bounds[0]), Int64(bounds[1])) {
        case (let first?, let last?) where first <= last:
            self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        case (let first?, nil) where bounds[1].isEmpty: self = first < length ? .part(first..<length) : .unsatisfiable
        case (nil, let count?) where bounds[0].isEmpty:
            self = count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
        default: self = .whole
        }
    }
}

/// Which bytes of a file a request has (RFC 9110 section 14.4): `bytes 0-499/1234`. The length of the file is required.
struct ContentRange: Hashable {
    let bytes: Range<Int64>
    let total: Int64

    /// - Returns: nil if the value makes no sense.
    init?(header: String) {
        guard let value = header.dropping(prefix: "bytes ") else { return nil }
        let parts = value.split(scalar: "/", omittingEmptySubsequences: false)
        let bounds = parts[0].split(scalar: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, bounds.count == 2,
            (bounds + [parts[1]]).allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let first = Int64(bounds[0]), let last = Int64(bounds[1]), let total = Int64(parts[1]),
            first <= last, last < total
        else { return nil }
        (bytes, self.total) = (first..<last + 1, total)
    }
}

import Annotations

/// The parameters of a query. If several have the same name, the first one is used.
struct Query: Hashable {
    private var values: [ByteOrdered: String] = [:]

    /// Creates the empty query of an address that has none.
    init() {}

    /// - Returns: nil if the encoding is invalid.
    init?(_ text: Substring) {
        for pair in text.split(scalar: "&") {
            let parts = pair.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = parts.count < 2 ? "" : PercentEncoding.decode(parts[1], plusIsSpace: true)
            else { return nil }
            if values[ByteOrdered(name)] == nil { values[ByteOrdered(name)] = value }
        }
    }

    subscript(name: String) -> String? { values[ByteOrdered(name)] }
}

import Annotations

/// The parameters of a query. Of two with one name the first counts.
struct Query: Hashable {
    private var values: [String: String] = [:]

    /// Of an address that has none.
    init() {}

    /// - Returns: nil when it is not properly encoded.
    init?(_ text: some StringProtocol) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = parts.count < 2 ? "" : PercentEncoding.decode(parts[1], plusIsSpace: true)
            else { return nil }
            if values[name] == nil { values[name] = value }
        }
    }

    subscript(name: String) -> String? { values[name] }
}

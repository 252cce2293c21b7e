import EngineCore
import SyncProtocol

/// The secret of the customer's backend, `Authorization: Token token="…"`, compared in constant time, so that timing
/// does not reveal how much of a guess is right.
struct BackendSecret: Sendable {
    private let secret: [UInt8]?

    /// - Parameter secret: nil: none is configured, and the backend API is closed.
    init(_ secret: String?) { self.secret = secret.map { Array($0.utf8) } }

    func check(_ header: String?) throws(APIError) {
        guard let secret else {
            throw APIError(
                .unauthorized, "backend routes are closed: the server was started without --api-token-file")
        }
        guard let given = header.flatMap(Self.token), Self.same(Array(given.utf8), secret) else {
            throw APIError(.unauthorized, #"the backend's secret is missing or wrong (Authorization: Token token="…")"#)
        }
    }

    /// Accepts the value with or without quotation marks.
    private static func token(_ header: String) -> Substring? {
        guard header.lowercased().hasPrefix("token token=") else { return nil }
        let value = header.dropFirst("token token=".count)
        if value.count >= 2, value.first == "\"", value.last == "\"" { return value.dropFirst().dropLast() }
        return value
    }

    private static func same(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        var difference = one.count ^ other.count
        for index in other.indices { difference |= Int(other[index] ^ (index < one.count ? one[index] : 0)) }
        return difference == 0
    }
}

import Annotations
import EngineCore
import SyncProtocol
import Synchronization

/// The secrets of the customer's backend, `Authorization: Token token="…"`. Each is accepted, so that one can replace
/// another without downtime. They are compared in constant time, so that timing does not reveal how much of a guess is
/// right, and can be replaced while the server runs.
package final class BackendSecrets: Sendable {
    /// In characters. Shorter secrets can be guessed despite the limits; 32 are recommended.
    package static let minLength = 16

    private let secrets: Mutex<[[UInt8]]>

    /// - Parameter secrets: empty: none is configured, and the backend API is closed.
    init(_ secrets: [String]) { self.secrets = Mutex(secrets.map { Array($0.utf8) }) }

    func replace(by secrets: [String]) {
        let new = secrets.map { Array($0.utf8) }
        self.secrets.withLock { $0 = new }
    }

    /// - Returns: which of the secrets was given, counted from 1.
    @discardableResult
    func check(_ header: String?) throws(APIError) -> Int {
        let secrets = secrets.withLock { $0 }
        guard !secrets.isEmpty else {
            throw APIError(
                .unauthorized, "backend routes are closed: the server was started without --api-token-file")
        }
        let given = header.flatMap(Self.token).map { Array($0.utf8) }
        var found = 0
        for (index, secret) in secrets.enumerated() where Self.same(given ?? [], secret) { found = index + 1 }
        guard given != nil, found > 0 else {
            throw APIError(.unauthorized, #"the backend's secret is missing or wrong (Authorization: Token token="…")"#)
        }
        return found
    }

    /// Accepts the value with or without quotation marks.
    private static func token(_ header: String) -> Substring? {
        let mark = "token token="
        guard header.utf8.prefix(mark.utf8.count).elementsEqual(mark.utf8, by: { $0 | 0x20 == $1 | 0x20 }) else {
            return nil
        }
        let value = Substring(header.utf8.dropFirst(mark.utf8.count))
        return value.dropping(prefix: "\"")?.dropping(suffix: "\"") ?? value
    }

    private static func same(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        var difference = one.count ^ other.count
        for index in other.indices { difference |= Int(other[index] ^ (index < one.count ? one[index] : 0)) }
        return difference == 0
    }
}

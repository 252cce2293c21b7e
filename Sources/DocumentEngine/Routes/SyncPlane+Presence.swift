import Authorization
import Hummingbird
import SyncProtocol

extension SyncPlane {
    /// Bytes of a sign of life: a hundred boxes and the name of a record.
    private static let signBytes = 16 << 10

    func presence(_ claims: Claims, _ exchange: Exchange) async throws -> Response {
        try require(.readDocument, claims)
        let sign = try await exchange.message(PresenceSign.self, upTo: Self.signBytes)
        return .message(try await engine.announce(sign, claims))
    }
}

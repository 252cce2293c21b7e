import EngineCore
import InstantCore
import SyncProtocol

/// An answer in transit: a status and bytes.
struct Reply {
    var status: Int
    var bytes: [UInt8]

    init(_ message: some WireMessage) { self.init(bytes: message.bytes) }

    init(_ answer: PushAnswer, to push: PushRequest) { self.init(bytes: answer.bytes(answering: push)) }

    private init(bytes: [UInt8]) {
        status = 200
        self.bytes = bytes
    }

    /// The answer of a firewall.
    static let blocked = Reply(status: 403, bytes: Array("<html>Forbidden</html>".utf8))

    private init(status: Int, bytes: [UInt8]) { (self.status, self.bytes) = (status, bytes) }

    /// The answer to an upload.
    static let received = Reply(bytes: Array("{}".utf8))

    init(_ refusal: APIError) {
        status =
            switch refusal.reason {
            case .tokenMissing, .tokenMalformed, .tokenExpired, .tokenNotYetValid, .tokenRevoked, .signatureInvalid,
                .algorithmRefused, .unauthorized:
                401
            case .insufficientScope: 403
            case .documentNotFound, .layerDeleted, .notFound: 404
            case .clientIDTaken: 409
            case .epochChanged: 410
            case .payloadTooLarge: 413
            case .overload, .internalError: 500
            default: 400
            }
        bytes = ErrorAnswer(refusal.reason, refusal.description).bytes
    }

    /// Returns what a client reads from it. Bytes that do not parse count as an invalid server.
    func read(_ kind: SyncRequest.Kind) -> Result<SyncAnswer, SyncFailure> {
        guard status == 200 else { return .failure(failure) }
        do {
            switch kind {
            case .session: return .success(.session(try SessionAnswer(bytes: bytes)))
            case .push(let push): return .success(.push(try PushAnswer(bytes: bytes, answering: push)))
            case .pull: return .success(.delta(try Delta(bytes: bytes)))
            case .page: return .success(.page(try SnapshotPage(bytes: bytes)))
            case .upload where bytes == Self.received.bytes: return .success(.uploaded)
            case .upload: return .failure(.unreachable("the answer was truncated"))
            case .presence: return .success(.presence(try PresenceAnswer(bytes: bytes)))
            case .digest: return .success(.digest(try DigestAnswer(bytes: bytes)))
            }
        } catch { return .failure(.invalidServer("its answer cannot be read")) }
    }

    private var failure: SyncFailure {
        guard let answer = try? ErrorAnswer(bytes: bytes) else { return .invalidServer("its error cannot be read") }
        switch (status, answer.known) {
        case (_, .clientIDTaken): return .clientIDTaken
        case (401, .tokenExpired): return .token(.expired)
        case (401, .tokenRevoked): return .token(.revoked)
        case (401, _): return .token(.refused(answer.description))
        case (403, _): return .forbidden(answer.description)
        case (404, _): return .lost(answer.description)
        case (410, _): return .epochChanged
        case (413, _): return .tooLarge
        case (500..., _): return .unreachable(answer.description)
        default: return .invalidServer(answer.description)
        }
    }
}

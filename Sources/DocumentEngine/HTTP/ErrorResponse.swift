import EngineCore
import HTTPTypes
import Hummingbird
import SyncProtocol

extension ErrorAnswer.Reason {
    /// The HTTP status, on which a client can act without reading the body.
    var status: HTTPResponse.Status {
        switch self {
        case .tokenMissing, .tokenMalformed, .tokenExpired, .tokenNotYetValid, .tokenRevoked, .signatureInvalid,
            .algorithmRefused, .audienceRefused, .issuerRefused, .lifetimeRefused, .unauthorized:
            .unauthorized
        case .insufficientScope: .forbidden
        case .documentNotFound, .layerDeleted, .notFound: .notFound
        case .epochChanged: .gone
        case .clientIDTaken: .conflict
        case .badRequest, .alreadyExists: .badRequest
        case .invalid: .unprocessableContent
        case .payloadTooLarge: .contentTooLarge
        case .tooManyRequests: .tooManyRequests
        case .oldClient, .oldServer: .upgradeRequired
        case .internalError: .internalServerError
        case .overload, .unavailable, .storageFull, .storageDamaged: .serviceUnavailable
        case .rangeNotSatisfiable: .rangeNotSatisfiable
        case .methodNotAllowed: .methodNotAllowed
        }
    }

    /// The challenge of RFC 6750 section 3, and of the vendor's scheme for the backend.
    var challenge: String? {
        switch self {
        case .unauthorized: "Token"
        case .insufficientScope: #"Bearer error="insufficient_scope""#
        case .tokenMissing: "Bearer"
        default: status == .unauthorized ? #"Bearer error="invalid_token""# : nil
        }
    }
}

extension APIError {
    var response: Response {
        var response = Response.json(reason.status, bytes: ErrorAnswer(reason, description).bytes)
        response.headers[.wwwAuthenticate] = reason.challenge
        if [.tooManyRequests, .overload, .unavailable, .storageFull, .storageDamaged].contains(reason) {
            response.headers[.retryAfter] = String(retryAfter?.wholeSecondsUp ?? 1)
        }
        return response
    }
}

extension Duration {
    /// The value of `Retry-After`: whole seconds, rounded up.
    fileprivate var wholeSecondsUp: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}

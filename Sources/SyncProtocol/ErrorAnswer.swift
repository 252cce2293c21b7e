package import Annotations

/// The error response of every API: `{"error":{"reason":"snake_case","description":"…"}}`.
package struct ErrorAnswer: WireMessage {
    package var reason: String
    package var description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason.rawValue
        self.description = description
    }

    package init(reason: String, description: String) { (self.reason, self.description) = (reason, description) }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member(
                "error",
                object: {
                    $0.member("reason", reason)
                    $0.member("description", description)
                })
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let value = try reader.value()
        guard let reason = value["error"]?["reason"]?.string else { throw reader.error(.missing("error")) }
        self.reason = reason
        description = value["error"]?["description"]?.string ?? ""
    }

    /// The reason, if it is a known one.
    package var known: Reason? { Reason(rawValue: reason) }

    /// The reasons on which a client acts. 401: the token; 403: a permission; 404: the layer is lost; 410: start over.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        case tokenMissing = "token_missing"
        case tokenMalformed = "token_malformed"
        case tokenExpired = "token_expired"
        case tokenNotYetValid = "token_not_yet_valid"
        case tokenRevoked = "token_revoked"
        case signatureInvalid = "signature_invalid"
        case algorithmRefused = "algorithm_refused"
        case audienceRefused = "audience_refused"
        case issuerRefused = "issuer_refused"
        case lifetimeRefused = "lifetime_refused"
        case insufficientScope = "insufficient_scope"
        case documentNotFound = "document_not_found"
        case layerDeleted = "layer_deleted"
        case epochChanged = "epoch_changed"
        case clientIDTaken = "client_id_taken"
        case badRequest = "bad_request"
        case invalid = "invalid"
        case notFound = "not_found"
        case alreadyExists = "already_exists"
        case unauthorized = "unauthorized"
        case payloadTooLarge = "payload_too_large"
        case tooManyRequests = "too_many_requests"
        case oldClient = "old_client"
        case oldServer = "old_server"
        case overload = "overload"
        case unavailable = "unavailable"
        case storageFull = "storage_full"
        case storageDamaged = "storage_damaged"
        case internalError = "internal_error"
        case rangeNotSatisfiable = "range_not_satisfiable"
        case methodNotAllowed = "method_not_allowed"
    }
}

package import Annotations
package import Authorization

/// `GET token`: a server's verdict on a token.
package struct TokenVerdict: WireMessage {
    /// The key that verified the signature.
    package struct Key: Hashable, Sendable {
        package var algorithm: String
        /// Of the public key in DER, lower-case hex.
        package var sha256: String

        package init(algorithm: String, sha256: String) {
            (self.algorithm, self.sha256) = (algorithm, sha256)
        }
    }

    /// The error that requests with the token get; nil if it is accepted.
    package var refusal: ErrorAnswer?
    /// The server's clock. This and ``key`` are nil if no key of the server verifies the signature; then a server sends
    /// only the error.
    package var now: Timestamp?
    package var key: Key?
    /// The grant that the server read from the token; nil if its claims are invalid.
    package var grant: Grant?
    package var notBefore: Timestamp?
    package var issuedAt: Timestamp?
    /// The `jti`.
    package var tokenID: String?
    /// Warnings, as sentences for the person who issues such tokens.
    package var warnings: [String] = []

    package init(refusal: ErrorAnswer? = nil, now: Timestamp? = nil, key: Key? = nil) {
        (self.refusal, self.now, self.key) = (refusal, now, key)
    }

    package var isAccepted: Bool { refusal == nil }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("accepted", isAccepted)
            if let refusal {
                $0.member("reason", refusal.reason)
                $0.member("description", refusal.description)
            }
            if let now { $0.member("now", now.milliseconds) }
            if let key {
                $0.member(
                    "key",
                    object: {
                        $0.member("algorithm", key.algorithm)
                        $0.member("sha256", key.sha256)
                    })
            }
            if let grant {
                $0.key("grant")
                grant.write(to: &$0)
            }
            if let notBefore { $0.member("not_before", notBefore.milliseconds) }
            if let issuedAt { $0.member("issued_at", issuedAt.milliseconds) }
            if let tokenID { $0.member("jti", tokenID) }
            $0.key("warnings")
            $0.array(warnings) { $0.string($1) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var isAccepted: Bool?
        var (reason, description): (String?, String?)
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "accepted": isAccepted = try reader.value().bool
            case "reason": reason = try reader.string()
            case "description": description = try reader.string()
            case "now": now = Timestamp(milliseconds: try reader.integer())
            case "key":
                let value = try reader.value()
                if let algorithm = value["algorithm"]?.string, let sha256 = value["sha256"]?.string {
                    self.key = Key(algorithm: algorithm, sha256: sha256)
                }
            case "grant": grant = try Grant(from: &reader)
            case "not_before": notBefore = Timestamp(milliseconds: try reader.integer())
            case "issued_at": issuedAt = Timestamp(milliseconds: try reader.integer())
            case "jti": tokenID = try reader.string()
            case "warnings": warnings = (try reader.value().array ?? []).compactMap(\.string)
            default: try reader.skip()
            }
        }
        guard try !isAccepted.required("accepted", reader) else { return }
        refusal = ErrorAnswer(reason: try reason.required("reason", reader), description: description ?? "")
    }
}

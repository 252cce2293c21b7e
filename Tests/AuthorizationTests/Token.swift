import Annotations
import Authorization

/// Tokens as a stranger would send them, unsigned, because decoding verifies nothing.
enum Token {
    static let header = #"{"alg":"RS256","typ":"JWT"}"#

    static func make(header: String = header, payload: String, signature: String = "c2lnbmF0dXJl") -> String {
        "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload.utf8)).\(signature)"
    }

    /// Returns the claims of a valid token, with these members (a JSON fragment) added or replaced.
    static func payload(
        documentID: String? = #""contract""#, permissions: String? = #""all""#, exp: String? = "4000000000",
        _ others: String = ""
    ) -> String {
        let members = [
            documentID.map { #""document_id":\#($0)"# }, permissions.map { #""permissions":\#($0)"# },
            exp.map { #""exp":\#($0)"# }, others.isEmpty ? nil : others,
        ]
        return "{\(members.compactMap { $0 }.joined(separator: ","))}"
    }
}

/// Returns the decoding error, for `==`.
func problem(_ payload: String) -> TokenError? { problem(token: Token.make(payload: payload)) }

func problem(token: String) -> TokenError? {
    do { _ = try Claims(token: token) } catch { return error }
    return nil
}

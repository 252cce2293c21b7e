/// The reason why a text is not a valid token (`invalidJWT`). Never contains the token.
public enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLarge(bytes: Int, limit: Int)
    case segments(Int)
    case notBase64JSON(part: String)
    case missing(String)
    case wrongType(String, String)
    case collaborationWithoutUser
    case twoDefaultGroups
    case badLayerName

    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "the token has \(bytes) bytes, the limit is \(limit); grant fewer permissions or shorten their names"
        case .segments(let count):
            "not a token: a JWT has three parts separated by dots; this has \(count)"
        case .notBase64JSON(part: "signature"): "not a token: the signature is missing or incomplete"
        case .notBase64JSON(let part): "not a token: the \(part) is not base64url-encoded JSON"
        case .missing(let claim): #"the token lacks the claim "\#(claim)""#
        case .wrongType(let claim, let expected): #"the token's claim "\#(claim)" must be \#(expected)"#
        case .collaborationWithoutUser: #"the token has "collaboration_permissions" but no "user_id""#
        case .twoDefaultGroups: #"the token's claims "group" and "default_group" differ"#
        case .badLayerName: "the token's layer name is longer than 256 characters or contains *"
        }
    }
}

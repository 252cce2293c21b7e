/// Why a text is no token of ours (`invalidJWT`). Never holds the token itself.
public enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLarge(limit: Int)
    case segments(Int)
    case notBase64JSON(part: String)
    case missing(String)
    case wrongType(String, String)
    case collaborationWithoutUser
    case twoDefaultGroups
    case badLayerName

    public var description: String {
        switch self {
        case .tooLarge(let limit): "this is no token: it is larger than \(limit) bytes"
        case .segments(let count):
            "this is no token: a JWT has three parts divided by dots, this has \(count)"
        case .notBase64JSON(part: "signature"): "this is no token: it is not signed, or its signature is cut"
        case .notBase64JSON(let part): "this is no token: its \(part) is not base64url-encoded JSON"
        case .missing(let claim): #"the token lacks the claim "\#(claim)""#
        case .wrongType(let claim, let expected): #"the token's claim "\#(claim)" must be \#(expected)"#
        case .collaborationWithoutUser: #"the token has "collaboration_permissions" but no "user_id""#
        case .twoDefaultGroups: #"the token names two default groups: "group" and "default_group" differ"#
        case .badLayerName: "the token's layer name is longer than 256 characters or holds a *"
        }
    }
}

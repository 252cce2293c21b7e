import EngineSupport

/// What a window's or a command's token allows.
enum Role: String, CaseIterable {
    case all
    case reader
    /// Sees and changes only what its user made.
    case mine
    case mineReader
    case expired

    func claims(user: String) -> TokenMint.Claims {
        var claims = TokenMint.Claims(document: Campaign.document, layer: "review", user: user)
        switch self {
        case .all: break
        case .reader: claims.permissions = ["read-document", "download"]
        case .mine: claims.collaboration = Self.own
        case .mineReader:
            claims.permissions = ["read-document", "download"]
            claims.collaboration = Self.own
        case .expired: claims.expires = 1_000_000_000
        }
        return claims
    }

    private static let own = ["view", "edit", "delete"].map { "annotations:\($0):self" } + ["comments:view:self"]

    var mayWrite: Bool { self == .all || self == .mine }
    var isAccepted: Bool { self != .expired }

    func sees(createdBy user: String?, owner: String) -> Bool {
        switch self {
        case .all, .reader: true
        case .mine, .mineReader: user == owner
        case .expired: false
        }
    }
}

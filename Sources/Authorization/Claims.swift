public import Annotations

/// The claims of a token, read from its payload. Nothing here is verified: a client decodes claims for its own use, and
/// the server decides (guide: authentication; RFC 7519).
public struct Claims: Hashable, Sendable {
    /// What the token grants, by its own claims.
    public var grant: Grant
    public var notBefore: Timestamp?
    public var issuedAt: Timestamp?
    /// Makes the token revocable.
    public var tokenID: String?
    /// Oddities that do not make the token invalid, as sentences: unknown or malformed entries, a claim under an old
    /// name.
    public var warnings: [String]

    /// The default limit of a token, 8 KB; larger tokens are refused unread.
    public static let maximumTokenBytes = 8 << 10

    /// Decodes a token offline.
    ///
    /// - Throws: ``TokenError`` if it is not a valid token (`invalidJWT`).
    public init(token: String) throws(TokenError) {
        guard token.utf8.count <= Self.maximumTokenBytes else { throw .tooLarge(limit: Self.maximumTokenBytes) }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .segments(parts.count) }
        guard Base64URL.decode(parts[0]).flatMap({ try? JSONReader.parse($0) })?.object != nil else {
            throw .notBase64JSON(part: "header")
        }
        guard let payload = Base64URL.decode(parts[1]) else { throw .notBase64JSON(part: "payload") }
        guard !parts[2].isEmpty, Base64URL.decode(parts[2]) != nil else { throw .notBase64JSON(part: "signature") }
        try self.init(payload: payload)
    }

    /// Reads the payload of a token: one JSON object.
    public init(payload: [UInt8]) throws(TokenError) {
        let json: JSON
        do { json = try JSONReader.parse(payload) } catch { throw .notBase64JSON(part: "payload") }
        guard let object = json.object else { throw .notBase64JSON(part: "payload") }
        var reader = ClaimReader(object: object)
        let documentID = try reader.text("document_id", required: true, limit: 4096) ?? ""
        let general = try reader.generalPermissions()
        guard let expiresAt = try reader.moment("exp") else { throw .missing("exp") }
        let userID = try reader.name("user_id")
        let collaboration = try reader.collaborationPermissions()
        if collaboration != nil, userID == nil { throw .collaborationWithoutUser }
        let layer = try reader.text("layer", limit: 1024) ?? ""
        guard layer.count <= 256, !layer.contains("*") else { throw .badLayerName }
        grant = Grant(
            documentID: documentID, layer: layer, userID: userID, general: general, collaboration: collaboration,
            defaultGroup: try reader.defaultGroup(), creatorName: try reader.text("creator_name"), expiresAt: expiresAt)
        notBefore = try reader.moment("nbf")
        issuedAt = try reader.moment("iat")
        tokenID = try reader.text("jti")
        warnings = reader.warnings
    }
}

public import Annotations

/// The claims of a token, read from its payload. Nothing here is verified: a client decodes claims for its own use, and
/// the server decides (guide: authentication; RFC 7519).
public struct Claims: Hashable, Sendable {
    /// What the token grants, by its own claims.
    public var grant: Grant
    public var notBefore: Timestamp?
    public var issuedAt: Timestamp?
    /// Who issued the token, and for which servers (RFC 7519, sections 4.1.1 and 4.1.3); a server may require values.
    public var issuer: String?
    public var audience: [String]
    /// Makes the token revocable.
    public var tokenID: String?
    /// Oddities that do not make the token invalid, as sentences: unknown or malformed entries, a claim under an old
    /// name, a token that cannot open anything.
    public var warnings: [String]

    /// The limit of a token, 24 KB; larger ones are refused unread. It leaves room for about 400 entries with names of
    /// 20 characters, and fits the 32 KB of a request head.
    public static let maximumTokenBytes = 24 << 10

    /// Decodes a token offline.
    ///
    /// - Throws: ``TokenError`` if it is not a valid token (`invalidJWT`).
    public init(token: String) throws(TokenError) {
        try self.init(payload: Self.payload(of: token))
    }

    private static func payload(of token: String) throws(TokenError) -> [UInt8] {
        try checkSize(of: token)
        let parts = token.split(scalar: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .segments(parts.count) }
        guard Base64URL.decode(parts[0]).flatMap({ try? JSONReader.parse($0) })?.object != nil else {
            throw .notBase64JSON(part: "header")
        }
        guard let payload = Base64URL.decode(parts[1]) else { throw .notBase64JSON(part: "payload") }
        guard !parts[2].isEmpty, Base64URL.decode(parts[2]) != nil else { throw .notBase64JSON(part: "signature") }
        return payload
    }

    /// Checks that a text has the parts of a token, whatever it claims: other text must not be sent in its place.
    package static func checkShape(of text: String) throws(TokenError) { _ = try payload(of: text) }

    package static func checkSize(of token: String) throws(TokenError) {
        let bytes = token.utf8.count
        guard bytes <= maximumTokenBytes else { throw .tooLarge(bytes: bytes, limit: maximumTokenBytes) }
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
        guard layer.count <= 256, !layer.contains(scalar: "*") else { throw .badLayerName }
        grant = Grant(
            documentID: documentID, layer: layer, userID: userID, general: general, collaboration: collaboration,
            defaultGroup: try reader.defaultGroup(), creatorName: try reader.text("creator_name"), expiresAt: expiresAt)
        notBefore = try reader.moment("nbf")
        issuedAt = try reader.moment("iat")
        tokenID = try reader.text("jti")
        issuer = try reader.text("iss")
        audience = try reader.audience()
        warnings = reader.warnings
        if !hasVisibleUser { warnings.append("\(Self.invisibleUser); servers refuse it") }
        if !grant.mayRead {
            warnings.append(#"without the permission "read-document" this token cannot open the layer"#)
        }
    }
}

extension Claims {
    /// Whether the user's id has no invisible characters. Only servers require this; earlier versions do not.
    package var hasVisibleUser: Bool { grant.userID?.isVisible ?? true }

    package static let invisibleUser = #"the token's claim "user_id" has control or format characters"#

    /// What a working token lacks, as sentences for the person who checks it. Unlike the causes of ``warnings``, an
    /// issuer may have left these out on purpose.
    package var remarks: [String] {
        var remarks: [String] = []
        if grant.userID == nil {
            remarks.append(#"without "user_id" all holders of such tokens count as one anonymous user"#)
        }
        if tokenID == nil { remarks.append(#"without "jti" the token cannot be revoked before it expires"#) }
        if issuedAt == nil {
            remarks.append(#"without "iat" the token cannot open what has the name of a deleted document or layer"#)
        }
        return remarks
    }
}

import Annotations
import Authorization

extension FuzzTarget {
    static let tokens: [FuzzTarget] = [
        FuzzTarget(
            "token", ["eyJhbGciOiJFUzI1NiJ9.eyJkb2N1bWVudF9pZCI6ImQiLCJwZXJtaXNzaW9ucyI6ImFsbCIsImV4cCI6MX0.AAAA"]
        ) {
            _ = try? Claims(token: String(decoding: $0, as: UTF8.self))
        },
        FuzzTarget(
            "claims",
            [
                #"{"document_id":"d","layer":"l","permissions":["read-document","write"],"exp":1800000000.5,"nbf":1,"iat":2,"jti":"j","user_id":"u","creator_name":"c","default_group":"g","collaboration_permissions":["annotations:edit:group=a:b,c","comments:reply:all"]}"#
            ]
        ) { bytes in
            guard let claims = try? Claims(payload: bytes) else { return }
            try hold(!claims.grant.documentID.isEmpty, "a token that names no document")
        },
        FuzzTarget("permission", ["annotations:view:group=a=b", "comments:set-group:self", "all:delete:created-by=x"]) {
            _ = Permission.read(String(decoding: $0, as: UTF8.self))
        },
        FuzzTarget("base64url", ["AAEC_-8", "AA"]) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let decoded = Base64URL.decode(text) else { return }
            try hold(Base64URL.encode(decoded).utf8.elementsEqual(text.utf8), "two texts encode the same bytes")
        },
    ]
}

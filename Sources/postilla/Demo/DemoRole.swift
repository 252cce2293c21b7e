import Annotations
import DocumentEngine

/// The people of the demo, each with a token file of the same name.
enum DemoRole: String, CaseIterable {
    case reviewer, spectator, teacher, student, expired

    static let document = "reading-machines"

    /// What the backend of the demo writes into this role's token.
    func request(now: Timestamp) -> TokenIssuer.Request {
        var request = TokenIssuer.Request(documentID: Self.document, expiresAt: now + 12 * 3_600_000)
        request.issuedAt = now
        switch self {
        case .reviewer:
            request.layer = "review"
            request.userID = "ana"
            request.creatorName = "Ana"
        case .spectator:
            request.layer = "review"
            request.userID = "sam"
            request.creatorName = "Sam"
            request.permissions = ["read-document", "download"]
        case .expired:
            request.layer = "review"
            request.userID = "ana"
            request.creatorName = "Ana"
            request.issuedAt = now + -2 * 3_600_000
            request.expiresAt = now + -3_600_000
        case .teacher:
            // Sees and may delete what students publish, edits only what is the teacher's own, replies everywhere.
            request.layer = "class"
            request.userID = "tom"
            request.creatorName = "Tom"
            request.defaultGroup = "public"
            request.collaboration = Self.everyone + ["annotations:delete:group=public", "comments:delete:all"]
        case .student:
            request.layer = "class"
            request.userID = "stella"
            request.creatorName = "Stella"
            request.defaultGroup = "public"
            request.collaboration = Self.everyone + ["annotations:set-group:group=private-stella"]
        }
        return request
    }

    /// The PDF's own annotations, what is public, and one's own.
    private static let everyone = [
        "annotations:view:group=", "annotations:view:group=public", "annotations:view:self", "annotations:edit:self",
        "annotations:delete:self", "comments:view:all", "comments:reply:all", "comments:edit:self",
        "comments:delete:self",
    ]
}

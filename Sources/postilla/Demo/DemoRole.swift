import Annotations
import DocumentEngine

/// The people of the demo, each with a token file of the same name. Their names are spelt as in the sample PDFs, so that
/// a person's marks in the file and on the server have one author.
enum DemoRole: String, CaseIterable {
    case reviewer, colleague, spectator, teacher, student, expired

    static let document = "reading-machines"

    /// Returns the claims that the demo's backend puts into this role's token.
    func request(now: Timestamp) -> TokenIssuer.Request {
        var request = TokenIssuer.Request(documentID: Self.document, expiresAt: now + 12 * 3_600_000)
        request.issuedAt = now
        switch self {
        case .reviewer:
            request.layer = "review"
            request.userID = "ana"
            request.creatorName = "ana"
        case .colleague:
            request.layer = "review"
            request.userID = "ben"
            request.creatorName = "ben"
        case .spectator:
            request.layer = "review"
            request.userID = "sam"
            request.creatorName = "sam"
            request.permissions = ["read-document", "download"]
        case .expired:
            request.layer = "review"
            request.userID = "ana"
            request.creatorName = "ana"
            request.issuedAt = now + -2 * 3_600_000
            request.expiresAt = now + -3_600_000
        case .teacher:
            // Can see and delete what students publish, edit only the teacher's own records, and reply everywhere.
            request.join("class", "tom", "tom")
            request.collaboration? += ["annotations:delete:group=public", "comments:delete:group=public"]
        case .student:
            request.join("class", "stella", "stella")
        }
        return request
    }
}

extension TokenIssuer.Request {
    /// Adds a user to the class in docs/permissions.md: everyone can read and reply to public records, and each has a
    /// private group.
    fileprivate mutating func join(_ layer: String, _ user: String, _ name: String) {
        self.layer = layer
        userID = user
        creatorName = name
        permissions = ["read-document", "download", "write"]
        defaultGroup = "public"
        collaboration = [
            "annotations:view:group=", "annotations:view:group=public", "annotations:view:self",
            "annotations:edit:self",
            "annotations:delete:self", "annotations:set-group:group=private-\(user)",
            "annotations:set-group:group=public", "comments:view:group=public", "comments:view:self",
            "comments:edit:self", "comments:delete:self", "comments:reply:all",
            "comments:set-group:group=private-\(user)",
        ]
    }
}

import Annotations
import ArgumentParser
import Authorization
import DocumentEngine

struct TokenIssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Sign a token with a local private key. For development only.",
        discussion: """
            To create a key pair: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem && \
            openssl pkey -in key.pem -pubout -out key.pub.pem
            """)

    @Option(
        help: ArgumentHelp("Private key in PEM: EC P-256 or P-521, Ed25519 or RSA.", valueName: "file"),
        completion: .file())
    var key: String

    @Option(help: ArgumentHelp("Document that the token opens.", valueName: "id"))
    var document: String

    @Option(help: ArgumentHelp("Layer (default: the document's default layer).", valueName: "name"))
    var layer: String?

    @Option(help: ArgumentHelp("User (default: anonymous).", valueName: "id"))
    var user: String?

    @Option(help: ArgumentHelp("read-document, download or write; repeatable (default: all).", valueName: "word"))
    var permission: [String] = []

    @Option(
        help: ArgumentHelp(
            "Collaboration permission, such as annotations:edit:self; repeatable. Needs --user.", valueName: "entry"))
    var collaborationPermission: [String] = []

    @Option(help: ArgumentHelp("Group of new records.", valueName: "group"))
    var defaultGroup: String?

    @Option(help: ArgumentHelp("Author of new records.", valueName: "name"))
    var creatorName: String?

    @Option(help: ArgumentHelp("Validity, such as 90s, 15m, 1h or 7d.", valueName: "time"))
    var expiresIn = DurationArgument(seconds: 3600)

    @Option(help: ArgumentHelp("Audience (aud): the servers that accept the token; repeatable.", valueName: "name"))
    var audience: [String] = []

    @Option(help: ArgumentHelp("Issuer (iss).", valueName: "name"))
    var issuer: String?

    @Option(help: ArgumentHelp("Id of the token, used to revoke it (default: random).", valueName: "id"))
    var jti: String?

    func run() async throws {
        if let warning = PrivateFile.warning(ifOpen: key) { Output.message("postilla: " + warning) }
        let issuer: TokenIssuer
        do {
            issuer = try await TokenIssuer(privateKeyPEM: try PrivateFile.read(key))
        } catch let failure as CommandFailure { throw failure } catch {
            throw CommandFailure("\(key): \(error)")
        }
        let now = Timestamp.now
        var random = SystemRandomNumberGenerator()
        var request = TokenIssuer.Request(documentID: document, expiresAt: now + expiresIn.seconds * 1000)
        request.layer = layer
        request.userID = user
        request.permissions = permission.isEmpty || permission == ["all"] ? nil : permission
        request.collaboration = collaborationPermission.isEmpty ? nil : collaborationPermission
        request.defaultGroup = defaultGroup
        request.creatorName = creatorName
        request.issuedAt = now
        request.audience = audience
        request.issuer = self.issuer
        request.tokenID = jti ?? ULID.make(at: now, using: &random)
        let token = try await issuer.token(request)
        // Do not issue a token that would not be accepted.
        do {
            for warning in try Claims(token: token).warnings { Output.message("postilla: " + warning) }
        } catch { throw CommandFailure("\(error)", .usage) }
        Output.message(
            "For development only: in production, your backend issues tokens and keeps the private key."
        )
        Output.line(token)
    }
}

import Annotations
import ArgumentParser
import Authorization
import DocumentEngine

struct TokenIssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Sign a token with a private key on this disk. For development only.",
        discussion: """
            A key pair is made with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem && \
            openssl pkey -in key.pem -pubout -out key.pub.pem
            """)

    @Option(help: ArgumentHelp("Private key in PEM: EC P-256 or P-521, Ed25519 or RSA.", valueName: "file"))
    var key: String

    @Option(help: ArgumentHelp("The document the token is for.", valueName: "id"))
    var document: String

    @Option(help: ArgumentHelp("The layer; without it the document's default layer.", valueName: "name"))
    var layer: String?

    @Option(help: ArgumentHelp("The user; without it an anonymous one.", valueName: "id"))
    var user: String?

    @Option(help: ArgumentHelp("read-document, download or write; repeat it. Without it all.", valueName: "word"))
    var permission: [String] = []

    @Option(help: ArgumentHelp("Such as annotations:edit:self; repeat it. Needs --user.", valueName: "entry"))
    var collaborationPermission: [String] = []

    @Option(help: ArgumentHelp("The group stamped on new records.", valueName: "group"))
    var defaultGroup: String?

    @Option(help: ArgumentHelp("The author's name on new records.", valueName: "name"))
    var creatorName: String?

    @Option(help: ArgumentHelp("How long it is valid: 90s, 15m, 1h, 7d.", valueName: "time"))
    var expiresIn = DurationArgument(seconds: 3600)

    @Option(help: ArgumentHelp("The token's own id, by which it can be revoked; else a random one.", valueName: "id"))
    var jti: String?

    func run() async throws {
        if PrivateFile.isReadableByOthers(key) {
            Output.message("postilla: \(key) can be read by other users: chmod 600 it")
        }
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
        request.tokenID = jti ?? ULID.make(at: now, using: &random)
        let token = try await issuer.token(request)
        // What we would not take ourselves we do not hand out.
        do {
            for warning in try Claims(token: token).warnings { Output.message("postilla: " + warning) }
        } catch { throw CommandFailure("\(error)", .usage) }
        Output.message(
            "For trying things out only: a private key does not belong on a user's machine. Real tokens come from your backend."
        )
        Output.line(token)
    }
}

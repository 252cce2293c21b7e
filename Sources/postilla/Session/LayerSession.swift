import Annotations
import Authorization
import FoundationEssentials
import Instant
import InstantCore
import PDFPages

/// A layer for the duration of one command: identified by a token or found locally, synchronised, read, edited.
struct LayerSession: Sendable {
    /// Kept alive: descriptors do not retain it.
    let client: InstantClient
    let descriptor: InstantDocumentDescriptor
    /// nil when the server is not contacted.
    let tokens: TokenSupply?
    /// nil for a command that does not sync.
    let stopWatch: StopWatch?
    /// The first token.
    let token: String?
    /// The time without a sign of life after which the command gives up on the server.
    let patience: Duration
    /// nil for a layer on a server.
    var own: OwnFileSession?

    /// - Parameters:
    ///   - server: The address given as the command's argument.
    ///   - local: The command needs no server, whatever the options say.
    ///   - reads: The command only reads the layer.
    /// - Throws: ``CommandFailure`` when a required token is missing or invalid.
    static func open(
        _ options: LayerOptions, server: String? = nil, local: Bool = false, reads: Bool = false
    ) async throws -> LayerSession {
        if let path = try OwnFileSession.path(options, target: server) {
            return try await open(file: path, options, reads: reads)
        }
        return try await open(options, options.tokenSource(), server: server, local: local)
    }

    /// Opens a layer for commands that first read input: after the token if both come from standard input, and before
    /// anything is opened, so that invalid input leaves no trace.
    ///
    /// - Parameter reads: Whether the command only reads the layer.
    static func open<Input>(
        _ options: LayerOptions, target: String? = nil, reads: Bool = false, reading input: () async throws -> Input
    ) async throws -> (LayerSession, Input) {
        if let path = try OwnFileSession.path(options, target: target) {
            let input = try await input()
            return (try await open(file: path, options, reads: reads), input)
        }
        let source = try options.tokenSource()
        let input = try await input()
        return (try await open(options, source, server: target, local: false), input)
    }

    static func open(
        _ options: LayerOptions, _ source: TokenSource, server: String?, local: Bool
    ) async throws -> LayerSession {
        if local || options.offline { return try await onThisMachine(options, server: server, source: source) }
        let address = try options.server.serverURL(server)
        let tokens = TokenSupply(source, document: options.document, layer: options.layer)
        let token = try await tokens.first()
        do throws(InstantError) {
            let client = try makeClient(address, options)
            let descriptor = try client.documentDescriptor(forJWT: token)
            try check(descriptor.identity, options)
            let stopWatch = StopWatch { [client] }
            return LayerSession(
                client: client, descriptor: descriptor, tokens: tokens, stopWatch: stopWatch, token: token,
                patience: options.server.patience)
        } catch { throw CommandFailure(error) }
    }

    private static func onThisMachine(
        _ options: LayerOptions, server: String?, source: TokenSource
    ) async throws -> LayerSession {
        var naming = LayerNaming(
            server: try options.server.serverIfGiven(server), document: options.document, layer: options.layer,
            user: options.user)
        let supply = TokenSupply(source, document: options.document, layer: options.layer)
        var own: Grant?
        if let token = try await supply.next() {
            let claims: Claims
            do { claims = try Claims(token: token) } catch { throw CommandFailure("\(error)", .authentication) }
            let grant = claims.grant
            own = grant
            let identity = LayerIdentity(
                server: naming.server ?? "", documentID: grant.documentID, layer: grant.layer, userID: grant.userID)
            do throws(InstantError) { try check(identity, options) } catch { throw CommandFailure(error) }
            naming.document = grant.documentID
            naming.layer = grant.layer
            naming.user = grant.userID ?? ""
        }
        let entry = try naming.find(in: try Folders(dataDirectory: options.dataDir).data)
        do throws(InstantError) {
            let client = try makeClient(entry.server, options)
            let descriptor = client.descriptor(entry.identity)
            // This token's rights apply, not those of the token that the server accepted last.
            if let own { try await descriptor.act(by: own) }
            return LayerSession(
                client: client, descriptor: descriptor, tokens: nil, stopWatch: nil, token: nil,
                patience: options.server.patience)
        } catch { throw CommandFailure(error) }
    }

    private static func makeClient(_ address: String, _ options: LayerOptions) throws(InstantError) -> InstantClient {
        let log: DebugLog?
        do { log = try options.server.debugLog() } catch { throw InstantError(.couldNotWriteToDisk, "\(error)") }
        guard let url = URL(string: address) else { throw InstantError(.invalidRequest, "\(address) is not a URL") }
        let folder: String
        do { folder = try Folders(dataDirectory: options.dataDir).data } catch {
            throw InstantError(.couldNotWriteToDisk, "\(error)")
        }
        return try InstantClient(
            serverURL: url, dataDirectory: URL(filePath: folder), allowsInsecureHTTP: options.server.insecureHttp,
            environment: .program(log))
    }

    /// Rejects a token for a layer other than the one that the options name.
    private static func check(_ identity: LayerIdentity, _ options: LayerOptions) throws(InstantError) {
        func same(_ wanted: String?, _ name: String) -> Bool { wanted.map { $0.isExactly(name) } ?? true }
        guard same(options.document, identity.documentID), same(options.layer, identity.layer),
            same(options.user, identity.userID ?? "")
        else {
            throw InstantError(.invalidJWT, "the token is for a different document, layer or user than the options say")
        }
    }

    /// Runs one cycle in both directions, unless the server is not contacted. If another process syncs the layer, the
    /// cycle ends when that process has completed it; this command's token is still checked.
    ///
    /// - Parameter sends: Whether edits that are not sent are a failure. Otherwise a warning tells of them.
    func synchronize(sends: Bool = false) async throws {
        guard let token else { return }
        // No delay, not even for edits by other local processes while this command is the one that syncs.
        descriptor.delayForSyncingLocalChanges = .zero
        do {
            try await follow(sends: sends, until: { $0 == .didFinishSync }) { descriptor in
                if sends { descriptor.retryNow() }
                descriptor.reauthenticate(withJWT: token)
            }
        } catch let failure as CommandFailure where failure.status == .unconfirmed && !sends {
            Output.warning("earlier edits were not sent: \(failure.message)")
        } catch var failure as CommandFailure {
            // A layer to which no server ever granted access does not stay on this machine.
            if descriptor.isDisposable { try? descriptor.removeLocalStorage() }
            // A PDF of one's own has no copy besides the engine's.
            if own == nil, [.unreachable, .stale].contains(failure.status), descriptor.status.lastSync != nil {
                failure.message += "; use --offline for the local copy"
            }
            throw failure
        }
    }

    /// Returns the PDF's path; downloads the file if necessary.
    func pdf() async throws -> String {
        if let own { return own.pdf }
        if descriptor.pdfPath == nil, let token {
            do { try await descriptor.downloadAndWait(usingJWT: token) } catch { throw CommandFailure(reading: error) }
        }
        guard let file = descriptor.pdfPath else {
            throw CommandFailure("the PDF is not on this machine; run without --offline")
        }
        return file
    }
}

extension LayerSession {
    /// Returns the file that a record names, from the server if it is not on this machine; nil if it cannot be had.
    func attachment(of record: Record) async -> [UInt8]? {
        guard let id = record.content.attachmentID else { return nil }
        return (try? await descriptor.editableDocument.loadAttachment(id)).map(Array.init)
    }

    /// Returns the file of a file attachment, from the PDF if the token may see that; nil for any other record.
    ///
    /// - Parameter files: those of the PDF; read here when the first is needed.
    func file(of record: Record, _ files: inout AttachedFiles?) async -> [UInt8]? {
        guard AnnotationKind(of: record.content.object) == .file else { return nil }
        guard record.content.attachmentID == nil else { return await attachment(of: record) }
        guard descriptor.status.grant?.mayViewOriginalPDF == true, let path = try? await pdf() else { return nil }
        if files == nil { files = try? await PDFTools().attachedFiles(in: path) }
        return try? await files?.bytes(of: record.id, in: path)
    }
}

extension CommandFailure {
    init(_ error: InstantError) {
        let status: ExitStatus =
            switch error.kind {
            case .invalidJWT, .userIDMismatch, .authenticationFailed: .authentication
            case .accessDenied: .notPermitted
            case .requestFailed: .unreachable
            case .editsNotSent: .unconfirmed
            // An option allows it.
            case .invalidRequest where error == .insecure: .usage
            default: .failed
            }
        self.init(error.words, status)
    }

    /// Wraps an error from reading or editing the layer.
    init(reading error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as InstantError: self.init(error)
        case EditError.denied(let denial): self.init(denial.description, .notPermitted)
        case let problem as EditError where problem == .noGrant:
            self.init(problem.description, .authentication)
        case let problem as EditError where problem == .resolvedUnseen: self.init(problem.description, .conflict)
        default: self.init("\(error)")
        }
    }
}

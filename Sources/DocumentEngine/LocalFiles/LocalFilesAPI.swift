import Annotations
import EngineCore
import FileCore
import Glibc
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// What local processes ask the engine about files, on the Unix socket: whoever can connect is the person.
struct LocalFilesAPI: Sendable {
    let files: LocalFiles

    var routes: [Route] {
        func route(
            _ method: HTTPRequest.Method, _ name: String, upTo maxBytes: Int64 = 64 << 10,
            _ handle: @escaping Route.Handler
        ) -> Route {
            Route(
                method: method, pattern: "/engine/v1/" + name, access: .open,
                maxBytes: method == .get ? 0 : maxBytes, blocks: true
            ) { request in
                do { return try await handle(request) } catch let error as OwnFileError {
                    let failure = FileFailure(error.fileProblem, reason: error.reason, message: error.description)
                    return .json(HTTPResponse.Status(code: 422), bytes: failure.bytes)
                }
            }
        }
        return [
            route(.get, "version", version), route(.post, "retire", retire), route(.post, "open", open),
            route(.post, "token", token), route(.post, "state", state), route(.post, "events", events),
            route(.post, "write", write), route(.post, "revert", revert), route(.post, "resolve", resolve),
            route(.post, "close", close),
        ]
    }

    private var isIdle: Bool { !files.all.contains(where: \.isUsed) }

    private func version(_ request: ServerRequest) async throws -> Response {
        .message(
            EngineVersion(
                version: files.options.version, pid: Int64(getpid()), instance: files.options.instance,
                limits: files.options.limits, isIdle: isIdle))
    }

    /// Ends the engine as soon as nothing is connected; refused while a process has a file open.
    private func retire(_ request: ServerRequest) async throws -> Response {
        let isIdle = isIdle
        if isIdle { files.retire() }
        return .message(RetirementAnswer(isRetired: isIdle))
    }

    private func open(_ request: ServerRequest) async throws -> Response {
        let opening: FileOpening = try await message(request)
        let path = opening.path
        guard path.begins(with: "/"), !path.utf8.contains(0) else {
            throw APIError(.badRequest, #""path" must be an absolute path"#)
        }
        if opening.onlyChecks {
            try await files.check(path, isPrivate: opening.isPrivate, as: opening.seen)
            return .json { $0.object { _ in } }
        }
        let file = try await files.open(
            path, isPrivate: opening.isPrivate, as: opening.seen, by: try await process(request))
        return try await answer(file, token: try await files.token(for: file))
    }

    private func token(_ request: ServerRequest) async throws -> Response {
        let (file, _) = try await asked(request)
        return try await answer(file, token: try await files.token(for: file))
    }

    private func state(_ request: ServerRequest) async throws -> Response {
        let (file, question) = try await asked(request)
        return try await answer(file, changes: question.asksForChanges ? file.changes : nil)
    }

    /// Tells a window of its file, one ``FileReport`` a line, until it leaves or the engine ends.
    private func events(_ request: ServerRequest) async throws -> Response {
        let (file, _) = try await asked(request)
        let (reports, end) = file.reports()
        try await request.channel.whenInputEnds(end)
        let body = ResponseBody { writer in
            defer { end() }
            for await report in reports {
                try await writer.write(ByteBuffer(bytes: report.bytes + [UInt8(ascii: "\n")]))
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            // Input is only watched for its end: no further request is read on this connection.
            headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store", .connection: "close"], body: body
        )
    }

    private func write(_ request: ServerRequest) async throws -> Response {
        let order: FileWriting = try await message(request)
        guard order.copy?.begins(with: "/") ?? true else {
            throw APIError(.badRequest, #""to" must be an absolute path"#)
        }
        let file = try files.file(order.document)
        let written = try await file.write(order)
        return try await answer(file, written: WrittenFile(written))
    }

    private func revert(_ request: ServerRequest) async throws -> Response {
        let (file, _) = try await asked(request)
        let count = try await file.revert()
        return try await answer(file, reverted: count)
    }

    private func resolve(_ request: ServerRequest) async throws -> Response {
        let resolution: FileResolution = try await message(request)
        let file = try files.file(resolution.document)
        try await file.resolve(LocalFileCore.Decision(resolution))
        return try await answer(file)
    }

    private func close(_ request: ServerRequest) async throws -> Response {
        let (file, _) = try await asked(request)
        let unwritten = file.state.unwritten
        await file.close(for: try await process(request).user)
        return .message(ClosedFile(unwritten: unwritten))
    }

    // MARK: Parts

    private func process(_ request: ServerRequest) async throws -> ProcessIdentity {
        ProcessIdentity(pid: try await OwnerGate.peer(of: request.channel).get().pid)
    }

    private func message<Message: WireMessage>(_ request: ServerRequest) async throws -> Message {
        let bytes = try await request.bytes()
        do { return try Message(bytes: bytes) } catch { throw APIError(.badRequest, "\(error)") }
    }

    private func asked(_ request: ServerRequest) async throws -> (file: LocalFile, question: FileQuestion) {
        let question: FileQuestion = try await message(request)
        return (try files.file(question.document), question)
    }

    private func answer(
        _ file: LocalFile, token: String? = nil, changes: [FileAnswer.Change]? = nil, written: WrittenFile? = nil,
        reverted: Int? = nil
    ) async throws -> Response {
        let report = try await file.reporter.perform { [files] in file.report(damage: files.damage(concerning: file)) }
        return .message(FileAnswer(report, token: token, changes: changes, written: written, reverted: reverted))
    }
}

extension LocalFileCore.Decision {
    fileprivate init(_ resolution: FileResolution) {
        let choice: LocalFileCore.Choice =
            switch resolution.choice {
            case .mine: .local
            case .theirs: .remote
            case .layer: .layer
            }
        self.init(
            id: resolution.id, choice: choice,
            sides: LocalFileState.Sides(local: resolution.mine, remote: resolution.theirs))
    }
}

extension LocalFiles {
    /// Returns a token of one hour with all rights to the file's layer.
    func token(for file: LocalFile) async throws -> String {
        let now = engine.now()
        var request = TokenIssuer.Request(
            documentID: file.document, expiresAt: now + PersonalOptions.tokenLife)
        // So that a window knows its own changes from those of other programs, which have no user.
        request.userID = options.user
        request.issuedAt = now
        return try await options.issuer.token(request)
    }
}

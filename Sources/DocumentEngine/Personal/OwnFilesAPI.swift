import Annotations
import EngineCore
import Glibc
import HTTPTypes
import Hummingbird
import SyncProtocol

/// What local processes ask the engine about files, on the Unix socket: whoever can connect is the person.
struct OwnFilesAPI: Sendable {
    let files: OwnFiles

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
                    return .json(HTTPResponse.Status(code: 422)) {
                        $0.object {
                            $0.member("problem", error.word)
                            $0.member("reason", error.reason)
                            $0.member("message", error.description)
                        }
                    }
                }
            }
        }
        return [
            route(.get, "version", version), route(.post, "retire", retire), route(.post, "open", open),
            route(.post, "token", token), route(.post, "state", state), route(.post, "write", write),
            route(.post, "revert", revert), route(.post, "resolve", resolve), route(.post, "close", close),
        ]
    }

    private func version(_ request: ServerRequest) async throws -> Response {
        .json {
            $0.object {
                $0.member("version", files.options.version)
                $0.member("protocol", Int64(ProtocolVersion.current))
                $0.member("pid", Int64(getpid()))
                $0.member("instance", files.options.instance)
                $0.member(
                    "limits",
                    object: { json in
                        for (name, value) in files.options.limits { json.member(name, String(value)) }
                    })
                $0.member("idle", !files.all.contains(where: \.isUsed))
            }
        }
    }

    /// Ends the engine as soon as nothing is connected; refused while a process has a file open.
    private func retire(_ request: ServerRequest) async throws -> Response {
        let isIdle = !files.all.contains(where: \.isUsed)
        if isIdle { files.retire() }
        return .json { $0.object { $0.member("retired", isIdle) } }
    }

    private func open(_ request: ServerRequest) async throws -> Response {
        let body = try await request.json()
        guard let path = body["path"]?.string, path.begins(with: "/"), !path.utf8.contains(0) else {
            throw APIError(.badRequest, #""path" must be an absolute path"#)
        }
        let isPrivate = body["private"]?.bool == true
        let sighting = Sighting(body["seen"])
        if body["check"]?.bool == true {
            try await files.check(path, isPrivate: isPrivate, as: sighting)
            return .json { $0.object { _ in } }
        }
        let file = try await files.open(path, isPrivate: isPrivate, as: sighting, by: try await process(request))
        return try await answer(file, token: true)
    }

    private func token(_ request: ServerRequest) async throws -> Response {
        let (file, _) = try await named(request)
        return try await answer(file, token: true)
    }

    /// With the member `records`, names the records that are not in the file as they are in the layer, and gives both
    /// versions of each.
    private func state(_ request: ServerRequest) async throws -> Response {
        let (file, body) = try await named(request)
        guard body["records"]?.bool == true else { return try await answer(file) }
        return try await answer(file) { json, state in
            json.key("unwrittenRecords")
            json.array(state.unwrittenIDs) { $0.string($1.text) }
            json.key("changes")
            json.array(state.unwrittenIDs) { json, id in
                json.object { json in
                    json.member("id", id.text)
                    for (name, record) in [("base", state.rows[id]?.base), ("mine", state.rows[id]?.mine)] {
                        guard let record else { continue }
                        json.key(name)
                        record.write(to: &json)
                    }
                }
            }
        }
    }

    private func write(_ request: ServerRequest) async throws -> Response {
        let (file, body) = try await named(request)
        var order = OwnFiles.WriteOrder()
        order.copy = body["to"]?.string
        guard order.copy?.begins(with: "/") ?? true else {
            throw APIError(.badRequest, #""to" must be an absolute path"#)
        }
        order.seen = Sighting(body["seen"])
        order.target = SeenTarget(body["target"])
        order.mask = body["umask"]?.integer.flatMap { mode_t(exactly: $0) }.map { $0 & 0o777 }
        order.isForced = body["force"]?.bool == true
        order.replacesOthers = body["others"]?.bool == true
        order.isCompact = body["compact"]?.bool == true
        let written = try await files.write(file, order)
        return try await answer(file) { json, _ in
            json.member(
                "written",
                object: { json in
                    json.member("path", written.path)
                    json.member("records", written.records)
                    json.member("conflicts", written.conflicts)
                    json.member("left", orNull: written.left.text)
                    json.member("groups", written.groups)
                    json.member("merged", written.merged?.changes ?? 0)
                    json.member("otherNames", written.otherNames)
                    json.member("rewritten", written.isRewritten)
                    json.member("holdsDeleted", written.holdsDeleted)
                    json.member("breaksSignature", written.breaksSignature)
                    json.key("unwritten")
                    json.array(written.unwritten) { json, item in
                        json.object { json in
                            json.member("id", item.id)
                            json.member("why", item.why)
                        }
                    }
                })
        }
    }

    private func revert(_ request: ServerRequest) async throws -> Response {
        let (file, body) = try await named(request)
        let count = try await files.revert(file, toleratingMissing: body["force"]?.bool == true)
        return try await answer(file) { json, _ in json.member("reverted", count) }
    }

    private func resolve(_ request: ServerRequest) async throws -> Response {
        let (file, body) = try await named(request)
        guard let id = body["id"]?.string, let keep = body["keep"]?.string, let choice = OwnFiles.Choice(rawValue: keep)
        else {
            throw APIError(.badRequest, #""id" must be a record, and "keep" must be "mine", "theirs" or "layer""#)
        }
        try await files.resolve(file, id, choice)
        return try await answer(file)
    }

    private func close(_ request: ServerRequest) async throws -> Response {
        let (file, _) = try await named(request)
        try? await file.journal.pass { try await files.catchUp(file) }
        let unwritten = file.state.unwritten
        try await files.close(file, by: try await process(request))
        return .json { $0.object { $0.member("unwritten", unwritten) } }
    }

    // MARK: Parts

    private func process(_ request: ServerRequest) async throws -> ProcessIdentity {
        ProcessIdentity(pid: try await OwnerGate.peer(of: request.channel).get().pid)
    }

    private func named(_ request: ServerRequest) async throws -> (file: OwnFile, body: JSON) {
        let body = try await request.json()
        guard let document = body["document"]?.string else {
            throw APIError(.badRequest, #""document" must be the id that "open" returned"#)
        }
        return (try files.file(document), body)
    }

    private func answer(
        _ file: OwnFile, token: Bool = false, _ more: (inout JSONWriter, OwnFileState) -> Void = { _, _ in }
    ) async throws -> Response {
        if !token { try await file.journal.pass { try await files.catchUp(file) } }
        let state = file.state
        let jwt = token ? try await files.token(for: file) : nil
        let isMissing = access(state.path, F_OK) != 0
        let news = file.news.withLock { $0 }
        let base = isMissing ? files.baseCopy(of: state) : nil
        let damaged = files.damage(concerning: file)
        let windows = file.windows
        return .json { json in
            json.object { json in
                json.member("document", state.document)
                json.member("path", state.path)
                if let jwt { json.member("token", jwt) }
                json.member("private", state.isPrivate)
                json.member("unwritten", state.unwritten)
                json.member("missing", isMissing)
                if let problem = news.problem { json.member("problem", problem) }
                if let from = news.movedFrom { json.member("movedFrom", from) }
                if let base { json.member("base", base) }
                json.member("windows", windows)
                json.key("damaged")
                json.array(damaged) { json, one in
                    json.object {
                        $0.member("path", one.path)
                        $0.member("problem", one.problem)
                        $0.member("file", orNull: one.pdf)
                    }
                }
                json.member("merges", news.merges)
                json.member("version", state.facts.version)
                json.member("pagesSince", news.pagesSince)
                json.member(
                    "merged",
                    object: { json in
                        json.member("added", news.merged.added)
                        json.member("changed", news.merged.changed)
                        json.member("deleted", news.merged.deleted)
                        json.member("conflicts", news.merged.conflicts)
                        json.member("lostMarks", news.merged.lostMarks)
                        json.member("newPages", news.merged.hasNewPages)
                    })
                json.key("lost")
                json.array(state.lostMarks) { json, mark in
                    json.object { json in
                        json.member("id", mark.record.id)
                        json.member("type", mark.record.content["type"] ?? .null)
                        json.member("pageIndex", mark.record.content["pageIndex"] ?? .null)
                        json.member("words", mark.words.joined(separator: " "))
                    }
                }
                json.key("conflicts")
                json.array(state.conflicts.sorted { $0.key < $1.key }) { json, row in
                    json.object { json in
                        json.member("id", row.key.text)
                        for (name, record) in [
                            ("base", row.value.base), ("mine", row.value.mine), ("theirs", row.value.theirs),
                        ] {
                            guard let record else { continue }
                            json.key(name)
                            record.write(to: &json)
                        }
                    }
                }
                more(&json, state)
            }
        }
    }
}

extension OwnFiles {
    /// Returns a token of one hour with all rights to the file's layer.
    func token(for file: OwnFile) async throws -> String {
        let now = engine.now()
        var request = TokenIssuer.Request(
            documentID: file.key.document, expiresAt: now + PersonalOptions.tokenLife)
        // So that a window knows its own changes from those of other programs, which have no user.
        request.userID = options.user
        request.issuedAt = now
        return try await options.issuer.token(request)
    }
}

import Annotations
import EngineCore
import FileCore
import Glibc
import HTTPTypes
import Hummingbird
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
            let rows = state.rows.filter { !$0.value.isWritten || state.conflicts[$0.key] != nil }
                .sorted { $0.key < $1.key }
            json.key("unwrittenRecords")
            json.array(rows) { $0.string($1.key.text) }
            json.key("changes")
            json.array(rows) { json, row in
                json.object { json in
                    json.member("id", row.key.text)
                    LocalFileReport.write([("base", row.value.base), ("mine", row.value.local)], to: &json)
                }
            }
        }
    }

    private func write(_ request: ServerRequest) async throws -> Response {
        let (file, body) = try await named(request)
        var order = LocalFile.WriteOrder()
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
        let written = try await file.write(order)
        let details = written.details
        return try await answer(file) { json, _ in
            json.member(
                "written",
                object: { json in
                    json.member("path", details.path)
                    json.member("records", written.records)
                    json.member("conflicts", written.conflicts)
                    json.member("left", orNull: details.left.text)
                    json.member("groups", details.groups)
                    json.member("merged", written.merged.changes)
                    json.member("otherNames", details.otherNames)
                    json.member("rewritten", details.isRewritten)
                    json.member("holdsDeleted", details.holdsDeleted)
                    json.member("breaksSignature", details.breaksSignature)
                    json.key("unwritten")
                    json.array(details.unwritten) { json, item in
                        json.object { json in
                            json.member("id", item.id)
                            json.member("why", item.why)
                        }
                    }
                })
        }
    }

    private func revert(_ request: ServerRequest) async throws -> Response {
        let (file, _) = try await named(request)
        let count = try await file.revert()
        return try await answer(file) { json, _ in json.member("reverted", count) }
    }

    private func resolve(_ request: ServerRequest) async throws -> Response {
        let (file, body) = try await named(request)
        guard let id = body["id"]?.string, let keep = body["keep"]?.string, let choice = Self.choice(keep) else {
            throw APIError(.badRequest, #""id" must be a record, and "keep" must be "mine", "theirs" or "layer""#)
        }
        try await file.resolve(id, choice)
        return try await answer(file)
    }

    private static func choice(_ word: String) -> LocalFileCore.Choice? {
        switch word {
        case "mine": .local
        case "theirs": .remote
        case "layer": .layer
        default: nil
        }
    }

    private func close(_ request: ServerRequest) async throws -> Response {
        let (file, _) = try await named(request)
        let unwritten = file.state.unwritten
        await file.close(for: try await process(request).user)
        return .json { $0.object { $0.member("unwritten", unwritten) } }
    }

    // MARK: Parts

    private func process(_ request: ServerRequest) async throws -> ProcessIdentity {
        ProcessIdentity(pid: try await OwnerGate.peer(of: request.channel).get().pid)
    }

    private func named(_ request: ServerRequest) async throws -> (file: LocalFile, body: JSON) {
        let body = try await request.json()
        guard let document = body["document"]?.string else {
            throw APIError(.badRequest, #""document" must be the id that "open" returned"#)
        }
        return (try files.file(document), body)
    }

    private func answer(
        _ file: LocalFile, token: Bool = false, _ more: (inout JSONWriter, LocalFileState) -> Void = { _, _ in }
    ) async throws -> Response {
        let jwt = token ? try await files.token(for: file) : nil
        // A thread of its own: the disk of the file may hang.
        let report = try await WorkerThreads(width: 1).perform { [files] in LocalFileReport(file, files) }
        return .json { json in
            json.object { json in
                report.write(to: &json, token: jwt)
                more(&json, report.state)
            }
        }
    }
}

/// What a process is told of a file, as it is at one moment.
private struct LocalFileReport: Sendable {
    let document: String
    let path: String
    let state: LocalFileState
    private let news: LocalFile.News
    private let windows: Int
    private let isMissing: Bool
    private let damaged: [DamagedKeptFile]
    /// A copy of a missing file.
    private let copy: String?
    /// The marks without their words, in the order of their pages.
    private let lost: [(record: Record, words: [String])]

    /// Blocks.
    init(_ file: LocalFile, _ files: LocalFiles) {
        document = file.document
        path = file.path
        (state, news, windows) = file.inner.withLock { ($0.core.state, $0.news, $0.core.windows) }
        isMissing = access(path, F_OK) != 0
        copy = isMissing ? state.version.flatMap { file.copies.path(of: $0.contents) } : nil
        damaged = files.damage(concerning: file)
        lost = Self.lost(state, file.store)
    }

    private static func lost(_ state: LocalFileState, _ store: FileStore) -> [(record: Record, words: [String])] {
        guard !state.lost.isEmpty else { return [] }
        let written = state.lost.keys.filter { state.rows[$0] == nil }
        let rows = (try? store.read { try FileTables($0).rows(written) }) ?? [:]
        func key(_ record: Record) -> (Int64, String) { (record.content["pageIndex"]?.integer ?? -1, record.id) }
        return state.lost.compactMap { id, mark in
            guard let record = (state.rows[id] ?? rows[id])?.local, mark.isStill(record) else { return nil }
            return (record, mark.words)
        }.sorted { key($0.0) < key($1.0) }
    }

    /// Each record that there is.
    static func write(_ records: [(name: String, record: Record?)], to json: inout JSONWriter) {
        for (name, record) in records {
            guard let record else { continue }
            json.key(name)
            record.write(to: &json)
        }
    }

    func write(to json: inout JSONWriter, token: String?) {
        json.member("document", document)
        json.member("path", path)
        if let token { json.member("token", token) }
        json.member("private", state.isPrivate)
        json.member("unwritten", state.unwritten)
        json.member("missing", isMissing)
        if let problem = news.problem { json.member("problem", problem) }
        if let from = news.movedFrom { json.member("movedFrom", from) }
        if let copy { json.member("base", copy) }
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
        json.member("version", state.version?.text ?? "")
        json.member("pagesSince", news.pagesSince)
        json.member(
            "merged",
            object: { json in
                json.member("added", news.merged.news.added)
                json.member("changed", news.merged.news.changed)
                json.member("deleted", news.merged.news.deleted)
                json.member("conflicts", news.merged.news.conflicts)
                json.member("lostMarks", news.merged.lostMarks)
                json.member("newPages", news.merged.hasNewPages)
            })
        json.key("lost")
        json.array(lost) { json, mark in
            json.object { json in
                json.member("id", mark.record.id)
                json.member("type", mark.record.content["type"] ?? .null)
                json.member("pageIndex", mark.record.content["pageIndex"] ?? .null)
                json.member("words", mark.words.joined(separator: " "))
            }
        }
        json.key("conflicts")
        json.array(state.conflicts.sorted { $0.key < $1.key }) { json, conflict in
            let (id, conflict) = conflict
            json.object { json in
                json.member("id", id.text)
                if let days = conflict.daysLeft { json.member("daysLeft", days) }
                Self.write(
                    [("base", conflict.base), ("mine", conflict.local), ("theirs", conflict.remote)], to: &json)
                // Versions of which the next program knew nothing. They are asked about next.
                json.key("further")
                json.array(conflict.further) { json, record in
                    if let record { record.write(to: &json) } else { json.null() }
                }
            }
        }
    }
}

extension FileNews {
    /// How many records another program has changed.
    fileprivate var changes: Int { added + changed + deleted }
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

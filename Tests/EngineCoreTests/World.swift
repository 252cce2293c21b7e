import Annotations
import Authorization
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// A document with one layer in a memory store, and users who push to it.
final class World {
    static let now = Timestamp(seconds: 1_700_000_000)
    let store: any LayerStore
    private(set) var commits: [Commit] = []
    private var numbers: [String: Int64] = [:]

    /// - Parameter base: Ids of highlights in the PDF itself.
    convenience init(base: [String] = [], store: any LayerStore = MemoryLayerStore()) throws {
        try self.init(
            baseRecords: base.map { Record(id: $0, content: Self.highlight("of the PDF")) }, store: store)
    }

    init(baseRecords: [Record], store: any LayerStore = MemoryLayerStore()) throws {
        self.store = store
        try store.write { store in
            let base = try store.addBase(baseRecords)
            let page = ServerDocument.Page(width: 612, height: 792)
            try store.put(
                ServerDocument(
                    id: "doc", title: "Title", pdfSHA256: "hash", pdfBytes: 1, createdAt: Self.now, base: base,
                    pages: [page, page, page]))
            _ = try store.addLayer(LayerKey(document: "doc", name: ""), generation: "g")
        }
    }

    // MARK: People and contents

    static func grant(
        _ user: String? = "ana", _ rules: [String]? = nil, group: String? = nil, name: String? = nil,
        general: Set<GeneralPermission> = Set(GeneralPermission.allCases)
    ) -> Grant {
        let permissions = rules.map { rules in
            rules.compactMap { rule -> Permission? in
                if case .granted(let permission) = Permission.read(rule) { permission } else { nil }
            }
        }
        return Grant(
            documentID: "doc", userID: user, general: general, collaboration: permissions, defaultGroup: group,
            creatorName: name, expiresAt: now + 3_600_000)
    }

    static func content(_ type: String, _ text: String, more: [(String, JSON)] = []) -> Content {
        var object = JSONObject()
        object["v"] = 2
        object["type"] = .string(type)
        object["pageIndex"] = 0
        object["bbox"] = [1, 2, 3, 4]
        object["text"] = .string(text)
        for (key, value) in more { object[key] = value }
        return Content(object)
    }

    static func note(_ text: String) -> Content { content("pspdfkit/note", text) }
    static func highlight(_ text: String) -> Content { content("pspdfkit/markup/highlight", text) }
    static func comment(on root: String, _ text: String = "a comment") -> Content {
        var object = JSONObject()
        object["v"] = 2
        object["rootId"] = .string(root)
        object["text"] = .string(text)
        return Content(object)
    }

    // MARK: Writing

    var layer: ServerLayer {
        get throws { try store.read { try #require(try $0.layer(LayerKey(document: "doc", name: ""))) } }
    }

    func send(_ request: PushRequest, _ grant: Grant, limits: ServerLimits = ServerLimits()) throws -> PushAnswer {
        let layer = try layer
        let (answer, commit) = try store.write { store in
            let (answer, commit) = try PushProcessor(grant: grant, limits: limits).perform(
                request, on: layer, in: store, now: Self.now)
            return Both(answer: answer, commit: commit)
        }.both
        commits.append(commit)
        return answer
    }

    private struct Both: Sendable {
        var answer: PushAnswer
        var commit: Commit
        var both: (PushAnswer, Commit) { (answer, commit) }
    }

    /// Pushes one change under the client's next number.
    ///
    /// - Parameter omitsGroup: Whether the change omits its group.
    @discardableResult
    func push(
        _ kind: ChangeKind, _ id: String, at base: Revision = 0, thread: Revision? = nil, group: String? = nil,
        omitsGroup: Bool = false, _ content: Content? = nil, client: String = "c", as grant: Grant = World.grant()
    ) throws -> ChangeResult {
        numbers[client, default: 0] += 1
        let change = Change(
            n: numbers[client, default: 0], kind: kind, id: id, baseRevision: base, threadRevision: thread,
            group: omitsGroup ? nil : .some(group), content: content)
        let answer = try send(PushRequest(clientID: client, acked: 0, cursor: nil, changes: [change]), grant)
        return try #require(answer.results.first)
    }

    func backend(_ body: @Sendable (inout BackendWriter) throws -> Void) throws {
        let layer = try layer
        let commit = try store.write { store in
            var writer = BackendWriter(layer, in: store, now: Self.now)
            try body(&writer)
            return writer.commit
        }
        commits.append(commit)
    }

    // MARK: Reading

    func record(_ id: String) throws -> ServerRecord? {
        let layer = try layer
        return try store.read { try $0.record(id, in: layer) }
    }

    func text(_ id: String) throws -> String? { try record(id)?.record.content["text"]?.string }

    func isLive(_ id: String) throws -> Bool { try record(id)?.isLive ?? false }

    func look<Result: Sendable>(
        _ grant: Grant = World.grant(), _ body: @Sendable (LayerView) throws -> Result
    ) throws -> Result {
        let layer = try layer
        return try store.read { try body(LayerView(layer, scope: grant.viewScope, in: $0)) }
    }
}

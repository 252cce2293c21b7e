import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// A synchronizer on a memory store, with inputs and their effects.
struct Bench {
    let layer: Layer
    var synchronizer: Synchronizer
    var random = SeededRandom(seed: 1)
    var now = Timestamp(seconds: 1000)
    let grant = Grant(documentID: "doc", userID: "ana", creatorName: "Ana", expiresAt: Timestamp(seconds: 9000))

    /// - Parameter watching: Wraps the store.
    init(watching: (any LocalStore) -> any LocalStore = { $0 }) {
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: "ana")
        layer = Layer(store: watching(MemoryStore(LayerMetadata(identity: identity, clientID: "me"))))
        synchronizer = Synchronizer(layer: layer, session: "s")
    }

    /// A second process on the same store.
    init(sharing layer: Layer) {
        self.layer = layer
        synchronizer = Synchronizer(layer: layer, isLeading: false)
    }

    /// Whether another process holds the layer's lock.
    var isLockTaken = false
    /// Whether another process uses the store.
    var isStoreShared = false
    private(set) var claimsLead = false

    /// The pending timer; nil once it has fired.
    private(set) var alarm: Timestamp?

    mutating func give(_ input: Synchronizer.Input) -> [Synchronizer.Effect] {
        if input == .woke { alarm = nil }
        var effects = synchronizer.handle(input, now: now, random: &random)
        for case .wake(let moment) in effects { alarm = moment }
        for case .claim(let claims) in effects { claimsLead = claims }
        if effects.contains(.lead(true)) { effects += give(.leading(!isLockTaken)) }
        if effects.contains(where: \.asksForStore) { effects += give(.usesAlone(!isStoreShared)) }
        return effects
    }

    /// Passes the input on and names its effects, without their numbers.
    mutating func names(_ input: Synchronizer.Input) -> [String] { give(input).compactMap(\.name) }

    /// - Parameter ahead: How many milliseconds the server's clock is ahead.
    func session(
        _ grant: Grant? = nil, epoch: String = "e", generation: String = "g", head: Revision = 0, ahead: Int64 = 0
    ) -> SyncAnswer {
        .session(
            SessionAnswer(
                grant: grant ?? self.grant, now: now + ahead, generation: generation, epoch: epoch, head: head,
                pdfSHA256: "pdf",
                pdfBytes: 1, title: "T"))
    }

    /// The number of the request that the input sends.
    mutating func request(_ input: Synchronizer.Input) -> Int {
        for case .send(let request) in give(input) { return request.id }
        return -1
    }

    /// Connects, live and caught up at revision 0, with a stream if listening.
    mutating func goLive(_ ticket: TokenHandle = TokenHandle(1)) -> [Synchronizer.Effect] {
        let asked = request(.tokenSupplied(ticket))
        let page = request(.answered(asked, session()))
        let pull = request(.answered(page, .page(SnapshotPage(epoch: "e", at: 0, records: [], next: nil))))
        return give(.answered(pull, .delta(Delta(epoch: "e", changes: [], upTo: 0, more: false))))
    }

    func page(_ records: [SyncItem] = [], epoch: String = "e", at revision: Revision = 0) -> SyncAnswer {
        .page(SnapshotPage(epoch: epoch, at: revision, records: records, next: nil))
    }

    func delta(_ items: [SyncItem] = [], epoch: String = "e", upTo revision: Revision = 0) -> SyncAnswer {
        .delta(Delta(epoch: epoch, changes: items, upTo: revision, more: false))
    }

    /// Starts listening and goes live.
    mutating func goListening() throws -> StreamRequest {
        _ = give(.listening(true))
        return try #require(goLive().stream)
    }

    mutating func edit(_ id: String = "n") throws -> [String] {
        try layer.create(note("text"), id: id, author: nil, at: now)
        return names(.edited)
    }
}

extension Synchronizer.Effect {
    var name: String? {
        switch self {
        case .send(let request):
            switch request.kind {
            case .session: "ask session"
            case .push(let push): "push \(push.changes.count)"
            case .pull(let cursor): "pull since \(cursor.revision)"
            case .page(let page): "page after \(page.after ?? "nothing")"
            case .digest: "digest"
            case .presence(let sign): "sign, page \(sign.whereabouts.pageIndex ?? -1)"
            case .upload(let id): "upload \(id.hex.prefix(4))"
            }
        case .cancel: "cancel"
        case .openStream: "open stream"
        case .closeStream: "close stream"
        case .wake, .lead, .claim, .useAlone: nil
        case .announce(let notice):
            switch notice {
            case .changedState(let state): state.rawValue
            case .beganSync: "began"
            case .finishedSync: "finished"
            case .failedSync(let failure): "failed: \(failure)"
            case .authenticated: "authenticated"
            case .failedAuthentication(let need): "needs a token: \(need)"
            case .failedReauthentication(_, let failure): "token failed: \(failure)"
            case .changed(let changes): "changed \(changes.ids.sorted().map(\.text).joined(separator: " "))"
            case .lost(let why): "lost: \(why)"
            case .pdfReplaced: "PDF replaced"
            case .pdfChanged: "PDF changed"
            case .tokenExpires: "token expires"
            case .presence(let presence): "here: \(presence.people.map { $0.name ?? "-" }.joined(separator: " "))"
            case .checked(let report): report.map { $0.isSound ? "sound" : "unsound" } ?? "unchecked"
            }
        }
    }
}

extension Synchronizer.Effect {
    var asksForStore: Bool { if case .useAlone = self { true } else { false } }
}

extension [Synchronizer.Effect] {
    /// The stream to open.
    var stream: StreamRequest? {
        for case .openStream(let request) in self { return request }
        return nil
    }

    /// The request to send.
    var request: Int? {
        for case .send(let request) in self { return request.id }
        return nil
    }

    /// The number of the request with this name.
    func request(_ name: String) -> Int? {
        for effect in self {
            if case .send(let request) = effect, effect.name == name { return request.id }
        }
        return nil
    }

    var wake: Timestamp? {
        for case .wake(let moment) in self { return moment }
        return nil
    }
}

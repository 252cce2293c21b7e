import Annotations
import EngineCore
import SyncProtocol

/// What one generation of a layer went through, written down commit by commit: what clients are compared with.
struct Chronicle {
    /// One state of one record, and the clientID that wrote it; nil: a backend.
    struct State {
        var record: EngineCore.ServerRecord
        var writer: String?
    }

    let base: [Record.ID: EngineCore.ServerRecord]
    /// Of each record the states that were committed, oldest first.
    private(set) var states: [Record.ID: [State]] = [:]
    private(set) var head: Revision = 0
    /// Deleted records that the server was told to forget: to it they never were, and somebody may use the id anew.
    private var forgotten: Set<Record.ID> = []
    /// How often a client's change put a text in place.
    private(set) var applied: [String: Int] = [:]
    /// Texts that were put in place before the server was restored from a backup. It forgot that it answered for them.
    private var unanswered: Set<String> = []

    init(base: [Record]) {
        self.base = Dictionary(
            uniqueKeysWithValues: base.map { ($0.id, EngineCore.ServerRecord(base: $0)) })
    }

    /// The same history on the annotations of another PDF.
    init(_ other: Chronicle, base: [Record]) {
        self.init(base: base)
        states = other.states
        head = other.head
        forgotten = other.forgotten
        applied = other.applied
        unanswered = other.unanswered
    }

    /// The server was restored from a backup and forgot its clients, and what it answered them.
    mutating func forgetClients() { unanswered.formUnion(applied.keys) }

    /// Notes a client's change that was applied, before it is written down.
    ///
    /// A create may be applied again if the server was restored since, so that it forgot its answer, and then forgot the
    /// deletion of the record: neither end knows any more that the create was applied.
    mutating func apply(_ change: Change) {
        guard let content = change.content else { return }
        let text = Remark.text(of: content)
        if change.kind == .create, forgotten.contains(change.id), unanswered.remove(text) != nil { return }
        applied[text, default: 0] += 1
    }

    func present(_ id: Record.ID) -> EngineCore.ServerRecord? { states[id]?.last?.record ?? base[id] }

    /// What the server itself can still know of it.
    func known(_ id: Record.ID) -> EngineCore.ServerRecord? { forgotten.contains(id) ? base[id] : present(id) }

    /// Deletions from before this moment are forgotten, but for those of the PDF's own annotations: they would come back.
    mutating func prune(before moment: Timestamp) {
        for (id, states) in states where base[id] == nil {
            if let removal = states.last?.record.removal, removal.at < moment { forgotten.insert(id) }
        }
    }

    var live: [EngineCore.ServerRecord] {
        let untouched = base.values.filter { states[$0.id] == nil }
        return untouched + states.values.compactMap { $0.last?.record }.filter(\.isLive)
    }

    func thread(of root: Record.ID) -> [EngineCore.ServerRecord] { live.filter { $0.rootID == root } }

    /// The record as it was under this revision.
    func state(_ id: Record.ID, at revision: Revision) -> EngineCore.ServerRecord? {
        if revision == 0 { return base[id] }
        return states[id]?.last { $0.record.revision == revision }?.record
    }

    /// Every state the record was ever in, oldest first.
    func past(_ id: Record.ID) -> [EngineCore.ServerRecord] {
        (base[id].map { [$0] } ?? []) + (states[id] ?? []).map(\.record)
    }

    /// Whether only this client has written since a revision.
    func isUnbroken(_ id: Record.ID, since revision: Revision, by client: String) -> Bool {
        (states[id] ?? []).allSatisfy { $0.record.revision <= revision || $0.writer == client }
    }

    func wroteLast(_ id: Record.ID, _ client: String) -> Bool { states[id]?.last?.writer == client }

    mutating func write(_ commit: Commit, by client: String?) {
        for record in commit.records {
            states[record.id, default: []].append(State(record: record, writer: client))
            forgotten.remove(record.id)
        }
        head = commit.layer.head
    }
}

import Annotations
import EngineCore
import SyncProtocol

/// The history of one generation of a layer, commit by commit: the reference for checking clients.
struct Chronicle {
    /// One state of one record, and the clientID that wrote it; nil for a backend.
    struct State {
        var record: EngineCore.ServerRecord
        var writer: String?
    }

    let base: [Record.ID: EngineCore.ServerRecord]
    /// The committed states of each record, oldest first.
    private(set) var states: [Record.ID: [State]] = [:]
    private(set) var head: Revision = 0
    /// Deleted records that the server has pruned: for the server they never existed, and the id may be used again.
    private var forgotten: Set<Record.ID> = []
    /// The index of the state with which a record began again after it was forgotten.
    private var births: [Record.ID: Int] = [:]
    /// How often a client's change set a text.
    private(set) var applied: [String: Int] = [:]
    /// Texts whose answers nobody can ask for any more: set before the server was restored from a backup, or sent from a
    /// store that another one has taken over since.
    private var unanswered: Set<String> = []

    init(base: [Record]) {
        self.base = Dictionary(
            uniqueKeysWithValues: base.map { ($0.id, EngineCore.ServerRecord(base: $0)) })
    }

    /// Creates the same history on the annotations of another PDF.
    init(_ other: Chronicle, base: [Record]) {
        self.init(base: base)
        states = other.states
        head = other.head
        forgotten = other.forgotten
        births = other.births
        applied = other.applied
        unanswered = other.unanswered
    }

    /// Notes that the server was restored from a backup and lost its clients and its answers to them.
    mutating func forgetClients() { unanswered.formUnion(applied.keys) }

    /// Notes that these texts are sent again under another clientID.
    mutating func loseAnswers(to texts: [String]) { unanswered.formUnion(texts.filter { applied[$0] != nil }) }

    /// Notes an applied change by a client, before it is recorded.
    ///
    /// A create may be applied again if its answer was lost in between and the server then pruned the deletion of the
    /// record: neither end still knows that the create was applied.
    mutating func apply(_ change: Change) {
        guard let content = change.content else { return }
        let text = Remark.text(of: content)
        if change.kind == .create, forgotten.contains(change.id), unanswered.remove(text) != nil { return }
        applied[text, default: 0] += 1
    }

    func present(_ id: Record.ID) -> EngineCore.ServerRecord? { states[id]?.last?.record ?? base[id] }

    /// Returns what the server can still know of the record.
    func known(_ id: Record.ID) -> EngineCore.ServerRecord? { forgotten.contains(id) ? base[id] : present(id) }

    /// Prunes deletions from before this time, except those of the PDF's own annotations, which would reappear, and of
    /// roots that have comments.
    mutating func prune(before moment: Timestamp) {
        for (id, states) in states where base[id] == nil {
            guard let removal = states.last?.record.removal, removal.at < moment, thread(of: id).isEmpty else {
                continue
            }
            forgotten.insert(id)
        }
    }

    /// Returns the first state of a record.
    func creation(of id: Record.ID) -> EngineCore.ServerRecord? {
        base[id] ?? states[id].map { $0[births[id] ?? 0].record }
    }

    var live: [EngineCore.ServerRecord] {
        let untouched = base.values.filter { states[$0.id] == nil }
        return untouched + states.values.compactMap { $0.last?.record }.filter(\.isLive)
    }

    func thread(of root: Record.ID) -> [EngineCore.ServerRecord] { live.filter { $0.rootID == root } }

    /// Returns the record as of this revision.
    func state(_ id: Record.ID, at revision: Revision) -> EngineCore.ServerRecord? {
        if revision == 0 { return base[id] }
        return states[id]?.last { $0.record.revision == revision }?.record
    }

    /// Returns every state of the record, oldest first.
    func past(_ id: Record.ID) -> [EngineCore.ServerRecord] {
        (base[id].map { [$0] } ?? []) + (states[id] ?? []).map(\.record)
    }

    /// Whether only this client has written since a revision. What the server has pruned since counts no more.
    func isUnbroken(_ id: Record.ID, since revision: Revision, by client: String) -> Bool {
        (states[id] ?? []).dropFirst(births[id] ?? 0).allSatisfy {
            $0.record.revision <= revision || $0.writer == client
        }
    }

    func wroteLast(_ id: Record.ID, _ client: String) -> Bool { states[id]?.last?.writer == client }

    mutating func write(_ commit: Commit, by client: String?) {
        for record in commit.records {
            if forgotten.contains(record.id) { births[record.id] = states[record.id]?.count }
            states[record.id, default: []].append(State(record: record, writer: client))
            forgotten.remove(record.id)
        }
        head = commit.layer.head
    }
}

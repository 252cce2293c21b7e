import Annotations
import App
import Dispatch
import Glibc
import Instant
import Synchronization

/// Drafts, stored in one small file per layer until they are saved or discarded. They survive a crash or a closed
/// terminal. Files are written in call order, off the drawing thread. Several processes may use one file: each replaces
/// only what it knows. A draft of the same annotation that another process has written meanwhile stays beside its own, and
/// whoever opens the layer next gets both, one after the other.
///
/// A file that cannot be read or written stays as it is. Its changes are kept in memory, and tried again with the next.
final class DraftStore: Sendable {
    private let path: String
    private let queue: DispatchQueue
    private let state: Mutex<State>
    private let saving = Mutex(Saving())

    private struct State {
        var kept: [DraftKey: Draft] = [:]
        /// The entries of the file that ``kept`` was made of.
        var known: [DraftKey: [Draft]] = [:]
        /// What is not in the file yet.
        var unwritten: [DraftKey: Change] = [:]

        mutating func take(_ file: DraftFile) { (kept, known) = (file.drafts, file.entries) }
        /// Why; nil if everything is.
        var problem: String?
        var notice: String?
    }

    struct Draft: Equatable {
        var text: String
        /// The record that was to be created from the text.
        var becoming: Record.ID?

        /// A text that only looks the same is another one.
        static func == (one: Draft, other: Draft) -> Bool {
            one.text.isExactly(other.text) && one.becoming.isExactly(other.becoming)
        }
    }

    /// What a draft becomes; nil removes it.
    private struct Change {
        var draft: Draft?
    }

    /// The drafts whose records are being created. While there are any, this process holds a lock shared.
    private struct Saving {
        var keys: Set<DraftKey> = []
        var lock: FileLock?
    }

    /// Milliseconds. A process that is stopped does not hold up another one for longer.
    private static let patience = 500

    /// - Parameters:
    ///   - path: The file. It need not exist. One that is not a list of drafts is renamed and counts as empty.
    ///   - queue: A serial queue.
    init(path: String, queue: DispatchQueue) {
        self.path = path
        self.queue = queue
        var state = State()
        do {
            let found = try DraftFile(reading: path)
            state.take(found)
            state.notice = found.notice
        } catch {
            state.problem = "\(error)"
            state.notice = "Earlier drafts cannot be read: \(error)"
        }
        self.state = Mutex(state)
    }

    var drafts: [DraftKey: String] { state.withLock { $0.kept.mapValues(\.text) } }

    /// Why drafts of this run are not in the file, as a sentence; nil if all are.
    var problem: String? {
        state.withLock { state in state.unwritten.values.contains { $0.draft != nil } ? state.problem : nil }
    }

    /// What the user should be told of the file, once; nil for nothing.
    var notice: String? { state.withLock { $0.notice.take() } }

    /// - Parameters:
    ///   - text: nil to forget the draft.
    ///   - id: The record that is to be created from the text.
    ///   - done: Receives why the file does not have the change; nil once it has.
    func keep(
        _ text: String?, for key: DraftKey, becoming id: Record.ID? = nil,
        then done: @escaping @Sendable (_ problem: String?) -> Void
    ) {
        queue.async { [self] in
            if id != nil { begin(key) }
            defer { if id == nil { end(key) } }
            let draft = text.map { Draft(text: $0, becoming: id) }
            let isNew = state.withLock { state in
                defer { state.kept[key] = draft }
                return state.kept[key] != draft || !state.unwritten.isEmpty
            }
            if isNew {
                state.withLock { $0.unwritten[key] = Change(draft: draft) }
                change { _ in }
            }
            done(state.withLock { $0.unwritten.isEmpty ? nil : $0.problem })
        }
    }

    private func begin(_ key: DraftKey) {
        let isFirst = saving.withLock { saving in
            saving.keys.insert(key)
            return saving.lock == nil
        }
        guard isFirst else { return }
        let lock = FileLock(path: savingLock, shared: true, milliseconds: Self.patience)
        saving.withLock { $0.lock = lock }
    }

    private func end(_ key: DraftKey) {
        let lock = saving.withLock { saving in
            saving.keys.remove(key)
            return saving.keys.isEmpty ? saving.lock.take() : nil
        }
        withExtendedLifetime(lock) {}
    }

    private var savingLock: String { path + ".saving" }

    /// Forgets drafts that were saved. An edit and its draft are in two files: a process killed between storing the
    /// edit and removing the draft leaves both. Waits for a process that is creating a draft's record.
    ///
    /// - Parameter texts: Returns a record's text in each store of the layer that has the record.
    func forgetSaved(texts: (Record.ID) -> [String]) {
        forgetStored(texts)
        guard state.withLock({ $0.kept.values.contains { $0.becoming != nil } }) else { return }
        withExtendedLifetime(FileLock(path: savingLock, milliseconds: Self.patience)) {}
        guard let now = try? DraftFile(reading: path) else { return }
        state.withLock { $0.take(now) }
        forgetStored(texts)
    }

    private func forgetStored(_ texts: (Record.ID) -> [String]) {
        let saved = state.withLock { $0.kept }.filter { key, draft in
            if let id = draft.becoming { return !texts(id).isEmpty }
            if case .record(let id) = key { return texts(id).containsExactly(draft.text) }
            return false
        }
        guard !saved.isEmpty else { return }
        state.withLock { state in for key in saved.keys { state.kept[key] = nil } }
        queue.async { [self] in
            change { entries in for (key, draft) in saved { entries[key]?.removeAll { $0 == draft } } }
        }
    }

    /// Changes the drafts in the file, and puts those into it that it lacks. Runs on the queue.
    private func change(_ body: (inout [DraftKey: [Draft]]) -> Void) {
        let lock = FileLock(path: path + ".lock", milliseconds: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        do {
            var file = try DraftFile(reading: path)
            if let notice = file.notice { state.withLock { $0.notice = notice } }
            body(&file.entries)
            let (unwritten, known) = state.withLock { ($0.unwritten, $0.known) }
            for (key, change) in unwritten {
                file.entries[key, default: []].removeAll { known[key]?.contains($0) ?? false || $0 == change.draft }
                if let draft = change.draft { file.entries[key, default: []].append(draft) }
            }
            try file.write(to: path)
            state.withLock { state in
                for (key, change) in unwritten { state.known[key] = change.draft.map { [$0] } ?? [] }
                (state.unwritten, state.problem) = ([:], nil)
            }
        } catch { state.withLock { $0.problem = "\(error)" } }
    }
}

/// The content of a file of drafts.
private struct DraftFile {
    /// Several of one key are those of several processes.
    var entries: [DraftKey: [DraftStore.Draft]] = [:]
    /// Drafts of kinds that only a later version knows. They stay.
    private var others: [JSON] = []
    /// What happened to the file; nil for nothing.
    var notice: String?

    /// In bytes.
    private static let limit = 16 << 20

    /// Reads a file; none is an empty one. A file whose bytes are not a list of drafts gets another name.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be read, or is too large. It must not be overwritten then.
    init(reading path: String) throws {
        guard let bytes = try PrivateFile.existing(path, limit: Self.limit) else { return }
        guard let text = String(validating: bytes, as: UTF8.self), let json = try? JSON(parsing: text),
            let stored = json.array
        else {
            // What a person may still read in the file must not be overwritten.
            let name = try Self.setAside(path)
            notice = "The drafts in \(path) are damaged; the file is kept as \(name)"
            return
        }
        for entry in stored {
            guard let words = entry["text"]?.string, let key = DraftKey(stored: entry) else {
                others.append(entry)
                continue
            }
            let draft = DraftStore.Draft(text: words, becoming: entry["becoming"]?.string)
            if !entries[key, default: []].contains(draft) { entries[key, default: []].append(draft) }
        }
    }

    /// What a person gets: one text for each key, which has every entry.
    var drafts: [DraftKey: DraftStore.Draft] {
        entries.compactMapValues { drafts in
            guard drafts.count > 1 else { return drafts.first }
            // One of them may have become a record, and the others not.
            return DraftStore.Draft(text: drafts.map(\.text).joined(separator: "\n\n"), becoming: nil)
        }
    }

    /// Gives the file a name that no other file has, and returns it.
    private static func setAside(_ path: String) throws -> String {
        for number in 1...999 {
            let name = path + (number == 1 ? ".damaged" : ".damaged-\(number)")
            // A link fails if the name is taken, also if two processes do this at once.
            if link(path, name) == 0 {
                unlink(path)
                return name
            }
            if errno == EEXIST { continue }
            // Some file systems have no links.
            if access(name, F_OK) != 0, rename(path, name) == 0 { return name }
            break
        }
        throw CommandFailure(
            "the drafts in \(path) are damaged, and it cannot be renamed: \(String(cString: strerror(errno)))")
    }

    func write(to path: String) throws {
        let stored: [JSON] = entries.flatMap { key, drafts in
            drafts.map { draft in
                var json = key.stored
                json["text"] = .string(draft.text)
                if let id = draft.becoming { json["becoming"] = .string(id) }
                return .object(json)
            }
        }
        try PrivateFile.write(JSON.array(stored + others).text + "\n", to: path)
    }
}

extension DraftKey {
    /// nil for a kind that only a later version knows.
    fileprivate init?(stored json: JSON) {
        if let id = json["record"]?.string {
            self = .record(id)
        } else if let page = json["page"]?.integer {
            self = .note(page: Int(clamping: page))
        } else if let root = json["root"]?.string {
            self = .reply(root)
        } else if let page = json["thread"]?.integer {
            self = .comment(page: Int(clamping: page))
        } else if let ids = json["records"]?.array {
            self = .together(ids.compactMap(\.string))
        } else if let id = json["merge"]?.string {
            self = .merge(id, of: json["of"]?.string ?? "")
        } else {
            return nil
        }
    }

    fileprivate var stored: JSONObject {
        var json = JSONObject()
        switch self {
        case .record(let id): json["record"] = .string(id)
        case .note(let page): json["page"] = .number(JSONNumber(Int64(page)))
        case .reply(let root): json["root"] = .string(root)
        case .comment(let page): json["thread"] = .number(JSONNumber(Int64(page)))
        case .together(let ids): json["records"] = .array(ids.map(JSON.string))
        case .merge(let id, let versions):
            json["merge"] = .string(id)
            json["of"] = .string(versions)
        }
        return json
    }
}

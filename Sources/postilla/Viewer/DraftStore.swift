import Annotations
import App
import Dispatch
import Glibc
import Instant
import Synchronization

/// Drafts, stored in one small file per layer until they are saved or discarded. They survive a crash or a closed
/// terminal. Files are written in call order, off the drawing thread. Several processes may use one file: each changes
/// only its own drafts in it.
final class DraftStore: Sendable {
    private let path: String
    private let queue: DispatchQueue
    private let kept: Mutex<[DraftKey: Draft]>
    private let saving = Mutex(Saving())

    private struct Draft: Equatable {
        var text: String
        /// The record that was to be created from the text.
        var becoming: Record.ID?
    }

    /// The drafts whose records are being created. While there are any, this process holds a lock shared.
    private struct Saving {
        var keys: Set<DraftKey> = []
        var lock: FileLock?
    }

    /// Milliseconds. A process that is stopped does not hold up another one for longer.
    private static let patience = 500

    /// - Parameters:
    ///   - path: The file. It need not exist; an unreadable file is renamed and counts as empty.
    ///   - queue: A serial queue.
    init(path: String, queue: DispatchQueue) {
        self.path = path
        self.queue = queue
        kept = Mutex(Self.read(path))
    }

    var drafts: [DraftKey: String] { kept.withLock { $0.mapValues(\.text) } }

    /// - Parameters:
    ///   - text: nil to forget the draft.
    ///   - id: The record that is to be created from the text.
    ///   - tell: Receives a message when the file cannot be written.
    func keep(
        _ text: String?, for key: DraftKey, becoming id: Record.ID? = nil, or tell: @escaping @Sendable (String) -> Void
    ) {
        queue.async { [self] in
            if id != nil { begin(key) }
            defer { if id == nil { end(key) } }
            let isNew = kept.withLock { kept in
                let draft = text.map { Draft(text: $0, becoming: id) }
                defer { kept[key] = draft }
                return kept[key] != draft
            }
            if isNew { change(or: tell) { $0[key] = text.map { Draft(text: $0, becoming: id) } } }
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
    func forgetSaved(or tell: @escaping @Sendable (String) -> Void, texts: (Record.ID) -> [String]) {
        forgetStored(or: tell, texts)
        guard kept.withLock({ $0.values.contains { $0.becoming != nil } }) else { return }
        withExtendedLifetime(FileLock(path: savingLock, milliseconds: Self.patience)) {}
        let now = Self.read(path)
        kept.withLock { $0 = now }
        forgetStored(or: tell, texts)
    }

    private func forgetStored(or tell: @escaping @Sendable (String) -> Void, _ texts: (Record.ID) -> [String]) {
        let saved = kept.withLock { $0 }.filter { key, draft in
            if let id = draft.becoming { return !texts(id).isEmpty }
            if case .record(let id) = key { return texts(id).contains(draft.text) }
            return false
        }
        guard !saved.isEmpty else { return }
        kept.withLock { kept in for key in saved.keys { kept[key] = nil } }
        queue.async { [self] in
            change(or: tell) { drafts in
                for (key, draft) in saved where drafts[key] == draft { drafts[key] = nil }
            }
        }
    }

    /// Changes the drafts in the file. Runs on the queue.
    private func change(or tell: (String) -> Void, _ body: (inout [DraftKey: Draft]) -> Void) {
        let lock = FileLock(path: path + ".lock", milliseconds: Self.patience)
        var drafts = Self.read(path)
        body(&drafts)
        do { try PrivateFile.write(Self.json(drafts).text + "\n", to: path) } catch { tell("\(error)") }
        withExtendedLifetime(lock) {}
    }

    private static func json(_ drafts: [DraftKey: Draft]) -> JSON {
        .array(
            drafts.map { key, draft in
                var json = JSONObject()
                switch key {
                case .record(let id): json["record"] = .string(id)
                case .note(let page): json["page"] = .number(JSONNumber(Int64(page)))
                case .reply(let root): json["root"] = .string(root)
                case .comment(let page): json["thread"] = .number(JSONNumber(Int64(page)))
                case .together(let ids): json["records"] = .array(ids.map(JSON.string))
                }
                json["text"] = .string(draft.text)
                if let id = draft.becoming { json["becoming"] = .string(id) }
                return .object(json)
            })
    }

    private static func read(_ path: String) -> [DraftKey: Draft] {
        guard let text = try? PrivateFile.read(path, limit: 16 << 20), let json = try? JSON(parsing: text) else {
            // The next draft must not overwrite what a person may still read in the file.
            _ = rename(path, path + ".damaged")
            return [:]
        }
        var drafts: [DraftKey: Draft] = [:]
        for draft in json.array ?? [] {
            guard let words = draft["text"]?.string else { continue }
            let text = Draft(text: words, becoming: draft["becoming"]?.string)
            if let id = draft["record"]?.string { drafts[.record(id)] = text }
            if let page = draft["page"]?.integer { drafts[.note(page: Int(clamping: page))] = text }
            if let root = draft["root"]?.string { drafts[.reply(root)] = text }
            if let page = draft["thread"]?.integer { drafts[.comment(page: Int(clamping: page))] = text }
            if let ids = draft["records"]?.array { drafts[.together(ids.compactMap(\.string))] = text }
        }
        return drafts
    }
}

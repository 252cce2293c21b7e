import Annotations
import App
import Dispatch
import Glibc
import Instant
import InstantCore
import Synchronization

/// The latest steps of one layer that can be undone, in a small file that only this user can read, so that undo
/// survives a restart. Several processes may use one file: each adds and removes only its own steps.
///
/// A step whose texts contain a token is not stored.
final class UndoStore: Sendable {
    struct Entry: Sendable {
        var step: EditStep
        var receipts: [EditReceipt]
        /// Names the step in the file; the numbers of steps begin anew in every run.
        var key = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// The steps of earlier runs, oldest first, numbered from 1.
    let earlier: [Entry]
    private let path: String
    private let queue: DispatchQueue
    /// The key of each step of this run and of ``earlier``.
    private let keys: Mutex<[Int: String]>

    static let maxSteps = 50
    /// The size of one step and of the file, in bytes.
    static let maxStep = 128 << 10
    static let maxBytes = 1 << 20
    /// Milliseconds. A process that is stopped does not hold up another one for longer.
    private static let patience = 500

    /// - Parameters:
    ///   - path: The file. It need not exist; an unreadable one counts as empty.
    ///   - queue: A serial queue, on which the file is written.
    init(path: String, queue: DispatchQueue) {
        (self.path, self.queue) = (path, queue)
        earlier = Self.read(path).enumerated().compactMap { index, json in Entry(json, id: index + 1) }
        keys = Mutex(Dictionary(uniqueKeysWithValues: earlier.map { ($0.step.id, $0.key) }))
    }

    func add(_ entry: Entry) {
        keys.withLock { $0[entry.step.id] = entry.key }
        queue.async { [self] in
            let json = entry.json
            let text = json.text
            // Steps before one that cannot be stored could no longer be undone in order.
            let isStored = text.utf8.count <= Self.maxStep && !entry.containsToken
            change { steps in steps = isStored ? steps + [json] : [] }
        }
    }

    func remove(_ step: Int) {
        guard let key = keys.withLock({ $0.removeValue(forKey: step) }) else { return }
        queue.async { [self] in change { $0.removeAll { $0["key"]?.string == key } } }
    }

    /// Forgets all steps, also those of other windows: they led to records that no longer exist.
    func removeAll() {
        keys.withLock { $0 = [:] }
        queue.async { [self] in change { $0 = [] } }
    }

    static func path(of layer: LayerIdentity, in folders: Folders) -> String {
        path(of: layer, in: folders.state + "/undo")
    }

    static func path(of layer: LayerIdentity, in folder: String) -> String { "\(folder)/\(layer.fileName).json" }

    /// Forgets all steps of a layer, because its local data were removed. Blocks.
    static func removeAll(of layer: LayerIdentity, in folders: Folders) {
        removeAll(of: layer, in: folders.state + "/undo")
    }

    static func removeAll(of layer: LayerIdentity, in folder: String) {
        let path = path(of: layer, in: folder)
        unlink(path)
        unlink(path + ".lock")
    }

    /// Changes the file. Runs on the queue. A file that cannot be written is not worth a message: undo then ends with
    /// the program.
    private func change(_ body: (inout [JSON]) -> Void) {
        let lock = FileLock(path: path + ".lock", milliseconds: Self.patience)
        // A file that cannot be read now is not an empty one.
        guard var steps = try? Self.existing(path) else { return }
        body(&steps)
        steps = Array(steps.suffix(Self.maxSteps))
        var size = steps.reduce(0) { $0 + $1.text.utf8.count }
        while size > Self.maxBytes { size -= steps.removeFirst().text.utf8.count }
        try? PrivateFile.write(JSON.array(steps).text + "\n", to: path)
        withExtendedLifetime(lock) {}
    }

    private static func read(_ path: String) -> [JSON] { (try? existing(path)) ?? [] }

    /// Returns no steps if there is no file, or something else in it.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be read.
    private static func existing(_ path: String) throws -> [JSON] {
        guard let bytes = try PrivateFile.existing(path, limit: 2 * maxBytes),
            let text = String(validating: bytes, as: UTF8.self), let json = try? JSON(parsing: text)
        else { return [] }
        return json.array ?? []
    }
}

extension UndoStore.Entry {
    /// Returns nil for anything that ``json`` did not write.
    fileprivate init?(_ json: JSON, id: Int) {
        let edits = (json["edits"]?.array ?? []).map(Edit.init(stored:))
        let receipts = (json["receipts"]?.array ?? []).map(EditReceipt.init(json:))
        guard let key = json["key"]?.string, !edits.isEmpty, !edits.contains(nil), !receipts.isEmpty,
            !receipts.contains(nil)
        else { return nil }
        self.init(
            step: EditStep(
                id: id, edits: edits.compactMap(\.self), newIDs: (json["newIDs"]?.array ?? []).compactMap(\.string),
                summary: json["summary"]?.string ?? ""),
            receipts: receipts.compactMap(\.self), key: key)
    }

    fileprivate var json: JSON {
        [
            "key": .string(key), "summary": .string(step.summary), "edits": .array(step.edits.map(\.stored)),
            "newIDs": .array(step.newIDs.map(JSON.string)), "receipts": .array(receipts.map(\.json)),
        ]
    }

    /// Whether a text in the step looks like a token.
    fileprivate var containsToken: Bool {
        let records = receipts.flatMap { receipt in
            [receipt.before, receipt.after].compactMap { $0.map { Annotation($0).text } }
        }
        return (records + [step.summary, json.text]).contains(where: TokenText.isIn)
    }
}

extension Edit {
    fileprivate var stored: JSON {
        switch self {
        case .create(let content): ["create": .string(content.text)]
        case .update(let id, let content): ["update": .string(id), "content": .string(content.text)]
        case .delete(let id, let along): ["delete": .string(id), "with": .array(along.map(JSON.string))]
        case .beginThread(let root, let text): ["thread": .string(root.text), "text": text.json(version: 2)]
        }
    }

    fileprivate init?(stored json: JSON) {
        func content(_ name: String) -> Content? { json[name]?.string.flatMap { try? Content($0) } }
        if let made = content("create") {
            self = .create(made)
        } else if let id = json["update"]?.string, let changed = content("content") {
            self = .update(id, changed)
        } else if let id = json["delete"]?.string {
            self = .delete(id, with: (json["with"]?.array ?? []).compactMap(\.string))
        } else if let root = content("thread"), let text = json["text"].flatMap(CommentText.init(json:)) {
            self = .beginThread(root, text)
        } else {
            return nil
        }
    }
}

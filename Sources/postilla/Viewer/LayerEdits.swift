import Annotations
import App
import Dispatch
import Instant
import InstantCore
import Synchronization

/// The edits of one open layer, executed serially off the drawing thread: each edit waits for the disk and for any
/// other process that has locked the local storage. Every request gets one message, in order.
final class LayerEdits: Sendable {
    private let layer: OpenLayer
    /// The value of `--author`.
    private let author: String?
    private let post: @Sendable (Message) -> Void
    private let queue = DispatchQueue(label: "postilla.edits")
    /// The receipts of each step, for undo. Used on the queue.
    private let receipts: Mutex<[Int: [EditReceipt]]>
    /// Keeps the receipts for the next run.
    private let undoStore: UndoStore

    init(_ layer: OpenLayer, author: String?, undo: UndoStore, post: @escaping @Sendable (Message) -> Void) {
        (self.layer, self.author, undoStore, self.post) = (layer, author, undo, post)
        receipts = Mutex(Dictionary(undo.earlier.map { ($0.step.id, $0.receipts) }) { first, _ in first })
    }

    /// Forgets what could be undone, because everything was reverted.
    func forgetSteps() {
        queue.async { [self] in
            receipts.withLock { $0 = [:] }
            undoStore.removeAll()
        }
    }

    /// Applies all edits of a step or none, in one transaction.
    func perform(_ step: EditStep) {
        add { [self] descriptor in
            do {
                let author = step.merged == nil ? author ?? layer.client.rememberedAuthor : nil
                let done = try descriptor.editTogether { layer, now in
                    var ids = step.newIDs[...]
                    return try step.edits.flatMap { edit in
                        try Self.perform(edit, over: step.seen, by: author, on: layer, at: now) {
                            try ids.popFirst() ?? descriptor.newID()
                        }
                    }
                }
                keep(done, of: step.id)
                undoStore.add(UndoStore.Entry(step: step, receipts: done))
                post(.edited(step: step.id, done.flatMap { [$0.id] + $0.along }))
            } catch { post(.editFailed(step: step.id, "\(error)")) }
        }
    }

    private static func perform(
        _ edit: Edit, over seen: [ByteOrdered: Content], by author: String?, on layer: Layer, at now: Timestamp,
        newID: () throws -> Record.ID
    ) throws -> [EditReceipt] {
        switch edit {
        case .create(let content): return [try layer.create(content, id: newID(), author: author, at: now)]
        case .update(let id, let content):
            return [try layer.update(id, content: content, over: seen[ByteOrdered(id)], at: now)]
        case .delete(let id, let along): return [try layer.delete(id, with: along, at: now)]
        case .beginThread(let root, let text):
            let receipts = try layer.beginThread(
                root, id: newID(), text, commentID: newID(), author: author, at: now)
            return [receipts.root, receipts.comment]
        }
    }

    /// The receipts of an undo replace those of the step, so undoing again is redo.
    func undo(_ step: Int) {
        add { [self] descriptor in
            guard let done = receipts.withLock({ $0[step] }) else {
                return post(.undoFailed(step: step, "it was not saved, or was made before the layer was opened"))
            }
            do {
                let undone = try descriptor.editTogether { layer, now in
                    try done.reversed().map { try layer.undo($0, at: now) }
                }
                keep(undone, of: step)
                undoStore.remove(step)
                post(.undone(step: step))
            } catch {
                let isFinal = !error.mayPass
                if isFinal { undoStore.remove(step) }
                post(.undoFailed(step: step, "\(error)", isFinal: isFinal))
            }
        }
    }

    private func keep(_ done: [EditReceipt], of step: Int) { receipts.withLock { $0[step] = done } }

    func resolve(_ id: Record.ID, _ resolution: Resolution, of sides: Conflict.Sides) {
        add { [self] descriptor in
            do {
                guard let conflict = try descriptor.conflicts().first(of: id) else {
                    return post(.resolveFailed(id, "already resolved"))
                }
                let resolution: ConflictResolution =
                    switch resolution {
                    case .mine: .mine
                    case .theirs: .theirs
                    case .merged(let content): .merged(content)
                    }
                try descriptor.resolve(conflict.id, resolution, between: sides)
                post(.resolved(id))
            } catch { post(.resolveFailed(id, "\(error)")) }
        }
    }

    func setDefaultGroup(_ choice: LayerMetadata.GroupChoice?) {
        add { [self] descriptor in
            do {
                if let choice {
                    try descriptor.overrideDefaultGroup(with: choice.group)
                } else {
                    try descriptor.resetDefaultGroup()
                }
            } catch { post(.notice("\(error)")) }
        }
    }

    func rememberAuthor(_ name: String) {
        add { [self] _ in layer.client.rememberedAuthor = name }
    }

    /// Calls `body` once everything requested so far is done.
    func afterAll(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    private func add(_ body: @escaping @Sendable (InstantDocumentDescriptor) -> Void) {
        queue.async { [layer] in
            body(layer.descriptor)
            layer.tellStatus()
        }
    }
}

extension Error {
    /// Whether another token can change the outcome.
    fileprivate var mayPass: Bool {
        if let error = self as? EditError {
            switch error {
            case .noGrant, .denied: return true
            default: return false
            }
        }
        return (self as? InstantError).map { [.accessDenied, .authenticationFailed].contains($0.kind) } ?? false
    }
}

import Annotations

/// The steps that can be undone or redone, newest last.
struct UndoHistory: Equatable, Sendable {
    private(set) var done: [EditStep] = []
    private(set) var undone: [EditStep] = []
    /// Steps whose undo is being saved, in the order of the requests.
    private(set) var undoing: [EditStep] = []
    private var next = 1
    private static let maxSteps = 200

    /// - Parameter earlier: Steps of earlier runs, oldest first, with ascending numbers.
    init(_ earlier: [EditStep] = []) {
        done = earlier
        next = (earlier.last?.id ?? 0) + 1
    }

    /// Begins a new step. Unless it is a redo, undone steps can no longer be redone.
    ///
    /// - Parameter ids: Ids of the records that it creates.
    mutating func begin(
        _ edits: [Edit], newIDs ids: [Record.ID], summary: String = "", isRedo: Bool = false
    ) -> EditStep {
        let step = EditStep(id: next, edits: edits, newIDs: ids, summary: summary)
        next += 1
        done.append(step)
        if done.count > Self.maxSteps { done.removeFirst() }
        if !isRedo { undone = [] }
        return step
    }

    /// Drops all steps; their numbers are not used again.
    mutating func forget() { (done, undone, undoing) = ([], [], []) }

    mutating func failed(_ id: Int) {
        done.removeAll { $0.id == id }
    }

    mutating func undo() -> EditStep? {
        guard let step = done.popLast() else { return nil }
        undoing.append(step)
        return step
    }

    /// The undo was refused for now, for want of a token: the step stays.
    mutating func notUndone(_ id: Int) {
        guard let index = undoing.firstIndex(where: { $0.id == id }) else { return }
        let step = undoing.remove(at: index)
        done.insert(step, at: done.firstIndex { $0.id > id } ?? done.count)
    }

    /// - Parameter canRedo: Whether the undo succeeded; if not, the step is dropped.
    mutating func undid(_ id: Int, canRedo: Bool) {
        guard let index = undoing.firstIndex(where: { $0.id == id }) else { return }
        let step = undoing.remove(at: index)
        // If a newer step was made meanwhile, this one cannot be redone.
        if canRedo, done.last.map({ $0.id < id }) ?? true { undone.append(step) }
    }

    /// Returns the edits to perform again as a new step.
    mutating func redo() -> [Edit]? { undone.popLast()?.edits }
}

/// The steps that can be undone and done again, newest last.
struct UndoHistory: Equatable, Sendable {
    private(set) var done: [EditStep] = []
    private(set) var undone: [EditStep] = []
    /// The step that is being undone.
    private(set) var undoing: EditStep?
    private var next = 1
    private static let most = 200

    /// A new step; what was undone before it can no longer be done again.
    mutating func begin(_ edits: [Edit], isRedo: Bool = false) -> EditStep {
        let step = EditStep(id: next, edits: edits)
        next += 1
        done.append(step)
        if done.count > Self.most { done.removeFirst() }
        if !isRedo { undone = [] }
        return step
    }

    mutating func failed(_ id: Int) {
        done.removeAll { $0.id == id }
    }

    mutating func undo() -> EditStep? {
        guard undoing == nil, let step = done.popLast() else { return nil }
        undoing = step
        return step
    }

    /// - Parameter canRedo: whether it was undone; what could not be is dropped.
    mutating func undid(_ id: Int, canRedo: Bool) {
        guard let step = undoing, step.id == id else { return }
        undoing = nil
        if canRedo { undone.append(step) }
    }

    mutating func redo() -> EditStep? {
        guard let step = undone.popLast() else { return nil }
        return begin(step.edits, isRedo: true)
    }
}

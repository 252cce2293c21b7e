import InstantCore

/// The edits made through one document, for undo and redo. Each step is one call, of one or several records.
struct EditHistory {
    private var done: [[EditReceipt]] = []
    private var undone: [[EditReceipt]] = []

    static let limit = 100

    var canUndo: Bool { !done.isEmpty }
    var canRedo: Bool { !undone.isEmpty }

    mutating func add(_ step: [EditReceipt]) {
        done.append(step)
        if done.count > Self.limit { done.removeFirst() }
        undone = []
    }

    /// Takes the newest step that was not undone; it is gone if it cannot be undone.
    mutating func takeUndo() -> [EditReceipt]? { done.popLast() }
    mutating func takeRedo() -> [EditReceipt]? { undone.popLast() }

    /// - Parameter step: The receipts of the undo, which can be undone in turn.
    mutating func noteUndo(_ step: [EditReceipt]) { undone.append(step) }
    mutating func noteRedo(_ step: [EditReceipt]) { done.append(step) }
}

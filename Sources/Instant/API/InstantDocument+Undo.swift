public import Annotations
import InstantCore

/// Undo and redo of the edits that were made through this document since it was created.
extension InstantDocument {
    public var canUndo: Bool { history.withLock(\.canUndo) }
    public var canRedo: Bool { history.withLock(\.canRedo) }

    /// Undoes the last edit. An edit that was not sent is withdrawn; another one is reversed by a new edit, if no other
    /// user has changed the record since.
    ///
    /// - Returns: The changed records; empty if there is nothing to undo.
    /// - Throws: `invalidRequest` with the reason if the edit cannot be undone: it is then skipped, and the next call
    ///   undoes the one before; `accessDenied`.
    @discardableResult
    public func undo() throws(InstantError) -> [Record.ID] {
        guard let step = history.withLock({ $0.takeUndo() }) else { return [] }
        let undone = try reverse(step)
        history.withLock { $0.noteUndo(undone) }
        return undone.map(\.id)
    }

    /// Does the edit again that was undone last. The next edit ends this possibility.
    ///
    /// - Returns: The changed records; empty if there is nothing to redo.
    /// - Throws: As ``undo()``.
    @discardableResult
    public func redo() throws(InstantError) -> [Record.ID] {
        guard let step = history.withLock({ $0.takeRedo() }) else { return [] }
        let redone = try reverse(step)
        history.withLock { $0.noteRedo(redone) }
        return redone.map(\.id)
    }

    /// Reverses all edits of a step, or none.
    private func reverse(_ step: [EditReceipt]) throws(InstantError) -> [EditReceipt] {
        try editing { descriptor in
            try descriptor.editTogether { layer, now in try step.reversed().map { try layer.undo($0, at: now) } }
        }
    }
}

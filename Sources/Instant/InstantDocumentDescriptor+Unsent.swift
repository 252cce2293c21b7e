public import InstantCore

/// What is only on this machine.
extension InstantDocumentDescriptor {
    /// Everything of ours that the server has not taken, oldest first.
    public func unsentEdits() throws(InstantError) -> [UnsentEdit] {
        try InstantError.translating { try outbox().map(UnsentEdit.init) }
    }

    /// Edits that lost or were refused, oldest first, with base, mine and theirs.
    public func conflicts() throws(InstantError) -> [Conflict] {
        try InstantError.translating { try layer.conflicts() }
    }
}

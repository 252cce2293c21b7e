package import Annotations

/// One change to a record by the user.
package enum Edit: Hashable, Sendable {
    /// A new annotation. `Instant` sets `creatorName`, times and group; the id comes from the step.
    case create(Content)
    /// Replaces the whole content of the record.
    case update(Record.ID, Content)
    /// `with`: the records that the user was told would also be deleted.
    case delete(Record.ID, with: [Record.ID] = [])
    /// A new root and the first comment under it.
    case beginThread(Content, CommentText)

    /// The number of records that the edit creates.
    package var newRecords: Int {
        switch self {
        case .create: 1
        case .beginThread: 2
        case .update, .delete: 0
        }
    }
}

/// Edits that are performed and undone together. The program assigns the number and never reuses it; the services keep
/// the result of `Instant` under this number, so that the step can be undone.
package struct EditStep: Hashable, Sendable, Identifiable {
    package var id: Int
    package var edits: [Edit]
    /// Ids of the records that the edits create, in order; for a thread the root, then the comment. They are known
    /// before the edit is saved, so that the record can be shown and edited meanwhile.
    package var newIDs: [Record.ID] = []
    /// What the step is about, for the notice of its undo: `highlight “a place” by carla`.
    package var summary = ""
    /// What the person saw of records that the step changes, so that what arrives until the step is stored is not replaced.
    package var seen: [ByteOrdered: Content] = [:]
    /// For what a copy has brought: what to say once it is done. Its records keep their authors, or have none.
    package var merged: String?

    package init(id: Int, edits: [Edit], newIDs: [Record.ID] = [], summary: String = "") {
        (self.id, self.edits, self.newIDs, self.summary) = (id, edits, newIDs, summary)
    }

    /// All records that the step creates, changes or deletes.
    package var ids: [Record.ID] {
        newIDs
            + edits.compactMap { edit in
                switch edit {
                case .update(let id, _), .delete(let id, _): id
                case .create, .beginThread: nil
                }
            }
    }
}

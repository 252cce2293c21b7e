package import Annotations

/// One thing a person did to a record.
package enum Edit: Hashable, Sendable {
    /// A new annotation. Its `creatorName`, times and group are stamped by the library, its id is the step's.
    case create(Content)
    /// The record's content, whole.
    case update(Record.ID, Content)
    case delete(Record.ID)
    /// A new root and the first comment under it.
    case beginThread(Content, String)

    /// How many records it makes.
    package var newRecords: Int {
        switch self {
        case .create: 1
        case .beginThread: 2
        case .update, .delete: 0
        }
    }
}

/// Edits that belong together: done together, undone together. The number is drawn by the program and never used
/// again; the services keep what the library answered under it, so that the step can be undone.
package struct EditStep: Hashable, Sendable, Identifiable {
    package var id: Int
    package var edits: [Edit]
    /// Of the records that the edits make, in their order; of a thread the root, then the comment. They are known
    /// before the edit is saved, so that it can be shown and edited again meanwhile.
    package var newIDs: [Record.ID] = []

    /// All records that it makes, changes or deletes.
    package var ids: [Record.ID] {
        newIDs
            + edits.compactMap { edit in
                switch edit {
                case .update(let id, _), .delete(let id): id
                case .create, .beginThread: nil
                }
            }
    }
}

package import Annotations

/// One thing a person did to a record.
package enum Edit: Hashable, Sendable {
    /// A new annotation. Its id, `creatorName`, times and group are stamped by the library.
    case create(Content)
    /// The record's content, whole.
    case update(Record.ID, Content)
    case delete(Record.ID)
    /// A new root and the first comment under it.
    case beginThread(Content, String)
}

/// Edits that belong together: done together, undone together. The number is drawn by the program and never used
/// again; the services keep what the library answered under it, so that the step can be undone.
package struct EditStep: Hashable, Sendable, Identifiable {
    package var id: Int
    package var edits: [Edit]

    package init(id: Int, edits: [Edit]) {
        self.id = id
        self.edits = edits
    }
}

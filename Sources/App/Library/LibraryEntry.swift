package import Annotations

/// One layer in the library: what is on this machine, without opening it.
package struct LibraryEntry: Hashable, Sendable, Identifiable {
    package var id: LayerReference
    /// The document's title, uncleaned; nil when none is known.
    package var title: String?
    /// The document state in the library's words (`clean`, `dirty` ...).
    package var state: String
    package var isDownloaded: Bool
    /// Bytes on this machine, the PDF included; nil when unknown.
    package var bytes: Int64?
    package var lastSync: Timestamp?
    package var unread: Int
    /// Edits that are only here.
    package var unsent: Int
    /// What is wrong with it, in a sentence: it cannot be opened, it is damaged.
    package var problem: String?

    package init(
        id: LayerReference, title: String? = nil, state: String, isDownloaded: Bool, bytes: Int64? = nil,
        lastSync: Timestamp? = nil, unread: Int = 0, unsent: Int = 0, problem: String? = nil
    ) {
        self.id = id
        self.title = title
        self.state = state
        self.isDownloaded = isDownloaded
        self.bytes = bytes
        self.lastSync = lastSync
        self.unread = unread
        self.unsent = unsent
        self.problem = problem
    }
}

package import Annotations

/// A layer in the library, as stored on this machine. The layer need not be open.
package struct LibraryEntry: Hashable, Sendable, Identifiable {
    package var id: LayerReference
    /// The document's title, uncleaned; nil if unknown.
    package var title: String?
    /// The document state, by its name in `Instant` (`clean`, `dirty` ...).
    package var state: String
    package var isDownloaded: Bool
    /// Bytes on this machine, including the PDF; nil if unknown.
    package var bytes: Int64?
    package var lastSync: Timestamp?
    package var unread: Int
    /// Edits that are stored only on this machine.
    package var unsent: Int
    /// Why the layer cannot be opened, or how it is damaged, as a sentence.
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

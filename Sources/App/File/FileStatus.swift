package import Annotations

/// The PDF on disk from which a layer was read, and into which its changes are written.
package struct FileStatus: Hashable, Sendable {
    package enum Condition: Hashable, Sendable {
        /// The file is shown, and its annotations cannot be edited yet: the engine is starting, or reads the file.
        case opening
        /// Annotations can be edited. The file is as it was last read or written.
        case ready
        case writing
        /// The file changed on disk and is being read and merged. Annotations can be edited meanwhile.
        case merging
        /// The disk with the file does not answer. Annotations can be edited meanwhile.
        case silent
        /// The file has been moved or deleted. Annotations can be edited; only a forced write creates the file again.
        case missing
        /// Annotations can be edited, but the file cannot be written. Why, as part of a sentence: `it belongs to root`.
        case unwritable(String)
        /// Annotations can be read, not edited. Why, as part of a sentence: `the engine cannot start: …`.
        case readOnly(String)
    }

    /// The path that commands are told and that the screen shows, uncleaned: relative to the current folder if the
    /// file is below it.
    package var path: String
    package var condition: Condition
    /// The number of annotations and comments whose newest version is not in the file, including deleted ones.
    package var unwritten: Int
    /// The annotations that this person and another program changed differently, until one version is chosen. They are
    /// in `Message.outbox` with `DeliveryState.conflict`, and `Effect.resolve` chooses. `SyncStatus.conflicts` does not
    /// count them.
    package var conflicts: Int
    /// The marks whose words the file's present text does not have.
    package var lostMarks: [LostMark]
    /// Whether changes that are not in the file are kept in memory only, so that quitting loses them.
    package var isPrivate: Bool
    /// Whether another program has the file open, too, so that quitting loses nothing.
    package var isShared: Bool
    /// The engine's name for the file, whatever its path is; empty until the engine has opened it.
    package var id: String

    package init(
        path: String, condition: Condition, unwritten: Int = 0, conflicts: Int = 0, lostMarks: [LostMark] = [],
        isPrivate: Bool = false, isShared: Bool = false, id: String = ""
    ) {
        self.path = path
        self.condition = condition
        self.unwritten = unwritten
        self.conflicts = conflicts
        self.lostMarks = lostMarks
        self.isPrivate = isPrivate
        self.isShared = isShared
        self.id = id
    }
}

extension FileStatus {
    /// The last part of the path.
    package var name: String { path.split(scalar: "/").last.map(String.init) ?? path }
}

/// A mark whose words could not be found again after the file's text had changed. The record is unchanged.
package struct LostMark: Hashable, Sendable, Identifiable {
    package var id: Record.ID
    package var kind: AnnotationKind
    /// The page on which it was, counted from 0.
    package var pageIndex: Int?
    /// The words that it marked, uncleaned.
    package var words: String

    package init(id: Record.ID, kind: AnnotationKind, pageIndex: Int? = nil, words: String) {
        (self.id, self.kind, self.pageIndex, self.words) = (id, kind, pageIndex, words)
    }
}

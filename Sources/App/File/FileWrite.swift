/// A request to put all changes of a layer into a PDF.
package struct FileWrite: Hashable, Sendable {
    /// The path of a copy, as typed; nil writes the layer's own file. A copy leaves the own file and what is counted as
    /// not in it unchanged.
    package var copy: String?
    /// Replaces another file at `copy`; writes the own file again where it is missing. Never overrides an owner, a
    /// signature or a permission.
    package var isForced: Bool
    /// Writes the file anew instead of appending to it, without what was deleted.
    package var isCompact: Bool

    package init(copy: String? = nil, isForced: Bool = false, isCompact: Bool = false) {
        (self.copy, self.isForced, self.isCompact) = (copy, isForced, isCompact)
    }
}

/// What a write did.
package struct FileWritten: Hashable, Sendable {
    package enum Form: Hashable, Sendable {
        /// Appended: the old bytes are unchanged. `holdsDeleted`: notes deleted by this or an earlier write can still
        /// be recovered from the file.
        case appended(holdsDeleted: Bool)
        /// Written anew. Why, as part of a sentence, unless it was asked for: `it is encrypted`.
        case rewritten(String?)
        /// The file had everything already and was not touched.
        case unchanged
    }

    package var write: FileWrite
    /// The path of the written file, as the screen shows it, uncleaned.
    package var path: String
    /// The number of annotations and comments that were added, changed or deleted in the file.
    package var changes: Int
    package var form: Form
    /// What the file cannot hold, and why, each as a phrase: `2 sounds`. It stays in the layer.
    package var leftOut: [String]
    /// How many records were written without their groups, which a PDF cannot hold.
    package var groups: Int

    package init(
        _ write: FileWrite, path: String, changes: Int, form: Form, leftOut: [String] = [], groups: Int = 0
    ) {
        (self.write, self.path, self.changes, self.form) = (write, path, changes, form)
        (self.leftOut, self.groups) = (leftOut, groups)
    }
}

/// Why nothing was written. The old file, if there is one, is unchanged, and so are the changes.
package struct FileRefusal: Hashable, Sendable {
    package var write: FileWrite
    /// The path that was to be written, as the screen shows it, uncleaned.
    package var path: String
    /// A sentence: `paper.pdf belongs to root.`
    package var reason: String
    /// What a forced write would do, after `to`: `replace it`, `write it again`; nil if it would be refused too.
    package var force: String?
    /// A path at which a copy can be written, to be offered; nil if another path would not help.
    package var otherPath: String?

    package init(
        _ write: FileWrite, path: String, reason: String, force: String? = nil, otherPath: String? = nil
    ) {
        (self.write, self.path, self.reason, self.force, self.otherPath) = (write, path, reason, force, otherPath)
    }
}

/// What changed when a file that another program had written was read anew and merged.
package struct FileMerge: Hashable, Sendable {
    /// Annotations and comments that came from the file, changed in it, or are no longer in it.
    package var added: Int
    package var changed: Int
    package var deleted: Int
    /// Those that both sides changed differently, or one changed and the other deleted.
    package var conflicts: Int
    /// Marks whose words were not found in a changed text.
    package var lostMarks: Int
    /// Whether the pages changed too. If so, `pdfReady` has been sent again.
    package var hasNewPages: Bool

    package init(
        added: Int = 0, changed: Int = 0, deleted: Int = 0, conflicts: Int = 0, lostMarks: Int = 0,
        hasNewPages: Bool = false
    ) {
        self.added = added
        self.changed = changed
        self.deleted = deleted
        self.conflicts = conflicts
        self.lostMarks = lostMarks
        self.hasNewPages = hasNewPages
    }
}

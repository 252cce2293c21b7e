package import Annotations
import EngineCore
import FileCore
import Merging
package import SyncProtocol

/// What the engine knows of one PDF besides the rows of its layer: where it is, what it was when it was last read or
/// written, and which records differ from it.
package struct OwnFileState: Sendable {
    /// A random id, which says nothing about the path.
    package var document: String
    /// Absolute, without links.
    package var path: String
    /// Keeps nothing on disk.
    package var isPrivate = false
    /// The processes that have a private file open: what it has is given up with the last of them.
    var owners: Set<ProcessIdentity> = []
    /// The file as last read or written.
    var facts: FileFacts
    var earlier = EarlierVersions()
    /// Whether the numbers of the file's objects are still those of its records: nothing has rewritten it.
    var sharesIDs = true
    /// The layer's revision up to which ``rows`` are current.
    package var revision: Revision = 0
    /// Every record that was edited since the file was first read.
    var rows: [ByteOrdered: Row] = [:]
    var conflicts: [ByteOrdered: Conflict] = [:]
    /// The records whose words the file's text does not have any more.
    var lost: [ByteOrdered: LostMark] = [:]
    /// Whether the file has annotations besides links and other furniture of its pages.
    var hasMarks = true
    /// A write that may or may not have happened.
    var intent: Intent?
    /// The path of a copy that is being written, or was when an engine was killed.
    var copying: String?

    struct Row: Hashable, Sendable {
        /// As the file has it; nil: not at all.
        var base: Record?
        /// As the layer has it; nil: deleted.
        var mine: Record?

        var isWritten: Bool {
            switch (base, mine) {
            case (nil, nil): true
            case (let base?, let mine?): base.isSame(as: mine)
            default: false
            }
        }
    }

    /// A record that both the file and the layer have changed.
    package struct Conflict: Hashable, Sendable {
        /// Before both changes.
        package var base: Record?
        package var mine: Record?
        package var theirs: Record?
    }

    struct Intent: Hashable, Sendable {
        /// The hash of the file once it is written.
        var sha256: String
        var keepsIDs: Bool
        /// The name next to the file that the old one has for a moment.
        var exchanged: String
        /// The rows as they were written.
        var rows: [ByteOrdered: Record?]
    }

    /// Where the state was read from.
    package var folder = ""

    init(document: String, path: String, facts: FileFacts) {
        self.document = document
        self.path = path
        self.facts = facts
    }

    /// How many records are not in the file as they are in the layer.
    package var unwritten: Int { rows.count { !$0.value.isWritten || conflicts[$0.key] != nil } }

    /// The ids of the records that are not in the file as they are in the layer.
    var unwrittenIDs: [ByteOrdered] {
        rows.filter { !$0.value.isWritten || conflicts[$0.key] != nil }.keys.sorted()
    }

    /// The records that are not in the file as they are in the layer, each with both versions; nil: not there.
    package var unwrittenRecords: [(file: Record?, layer: Record?)] {
        rows.sorted { $0.key < $1.key }
            .filter { !$0.value.isWritten || conflicts[$0.key] != nil }
            .map { ($0.value.base, $0.value.mine) }
    }

    /// Whether something would be lost without this state.
    package var mustBeKept: Bool { unwritten > 0 || !conflicts.isEmpty || intent != nil }

    /// Whether an engine is writing the file or a copy, or was when it was killed.
    package var isBeingWritten: Bool { intent != nil || copying != nil }

    /// Whether a copy of the file is of use: it tells where the words of the annotations were.
    var needsBase: Bool { mustBeKept || hasMarks || rows.contains { $0.value.mine != nil } }

    /// The marks without their words, as the layer has them now, in the order of their pages.
    var lostMarks: [(record: Record, words: [String])] {
        lost.compactMap { id, mark in
            guard let record = rows[id]?.mine, mark.isStill(record) else { return nil }
            return (record, mark.words)
        }.sorted { one, other in
            func key(_ record: Record) -> (Int64, String) { (record.content["pageIndex"]?.integer ?? -1, record.id) }
            return key(one.0) < key(other.0)
        }
    }

    package var sha256: String { facts.sha256 }

    /// Returns the path under which a file is known: absolute, without links. Blocks.
    package static func path(of file: String) -> String { FileReplacement.resolved(file) }

    /// The attachments that the records to be written name.
    var attachments: Set<AttachmentID> {
        Set(rows.values.filter { !$0.isWritten }.compactMap { $0.mine?.content.attachmentID })
    }
}

extension OwnFileState {
    /// Records that the file holds these records now.
    mutating func wrote(_ intent: Intent, as facts: FileFacts) {
        for (id, record) in intent.rows {
            rows[id, default: Row()].base = record
        }
        earlier.add(self.facts)
        self.facts = facts
        sharesIDs = sharesIDs && intent.keepsIDs
    }
}

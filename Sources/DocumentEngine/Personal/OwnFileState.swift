package import Annotations
import EngineCore
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

// MARK: - As JSON
extension OwnFileState {
    static let format: Int64 = 1

    var json: [UInt8] {
        var json = JSONWriter(capacity: 1024 + rows.count * 1024)
        json.object { json in
            json.member("format", Self.format)
            json.member("document", document)
            json.member("path", path)
            json.member("private", isPrivate)
            json.member("sha256", facts.sha256)
            json.member("inode", String(facts.inode))
            json.member("size", facts.size)
            json.member("changed", facts.changed)
            earlier.write("earlier", to: &json)
            json.member("sharesIDs", sharesIDs)
            json.member("revision", revision)
            json.key("rows")
            json.array(rows.sorted { $0.key < $1.key }) { json, row in
                json.object {
                    $0.member("id", row.key.text)
                    // Both the same: the file has the record as the layer has it.
                    Self.write(row.value.base, "base", to: &$0)
                    if row.value.base != row.value.mine || row.value.base == nil {
                        Self.write(row.value.mine, "mine", to: &$0)
                    } else {
                        $0.member("same", true)
                    }
                }
            }
            json.key("conflicts")
            json.array(conflicts.sorted { $0.key < $1.key }) { json, row in
                json.object {
                    $0.member("id", row.key.text)
                    Self.write(row.value.base, "base", to: &$0)
                    Self.write(row.value.mine, "mine", to: &$0)
                    Self.write(row.value.theirs, "theirs", to: &$0)
                }
            }
            json.member("marks", hasMarks)
            if let copying { json.member("copying", copying) }
            json.key("lost")
            json.array(lost.sorted { $0.key < $1.key }) { json, mark in
                json.object {
                    $0.member("id", mark.key.text)
                    mark.value.write(to: &$0)
                }
            }
            if let intent {
                json.member(
                    "writing",
                    object: { json in
                        json.member("sha256", intent.sha256)
                        json.member("keepsIDs", intent.keepsIDs)
                        json.member("exchanged", intent.exchanged)
                        json.key("rows")
                        json.array(intent.rows.sorted { $0.key < $1.key }) { json, row in
                            json.object {
                                $0.member("id", row.key.text)
                                Self.write(row.value, "mine", to: &$0)
                            }
                        }
                    })
            }
        }
        return json.bytes
    }

    private static func write(_ record: Record?, _ key: String, to json: inout JSONWriter) {
        guard let record else { return }
        json.key(key)
        record.write(to: &json)
    }

    /// - Returns: nil if it is damaged, or of another format.
    init?(json bytes: [UInt8]) {
        guard let json = try? JSONReader.parse(bytes), json["format"]?.integer == Self.format,
            let document = json["document"]?.string, let path = json["path"]?.string,
            let sha256 = json["sha256"]?.string, let inode = json["inode"]?.string.flatMap(UInt64.init),
            let size = json["size"]?.integer, let changed = json["changed"]?.integer,
            let revision = json["revision"]?.integer, let rows = json["rows"]?.array,
            let conflicts = json["conflicts"]?.array
        else { return nil }
        self.init(
            document: document, path: path,
            facts: FileFacts(inode: inode, size: size, changed: changed, sha256: sha256))
        isPrivate = json["private"]?.bool == true
        earlier = EarlierVersions(json: json["earlier"])
        sharesIDs = json["sharesIDs"]?.bool == true
        self.revision = revision
        for row in rows {
            guard let id = row["id"]?.string else { return nil }
            let base = Self.record(row["base"])
            self.rows[ByteOrdered(id)] = Row(
                base: base, mine: row["same"]?.bool == true ? base : Self.record(row["mine"]))
        }
        for row in conflicts {
            guard let id = row["id"]?.string else { return nil }
            self.conflicts[ByteOrdered(id)] = Conflict(
                base: Self.record(row["base"]), mine: Self.record(row["mine"]), theirs: Self.record(row["theirs"]))
        }
        hasMarks = json["marks"]?.bool ?? true
        copying = json["copying"]?.string
        for row in json["lost"]?.array ?? [] {
            guard let id = row["id"]?.string, let mark = LostMark(json: row) else { return nil }
            lost[ByteOrdered(id)] = mark
        }
        if let writing = json["writing"], let hash = writing["sha256"]?.string,
            let exchanged = writing["exchanged"]?.string, let rows = writing["rows"]?.array
        {
            var written: [ByteOrdered: Record?] = [:]
            for row in rows {
                guard let id = row["id"]?.string else { return nil }
                written[ByteOrdered(id)] = .some(Self.record(row["mine"]))
            }
            intent = Intent(
                sha256: hash, keepsIDs: writing["keepsIDs"]?.bool == true, exchanged: exchanged, rows: written)
        }
    }

    private static func record(_ json: JSON?) -> Record? {
        guard let json, let id = json["id"]?.string, let content = json["content"]?.object else { return nil }
        return Record(
            id: id, content: Content(content), createdBy: json["createdBy"]?.string,
            updatedBy: json["updatedBy"]?.string, group: json["group"]?.string)
    }
}

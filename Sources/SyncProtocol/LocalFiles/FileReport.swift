package import Annotations

/// What the engine knows of a PDF: in its answers, and as `event: file` of the layer's live stream whenever it changes.
package struct FileReport: WireMessage {
    /// Counts of what a file that was read anew has brought.
    package struct Merged: Hashable, Sendable {
        /// Annotations and comments that came from the file, changed in it, or are no longer in it.
        package var added = 0
        package var changed = 0
        package var deleted = 0
        /// Those that both sides changed differently, or one changed and the other deleted.
        package var conflicts = 0
        /// Marks whose words were not found in a changed text.
        package var lostMarks = 0
        /// Whether the file does not continue the old one, so that its pages may be others.
        package var hasNewPages = false

        package init() {}
    }

    /// What is kept for a PDF and cannot be read.
    package struct Damage: Hashable, Sendable {
        package var path: String
        /// `it is damaged`
        package var problem: String
        /// The path of the PDF; nil: unknown.
        package var file: String?

        package init(path: String, problem: String, file: String?) {
            (self.path, self.problem, self.file) = (path, problem, file)
        }
    }

    /// A mark whose words could not be found again after the file's text had changed.
    package struct LostMark: Hashable, Sendable {
        package var id: Record.ID
        package var type: String
        /// Counted from 0.
        package var pageIndex: Int?
        /// The words that it marked.
        package var words: String

        package init(id: Record.ID, type: String, pageIndex: Int?, words: String) {
            (self.id, self.type, self.pageIndex, self.words) = (id, type, pageIndex, words)
        }
    }

    /// A record that was changed in the layer and in the file.
    package struct Conflict: Hashable, Sendable {
        package var id: Record.ID
        package var base: Record?
        /// nil: deleted.
        package var mine: Record?
        package var theirs: Record?
        /// Days until the file's version counts, if a program has rewritten the file without having seen this record.
        package var daysLeft: Int?
        /// Versions that are asked about next; nil: deleted.
        package var further: [Record?]

        package init(
            id: Record.ID, base: Record?, mine: Record?, theirs: Record?, daysLeft: Int? = nil, further: [Record?] = []
        ) {
            (self.id, self.base, self.mine, self.theirs) = (id, base, mine, theirs)
            (self.daysLeft, self.further) = (daysLeft, further)
        }
    }

    /// The engine's id of the file.
    package var document: String
    /// Absolute, without links.
    package var path: String
    /// Names the version of the file that was last read or written: inode, size and time of change.
    package var version: String
    /// A version since which the file has had the same pages.
    package var pagesSince: String
    package var isPrivate: Bool
    /// How many records are not in the file as they are in the layer.
    package var unwritten: Int
    package var isMissing: Bool
    /// Whether the disk with the file does not answer.
    package var isSilent = false
    /// A report with a lower number of the same run of the engine is older.
    package var number = 0
    /// Why the file could not be read when it was opened; nil: it could, or is missing.
    package var problem: String?
    /// Where the file was before, if it was found at another path.
    package var movedFrom: String?
    /// The path of a file that is gone, had the same bytes, and has changes that are not in it.
    package var twin: String?
    /// The path of a copy of a missing file, as it was.
    package var copy: String?
    /// How many windows have the file open.
    package var windows: Int
    /// How many processes have; at most as many.
    package var processes: Int
    package var damaged: [Damage] = []
    /// How often the file was read anew since the engine started.
    package var merges = 0
    /// The last time.
    package var merged = Merged()
    package var lost: [LostMark] = []
    package var conflicts: [Conflict] = []

    package init(
        document: String, path: String, version: String, pagesSince: String, isPrivate: Bool, unwritten: Int,
        isMissing: Bool, windows: Int, processes: Int
    ) {
        (self.document, self.path, self.version, self.pagesSince) = (document, path, version, pagesSince)
        (self.isPrivate, self.unwritten, self.isMissing) = (isPrivate, unwritten, isMissing)
        (self.windows, self.processes) = (windows, processes)
    }

    package func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }

    func writeMembers(to json: inout JSONWriter) {
        json.member("document", document)
        json.member("path", path)
        json.member("version", version)
        json.member("pagesSince", pagesSince)
        json.member("private", isPrivate)
        json.member("unwritten", unwritten)
        json.member("missing", isMissing)
        if isSilent { json.member("silent", true) }
        json.member("number", number)
        if let problem { json.member("problem", problem) }
        if let movedFrom { json.member("movedFrom", movedFrom) }
        if let twin { json.member("twin", twin) }
        if let copy { json.member("base", copy) }
        json.member("windows", windows)
        json.member("processes", processes)
        json.key("damaged")
        json.array(damaged) { $1.write(to: &$0) }
        json.member("merges", merges)
        json.key("merged")
        merged.write(to: &json)
        json.key("lost")
        json.array(lost) { $1.write(to: &$0) }
        json.key("conflicts")
        json.array(conflicts) { $1.write(to: &$0) }
    }

    package init(from reader: inout JSONReader) throws(JSONError) { try self.init(try reader.value(), reader) }

    init(_ json: JSON, _ reader: JSONReader) throws(JSONError) {
        self.init(
            document: try (json["document"]?.string).required("document", reader),
            path: try (json["path"]?.string).required("path", reader), version: json["version"]?.string ?? "",
            pagesSince: json["pagesSince"]?.string ?? "", isPrivate: json["private"]?.bool == true,
            unwritten: Int(clamping: try (json["unwritten"]?.integer).required("unwritten", reader)),
            isMissing: json["missing"]?.bool == true, windows: Int(clamping: json["windows"]?.integer ?? 1),
            processes: Int(clamping: json["processes"]?.integer ?? 1))
        isSilent = json["silent"]?.bool == true
        number = Int(clamping: json["number"]?.integer ?? 0)
        problem = json["problem"]?.string
        movedFrom = json["movedFrom"]?.string
        twin = json["twin"]?.string
        copy = json["base"]?.string
        damaged = (json["damaged"]?.array ?? []).compactMap(Damage.init)
        merges = Int(clamping: json["merges"]?.integer ?? 0)
        merged = json["merged"].map(Merged.init) ?? Merged()
        lost = (json["lost"]?.array ?? []).compactMap(LostMark.init)
        conflicts = (json["conflicts"]?.array ?? []).compactMap(Conflict.init)
    }
}

extension FileReport.Merged {
    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("added", added)
            $0.member("changed", changed)
            $0.member("deleted", deleted)
            $0.member("conflicts", conflicts)
            $0.member("lostMarks", lostMarks)
            $0.member("newPages", hasNewPages)
        }
    }

    init(_ json: JSON) {
        (added, changed, deleted) = (json.count("added"), json.count("changed"), json.count("deleted"))
        (conflicts, lostMarks) = (json.count("conflicts"), json.count("lostMarks"))
        hasNewPages = json["newPages"]?.bool == true
    }
}

extension FileReport.Damage {
    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("path", path)
            $0.member("problem", problem)
            $0.member("file", orNull: file)
        }
    }

    init?(_ json: JSON) {
        guard let path = json["path"]?.string, let problem = json["problem"]?.string else { return nil }
        self.init(path: path, problem: problem, file: json["file"]?.string)
    }
}

extension FileReport.LostMark {
    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("id", id)
            $0.member("type", type)
            if let pageIndex { $0.member("pageIndex", pageIndex) }
            $0.member("words", words)
        }
    }

    init?(_ json: JSON) {
        guard let id = json["id"]?.string else { return nil }
        self.init(
            id: id, type: json["type"]?.string ?? "",
            pageIndex: json["pageIndex"]?.integer.flatMap { Int(exactly: $0) },
            words: json["words"]?.string ?? "")
    }
}

extension FileReport.Conflict {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            if let daysLeft { json.member("daysLeft", daysLeft) }
            json.member("base", orLeftOut: base)
            json.member("mine", orLeftOut: mine)
            json.member("theirs", orLeftOut: theirs)
            json.key("further")
            json.array(further) { json, record in
                if let record { record.write(to: &json) } else { json.null() }
            }
        }
    }

    init?(_ json: JSON) {
        guard let id = json["id"]?.string else { return nil }
        self.init(
            id: id, base: Record(json["base"]), mine: Record(json["mine"]), theirs: Record(json["theirs"]),
            daysLeft: json["daysLeft"]?.integer.map { Int(clamping: $0) },
            further: (json["further"]?.array ?? []).map { Record($0) })
    }
}

extension JSONWriter {
    mutating func member(_ key: String, orLeftOut record: Record?) {
        guard let record else { return }
        self.key(key)
        record.write(to: &self)
    }
}

extension JSON {
    /// Returns a member that is a number; 0 if it is absent.
    func count(_ key: String) -> Int { Int(clamping: self[key]?.integer ?? 0) }
}

extension Record {
    /// - Returns: nil for anything but a record.
    init?(_ json: JSON?) {
        guard let json, let id = json["id"]?.string, let content = json["content"]?.object else { return nil }
        self.init(
            id: id, content: Content(content), createdBy: json["createdBy"]?.string,
            updatedBy: json["updatedBy"]?.string, group: json["group"]?.string)
    }
}

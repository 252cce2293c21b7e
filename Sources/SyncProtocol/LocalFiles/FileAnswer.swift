package import Annotations

/// The answer to a request about a PDF: what the engine knows of it now, and what was asked for.
package struct FileAnswer: WireMessage {
    /// A record that is not in the file as it is in the layer.
    package struct Change: Hashable, Sendable {
        package var id: Record.ID
        /// As the file has it; nil: it does not.
        package var base: Record?
        /// As the layer has it; nil: deleted.
        package var mine: Record?

        package init(id: Record.ID, base: Record?, mine: Record?) { (self.id, self.base, self.mine) = (id, base, mine) }
    }

    package var report: FileReport
    /// With all rights to the file's layer, for an hour.
    package var token: String?
    package var changes: [Change]?
    package var written: WrittenFile?
    /// How many records were given up.
    package var reverted: Int?

    package init(
        _ report: FileReport, token: String? = nil, changes: [Change]? = nil, written: WrittenFile? = nil,
        reverted: Int? = nil
    ) {
        (self.report, self.token, self.changes) = (report, token, changes)
        (self.written, self.reverted) = (written, reverted)
    }

    package func write(to json: inout JSONWriter) {
        json.object { json in
            report.writeMembers(to: &json)
            if let token { json.member("token", token) }
            if let changes {
                json.key("changes")
                json.array(changes) { json, change in
                    json.object {
                        $0.member("id", change.id)
                        $0.member("base", orLeftOut: change.base)
                        $0.member("mine", orLeftOut: change.mine)
                    }
                }
            }
            if let written {
                json.key("written")
                written.write(to: &json)
            }
            if let reverted { json.member("reverted", reverted) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let json = try reader.value()
        report = try FileReport(json, reader)
        token = json["token"]?.string
        changes = json["changes"]?.array?.compactMap { change in
            change["id"]?.string.map { Change(id: $0, base: Record(change["base"]), mine: Record(change["mine"])) }
        }
        written = try json["written"].map { json throws(JSONError) in try WrittenFile(json, reader) }
        reverted = json["reverted"]?.integer.map { Int(clamping: $0) }
    }
}

/// What writing a PDF has done.
package struct WrittenFile: Hashable, Sendable {
    package struct Left: Hashable, Sendable {
        package var id: Record.ID
        package var why: String

        package init(id: Record.ID, why: String) { (self.id, self.why) = (id, why) }
    }

    /// Of the file or the copy, after links.
    package var path: String
    package var records: Int
    package var conflicts = 0
    /// What a PDF cannot hold, such as `1 sound`.
    package var left: String?
    /// How many records were written without their groups, which a PDF cannot hold.
    package var groups = 0
    /// How many changes of another program were merged before.
    package var merged = 0
    /// How many other names of the file still have the old contents.
    package var otherNames = 0
    package var isRewritten = false
    /// Whether the file still contains what was deleted.
    package var holdsDeleted = false
    /// Whether a signature is not valid in the copy.
    package var breaksSignature = false
    /// The records that could not be written as they are.
    package var unwritten: [Left] = []

    package init(path: String, records: Int) { (self.path, self.records) = (path, records) }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("path", path)
            json.member("records", records)
            json.member("conflicts", conflicts)
            json.member("left", orNull: left)
            json.member("groups", groups)
            json.member("merged", merged)
            json.member("otherNames", otherNames)
            json.member("rewritten", isRewritten)
            json.member("holdsDeleted", holdsDeleted)
            json.member("breaksSignature", breaksSignature)
            json.key("unwritten")
            json.array(unwritten) { json, item in
                json.object {
                    $0.member("id", item.id)
                    $0.member("why", item.why)
                }
            }
        }
    }

    init(_ json: JSON, _ reader: JSONReader) throws(JSONError) {
        path = try (json["path"]?.string).required("path", reader)
        records = Int(clamping: try (json["records"]?.integer).required("records", reader))
        (conflicts, groups) = (json.count("conflicts"), json.count("groups"))
        (merged, otherNames) = (json.count("merged"), json.count("otherNames"))
        left = json["left"]?.string
        isRewritten = json["rewritten"]?.bool == true
        holdsDeleted = json["holdsDeleted"]?.bool == true
        breaksSignature = json["breaksSignature"]?.bool == true
        unwritten = (json["unwritten"]?.array ?? []).compactMap { item in
            item["id"]?.string.map { Left(id: $0, why: item["why"]?.string ?? "") }
        }
    }
}

/// The answer to `POST close`.
package struct ClosedFile: WireMessage {
    /// How many records are not in the file.
    package var unwritten: Int

    package init(unwritten: Int) { self.unwritten = unwritten }

    package func write(to json: inout JSONWriter) { json.object { $0.member("unwritten", unwritten) } }

    package init(from reader: inout JSONReader) throws(JSONError) {
        unwritten = Int(clamping: try (try reader.value()["unwritten"]?.integer).required("unwritten", reader))
    }
}

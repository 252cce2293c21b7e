import Annotations
import Instant
import InstantCore

extension Plan {
    /// The plan as lines of JSON.
    var lines: [String] {
        [place.line(Self.version)]
            + attachments.sorted { $0.key < $1.key }.map { id, bytes in
                JSONWriter.text {
                    $0.member("op", "attach")
                    $0.member("sha256", id.hex)
                    $0.member("bytes", Base64.encode(bytes))
                }
            } + changes.map(\.line)
    }

    /// Reads a plan.
    ///
    /// - Throws: ``CommandFailure`` that names the line.
    init(_ bytes: [UInt8], from name: String) throws {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .filter { $0.element.contains { $0 > 0x20 } }
        func read(_ line: (offset: Int, element: ArraySlice<UInt8>)) throws -> JSON {
            do { return try JSONReader.parse(Array(line.element)) } catch {
                throw CommandFailure("\(name):\(line.offset + 1): \(error)")
            }
        }
        let none = CommandFailure("\(name.onOneLine): this is not a plan; make one with --dry-run")
        guard let first = lines.first, let head = try? JSONReader.parse(Array(first.element)),
            let place = try Place(head)
        else { throw none }
        self.place = place
        for line in lines.dropFirst() {
            let json = try read(line)
            if let (id, bytes) = Self.attachment(json) {
                attachments[id] = bytes
            } else if let change = Change(json) {
                changes.append(change)
            } else {
                throw CommandFailure("\(name):\(line.offset + 1): not a change of a plan")
            }
        }
    }

    private static func attachment(_ json: JSON) -> (AttachmentID, [UInt8])? {
        guard json["op"]?.string == "attach", let id = json["sha256"]?.string.flatMap(AttachmentID.init),
            let data = json["bytes"]?.string.flatMap({ Base64.decode($0) })
        else { return nil }
        return (id, data)
    }
}

extension Plan.Place {
    fileprivate func line(_ version: Int64) -> String {
        JSONWriter.text {
            $0.member("plan", version)
            $0.member("server", server)
            $0.member("document", document)
            $0.member("layer", layer)
            $0.member("user", orNull: user)
            $0.member("generation", generation)
            $0.member("revision", revision)
        }
    }

    fileprivate init?(_ json: JSON) throws {
        guard let version = json["plan"]?.integer else { return nil }
        guard version == Plan.version else {
            throw CommandFailure("the plan has version \(version), but this program reads version \(Plan.version)")
        }
        guard let document = json["document"]?.string, let layer = json["layer"]?.string,
            let generation = json["generation"]?.string, let revision = json["revision"]?.integer
        else { return nil }
        self.init(
            server: json["server"]?.string ?? "", document: document, layer: layer, user: json["user"]?.string,
            generation: generation, revision: revision)
    }
}

extension Plan.Change {
    fileprivate var line: String {
        JSONWriter.text {
            switch self {
            case .create(let id, let group, let content, let root):
                $0.member("op", "create")
                $0.member("id", id)
                if let group { $0.member("group", orNull: group) }
                if let root { $0.member("root", root.json) }
                $0.member("content", source: content.text)
            case .update(let version, let content):
                $0.member("op", "update")
                $0.member("id", version.id)
                $0.member("revision", version.revision)
                $0.member("content", source: content.text)
            case .delete(let version, let with):
                $0.member("op", "delete")
                $0.member("id", version.id)
                $0.member("revision", version.revision)
                if !with.isEmpty { $0.member("with", .array(with.map(\.json))) }
            }
        }
    }

    /// - Returns: nil if the JSON is no change.
    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.string, Record.isAcceptedID(id) else { return nil }
        let version = json["revision"]?.integer.map { Plan.Version(id: id, revision: $0) }
        let content = json["content"]?.object.map { Content($0) }
        switch (json["op"]?.string, version, content) {
        case ("create"?, nil, let content?):
            let group: String?? = json["group"].map { $0.isNull ? nil : $0.string }
            let root = json["root"].map(Plan.Version.init)
            if case .some(nil) = root { return nil }
            self = .create(id, group: group, content, root: root ?? nil)
        case ("update"?, let version?, let content?): self = .update(version, content)
        case ("delete"?, let version?, nil):
            let with = (json["with"]?.array ?? []).map(Plan.Version.init)
            guard with.allSatisfy({ $0 != nil }) else { return nil }
            self = .delete(version, with: with.compactMap { $0 })
        default: return nil
        }
    }
}

extension Plan.Version {
    fileprivate var json: JSON { ["id": .string(id), "revision": .number(JSONNumber(revision))] }

    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.string, let revision = json["revision"]?.integer else { return nil }
        self.init(id: id, revision: revision)
    }
}

package import Annotations

/// `POST open`: opens a PDF for the process that asks.
package struct FileOpening: WireMessage {
    /// Absolute; may be a link.
    package var path: String
    /// Whether nothing of it is kept on disk.
    package var isPrivate: Bool
    /// Whether it is only asked whether the file could be opened.
    package var onlyChecks: Bool
    package var seen: Sighting

    package init(path: String, isPrivate: Bool, onlyChecks: Bool = false, seen: Sighting = .unknown) {
        (self.path, self.isPrivate, self.onlyChecks, self.seen) = (path, isPrivate, onlyChecks, seen)
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("path", path)
            $0.member("private", isPrivate)
            if onlyChecks { $0.member("check", true) }
            seen.write(as: "seen", to: &$0)
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let json = try reader.value()
        path = try (json["path"]?.string).required("path", reader)
        isPrivate = json["private"]?.bool == true
        onlyChecks = json["check"]?.bool == true
        seen = Sighting(json["seen"])
    }
}

/// A request about a file that the engine has open: `POST token`, `state`, `revert` or `close`.
package struct FileQuestion: WireMessage {
    /// The engine's id of the file.
    package var document: String
    /// Whether the answer has the records that are not in the file as they are in the layer.
    package var asksForChanges: Bool

    package init(document: String, asksForChanges: Bool = false) {
        (self.document, self.asksForChanges) = (document, asksForChanges)
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("document", document)
            if asksForChanges { $0.member("records", true) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let json = try reader.value()
        document = try (json["document"]?.string).required("document", reader)
        asksForChanges = json["records"]?.bool == true
    }
}

/// `POST write`: writes what is not in the file yet.
package struct FileWriting: WireMessage {
    package var document: String
    /// An absolute path for a copy; nil: the file itself.
    package var copy: String?
    /// The file itself, as the process that asks sees it.
    package var seen: Sighting
    /// The place of the copy, as that process sees it.
    package var target: SeenTarget?
    /// That process's mode mask, umask(2); nil: the engine's.
    package var mask: UInt32?
    /// Whether another file is replaced, or a missing one is written again.
    package var isForced: Bool
    /// Whether root replaces the file of another account.
    package var replacesOthers: Bool
    /// Whether the file is written anew, without what was deleted.
    package var isCompact: Bool

    package init(
        document: String, copy: String? = nil, seen: Sighting = .unknown, target: SeenTarget? = nil,
        mask: UInt32? = nil, isForced: Bool = false, replacesOthers: Bool = false, isCompact: Bool = false
    ) {
        (self.document, self.copy, self.seen, self.target, self.mask) = (document, copy, seen, target, mask)
        (self.isForced, self.replacesOthers, self.isCompact) = (isForced, replacesOthers, isCompact)
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("document", document)
            if let copy { $0.member("to", copy) }
            seen.write(as: "seen", to: &$0)
            if let target {
                $0.key("target")
                target.write(to: &$0)
            }
            if let mask { $0.member("umask", Int64(mask)) }
            if isForced { $0.member("force", true) }
            if replacesOthers { $0.member("others", true) }
            if isCompact { $0.member("compact", true) }
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let json = try reader.value()
        document = try (json["document"]?.string).required("document", reader)
        copy = json["to"]?.string
        seen = Sighting(json["seen"])
        target = SeenTarget(json["target"])
        mask = json["umask"]?.integer.flatMap { UInt32(exactly: $0) }.map { $0 & 0o777 }
        isForced = json["force"]?.bool == true
        replacesOthers = json["others"]?.bool == true
        isCompact = json["compact"]?.bool == true
    }
}

/// `POST resolve`: ends a conflict between the layer and the file if neither version has changed since it was shown.
package struct FileResolution: WireMessage {
    package enum Choice: String, Hashable, Sendable, CaseIterable {
        case mine, theirs
        /// What the layer has now.
        case layer
    }

    package var document: String
    package var id: Record.ID
    package var choice: Choice
    /// As ``FileReport/Conflict/mine`` was when it was shown; not compared for ``Choice/layer``.
    package var mine: Record?
    /// As ``FileReport/Conflict/theirs`` was when it was shown.
    package var theirs: Record?

    package init(document: String, id: Record.ID, choice: Choice, mine: Record?, theirs: Record?) {
        (self.document, self.id, self.choice, self.mine, self.theirs) = (document, id, choice, mine, theirs)
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("document", document)
            $0.member("id", id)
            $0.member("keep", choice.rawValue)
            $0.member("mine", orLeftOut: mine)
            $0.member("theirs", orLeftOut: theirs)
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let json = try reader.value()
        document = try (json["document"]?.string).required("document", reader)
        id = try (json["id"]?.string).required("id", reader)
        choice = try (json["keep"]?.string.flatMap(Choice.init)).required("keep", reader)
        (mine, theirs) = (Record(json["mine"]), Record(json["theirs"]))
    }
}

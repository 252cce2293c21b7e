package import Annotations

/// What an annotated copy of the PDF brings into the layer. Nothing of it is done yet.
package struct MergedCopy: Hashable, Sendable {
    /// As typed.
    package var path: String
    /// The edits that the copy brings, and the ids of the records that they create, in order.
    package var edits: [Edit]
    package var newIDs: [Record.ID]
    /// The numbers of records that the edits concern, and of those that both have.
    package var added: Int
    package var changed: Int
    package var deleted: Int
    package var unchanged: Int
    /// The number of records that both sides changed differently. What the layer has stays; other texts become replies.
    package var conflicts: Int
    /// What a person should look at: conflicts, and what was not merged. Each a sentence without its end.
    package var remarks: [String]

    package init(
        path: String, edits: [Edit] = [], newIDs: [Record.ID] = [], added: Int = 0, changed: Int = 0, deleted: Int = 0,
        unchanged: Int = 0, conflicts: Int = 0, remarks: [String] = []
    ) {
        (self.path, self.edits, self.newIDs, self.remarks) = (path, edits, newIDs, remarks)
        (self.added, self.changed, self.deleted, self.unchanged) = (added, changed, deleted, unchanged)
        self.conflicts = conflicts
    }
}

extension MergedCopy {
    /// `Merged ben.pdf: 3 new, 1 changed; 1 in conflict`
    var sentence: String {
        let counts = [(added, "new"), (changed, "changed"), (deleted, "deleted")].filter { $0.0 > 0 }
        var parts = ["Merged \(path): " + counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")]
        if counts.isEmpty { parts = ["Nothing new in \(path): \(unchanged) unchanged"] }
        if conflicts > 0 { parts.append("\(conflicts) in conflict, yours kept") }
        let others = remarks.count
        if others > 0 { parts.append(":messages has \(others == 1 ? "a remark" : "\(others) remarks")") }
        return parts.joined(separator: "; ")
    }
}

extension AppState {
    /// Merges an annotated copy into the layer: reads it first; ``copyRead(_:)`` follows.
    mutating func merge(_ words: String) -> [Effect] {
        guard let document else { return [] }
        let path = words.withoutQuotes
        guard !path.isEmpty else { return only(.warning("Usage: merge FILE")) }
        if document.isLocal, let why = document.denialOfWritingFile { return only(.warning(why.asSentence)) }
        notice = .done("Reading \(path)")
        return [.mergeCopy(path)]
    }

    mutating func copyRead(_ copy: MergedCopy) -> [Effect] {
        for remark in copy.remarks { messages.add("\(copy.path): \(remark)", at: now) }
        guard !copy.edits.isEmpty else {
            notice = copy.remarks.isEmpty ? .done(copy.sentence) : .warning(copy.sentence)
            return []
        }
        return begin(copy)
    }
}

extension String {
    /// The text without blanks around it and without the quotation marks in which it stands.
    var withoutQuotes: String {
        let text = trimmed
        return text.dropping(prefix: "\"")?.dropping(suffix: "\"").map(String.init) ?? text
    }
}

import Annotations

/// The text of a copy that lost a conflict, as a reply to the annotation that has the other text.
struct ConflictReply {
    let record: Record
    /// The annotation in whose thread it stands.
    let root: Record.ID

    private static let texts: Set = ["text", "note", "contents", "description", "subject"]

    /// - Returns: nil for what is no text, was removed, or stands where there can be no reply.
    init?(_ member: String, of mine: Record, _ theirs: Record, in copy: CopyMerge.Copy) {
        guard Self.texts.contains(member), let text = theirs.content[member].flatMap(CommentText.init(json:)),
            !text.words.isEmpty
        else { return nil }
        if mine.contentType == .comments {
            guard let id = mine.content["rootId"]?.string else { return nil }
            root = id
        } else {
            guard mine.content.noThread == nil else { return nil }
            root = mine.id
        }
        let name = copy.author ?? theirs.content["creatorName"]?.string
        let moment = theirs.content["updatedAt"] ?? theirs.content["createdAt"]
        let content = Content.comment(.plain(text.words), under: root, mine.content).changing { object in
            object["creatorName"] = name.map(JSON.string)
            object["createdAt"] = moment
            object["updatedAt"] = moment
        }
        record = Record(
            id: "merge-" + Fingerprint.of("\(mine.id)\n\(member)\n\(text.words)"), content: content, group: mine.group)
    }

    /// Whether a record is this reply, under any id and of any author: a PDF may give it another one.
    func isHeld(by other: Record) -> Bool {
        guard other.contentType == .comments, other.content["rootId"]?.string == record.content["rootId"]?.string
        else { return false }
        return words(other) == words(record)
    }

    private func words(_ record: Record) -> String? {
        record.content["text"].flatMap(CommentText.init(json:))?.words
    }
}

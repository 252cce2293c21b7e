package import Annotations
import EngineCore
import FoundationEssentials

/// What a restore would bring back: documents and layers that were deleted since the backup, and the earlier PDFs of
/// documents that were overwritten since.
package struct ChangesSinceBackup: Hashable, Sendable {
    package struct Change: Hashable, Sendable, CustomStringConvertible {
        package enum Kind: String, Hashable, Sendable {
            case deleted
            /// Deleted, and another one has the name now.
            case recreated
            /// A document got another PDF, or other annotations with it.
            case overwritten
        }

        package var kind: Kind
        package var document: String
        /// nil: the whole document.
        package var layer: String?
        /// When it was deleted; nil: unknown.
        package var at: Timestamp?

        package var description: String {
            let name = "document \(Self.quoted(document))"
            let what = layer.map { "layer \(Self.quoted($0)) of \(name)" } ?? name
            let time = at.map { ", at \($0.iso8601)" } ?? ""
            return switch kind {
            case .deleted: "deleted since the backup: \(what)\(time)"
            case .recreated: "deleted and created again since the backup: \(what)\(time)"
            case .overwritten: "overwritten since the backup: \(what)"
            }
        }

        /// On one line, whatever the name contains.
        private static func quoted(_ text: String) -> String { "\"\(text.escapingInvisible)\"" }

        /// The note of its deletion.
        var key: LayerKey { layer.map { LayerKey(document: document, name: $0) } ?? .whole(document) }
    }

    /// Documents before their layers, in byte order.
    package private(set) var list: [Change] = []

    package var isEmpty: Bool { list.isEmpty }

    init() {}

    init(_ list: [Change]) { self.list = list }

    /// - Parameters:
    ///   - backup: the restored database, before anything is taken over.
    ///   - earlier: the data that it replaces.
    init(since backup: EarlierData, in earlier: EarlierData) {
        /// When it was deleted since the backup; nil: not, or unknown.
        func deletion(_ key: LayerKey) -> Timestamp? {
            earlier.deletions[key].flatMap { time in backup.deletions[key].map { time > $0 } ?? true ? time : nil }
        }
        var gone: Set<ByteOrdered> = []
        for (id, document) in backup.documents.sorted(by: { $0.key < $1.key }) {
            let (time, there) = (deletion(.whole(id.text)), earlier.documents[id])
            if time != nil || there.map({ $0.createdAt != document.createdAt }) ?? earlier.hasAllDocuments {
                // Where a row is damaged, its time may be wrong: only a note counts.
                guard time != nil || earlier.hasAllDocuments else { continue }
                list.append(Change(kind: there == nil ? .deleted : .recreated, document: id.text, at: time))
                gone.insert(id)
            } else if let there, earlier.hasAllDocuments, there != document {
                list.append(Change(kind: .overwritten, document: id.text))
            }
        }
        let layers = backup.layers.map { (document: ByteOrdered($0.document), name: ByteOrdered($0.name)) }
        for (document, name) in layers.sorted(by: { $0 < $1 }) where !gone.contains(document) {
            let key = LayerKey(document: document.text, name: name.text)
            let (time, isThere) = (deletion(key), earlier.layers.contains(key))
            guard time != nil || !isThere && earlier.hasAllLayers && earlier.hasAllDocuments else { continue }
            list.append(
                Change(kind: isThere ? .recreated : .deleted, document: document.text, layer: name.text, at: time))
        }
    }

    /// Adds what an interrupted restore found and this one cannot find any more.
    mutating func add(_ others: ChangesSinceBackup) {
        let known = Set(list.map(\.key))
        list += others.list.filter { !known.contains($0.key) }
    }

    /// Whether everything in it is in the other list, too.
    func isCovered(by other: ChangesSinceBackup) -> Bool {
        let known = Set(other.list.map(\.key))
        return list.allSatisfy { known.contains($0.key) }
    }
}

/// What becomes of what was deleted or overwritten since the backup.
package enum DeletedAnswer: String, CaseIterable, Sendable {
    /// It comes back, as it was in the backup.
    case comeBack = "return"
    /// It stays deleted, and overwritten documents keep their newer PDF.
    case stay
}

/// What an interrupted restore was told, in the file that marks its folder.
struct RestoreMemory: Hashable, Sendable {
    var answer: DeletedAnswer
    var changes: ChangesSinceBackup

    var text: String {
        var json = JSONWriter()
        json.object { json in
            json.member("deleted", answer.rawValue)
            json.key("changes")
            json.array(changes.list) { json, change in
                json.object { json in
                    json.member("kind", change.kind.rawValue)
                    json.member("document", change.document)
                    if let layer = change.layer { json.member("layer", layer) }
                    if let at = change.at { json.member("at", at.milliseconds) }
                }
            }
        }
        return json.text
    }

    init(_ answer: DeletedAnswer, _ changes: ChangesSinceBackup) { (self.answer, self.changes) = (answer, changes) }

    /// Returns nil if the text is not complete.
    init?(_ text: String) {
        guard let json = try? JSON(parsing: text), let answer = json["deleted"]?.string.flatMap(DeletedAnswer.init),
            let list = json["changes"]?.array
        else { return nil }
        var changes: [ChangesSinceBackup.Change] = []
        for entry in list {
            guard let kind = entry["kind"]?.string.flatMap(ChangesSinceBackup.Change.Kind.init),
                let document = entry["document"]?.string
            else { return nil }
            changes.append(
                ChangesSinceBackup.Change(
                    kind: kind, document: document, layer: entry["layer"]?.string,
                    at: entry["at"]?.integer.map(Timestamp.init(milliseconds:))))
        }
        self.init(answer, ChangesSinceBackup(changes))
    }
}
